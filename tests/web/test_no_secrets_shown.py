"""Keys and passwords of the settings stay in the settings, whatever goes wrong."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.client import Client
from tests.conftest import _install

MARKS = {name: f"mark-of-{name}-0123456789" for name in ("secret_key", "model_api_key", "refresh_token")}


def test_no_secret_is_in_a_page_an_error_or_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secrets = {name: SecretStr(mark) for name, mark in MARKS.items()}
    model = {"model": "openai_compatible", "model_base_url": "http://127.0.0.1:9/v1", "model_name": "m"}
    desks = _install(tmp_path, **secrets, **model)
    for desk in desks.services.desks():
        desk.ensure_index()
    client, shown = Client(desks.app), [repr(desks.settings), str(desks.settings)]

    def fail() -> str:
        raise RuntimeError("a mistake of ours")

    desks.app.view_functions["asked.show"] = fail
    question = {"question": "Within how many days can I return a lamp?"}
    asked = client.post("/ask", question)
    for path in ("/", "/asked", "/nothing", "/sign-in", "/readyz", "/metrics", "/api/v1/openapi.json"):
        shown.append(client.get(path).text)
    shown += [client.get(asked.headers["Location"]).text, client.post_json("/api/v1/ask", question).text]
    shown.append(client.post("/ask", {"csrf_token": "wrong"}).text)
    shown.append(client.send("POST", "/api/v1/collections/shop/refresh", headers={"Authorization": "Bearer x"}).text)
    (desks.shop / "collection.toml").write_text("title = [", encoding="utf-8")
    shown.append(client.get("/").text)
    desks.services.close()
    said = "\n".join([*shown, caplog.text])
    assert "a mistake of ours" in caplog.text
    assert [name for name, mark in MARKS.items() if mark in said] == []
