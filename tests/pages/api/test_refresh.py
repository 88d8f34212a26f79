"""The hook for whatever writes the documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.client import Client
from tests.conftest import Desks, make_settings
from tests.services.test_root import ask, edit
from webapp.app import create_app
from webapp.services import worker
from webapp.services.root import Services
from webapp.settings import read_settings

HOOK = "/api/v1/collections/shop/refresh"
TOKEN = {"Authorization": "Bearer a token"}


@pytest.fixture
def hooked(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desks]:
    """An installation with a token."""
    monkeypatch.setattr("webapp.services.index.QUIET", 0.0)
    desks.settings = make_settings(desks.folder, refresh_token=SecretStr("a token"))
    desks.services.close()
    desks.services = Services.open(desks.settings)
    desks.app = create_app(desks.settings, desks.services)
    yield desks
    desks.services.close()


def post(desks: Desks, path: str = HOOK, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str]]:
    response = Client(desks.app).send("POST", path, headers=headers or {})
    return response.status_code, response.get_json()


def test_it_asks_for_an_index_which_the_worker_builds(hooked: Desks) -> None:
    ask(hooked)
    edit(hooked, "returns.md", "45 days", "60 days")
    code, said = post(hooked, headers=TOKEN)
    assert code == 202
    assert said["state"] == "waiting"
    worker.do_next(hooked.services)
    job = hooked.services.jobs.get(said["job"])
    assert job
    assert job.result
    assert job.result["outcome"] == "live"
    assert "60 days" in ask(hooked).answer


def test_many_calls_ask_for_one(hooked: Desks) -> None:
    assert len({post(hooked, headers=TOKEN)[1]["job"] for _ in range(5)}) == 1


def test_it_tries_again_what_had_failed(hooked: Desks) -> None:
    config = hooked.shop / "collection.toml"
    good = config.read_bytes()
    ask(hooked)
    config.write_text("title = [", encoding="utf-8")
    worker.work_once(hooked.services)
    failed = hooked.services.jobs.latest("shop", "index")
    post(hooked, headers=TOKEN)
    worker.do_next(hooked.services)
    again = hooked.services.jobs.latest("shop", "index")
    assert failed
    assert again
    assert again.id != failed.id
    config.write_bytes(good)


def test_files_that_have_not_changed_are_not_built_again(hooked: Desks) -> None:
    live = ask(hooked).index_version
    _, said = post(hooked, headers=TOKEN)
    worker.do_next(hooked.services)
    job = hooked.services.jobs.get(said["job"])
    assert job
    assert job.result
    assert job.result["outcome"] == "same"
    assert ask(hooked).index_version == live


@pytest.mark.parametrize("sent", ["", "Bearer", "Bearer wrong", "Basic a token", "a token", "Bearer a token too"])
def test_without_the_token_it_is_refused(hooked: Desks, sent: str) -> None:
    for path in (HOOK, "/api/v1/collections/nowhere/refresh"):
        code, said = post(hooked, path, {"Authorization": sent})
        assert code == 401
        assert said["message"] == "send the token as: Authorization: Bearer TOKEN"
    assert hooked.services.jobs.active("shop") == []


def test_a_collection_that_is_not_there(hooked: Desks) -> None:
    code, said = post(hooked, "/api/v1/collections/nowhere/refresh", TOKEN)
    assert code == 404
    assert "there is no collection 'nowhere'" in said["message"]


def test_without_a_token_in_the_settings_nobody_may(desks: Desks) -> None:
    assert post(desks, headers={"Authorization": "Bearer "})[0] == 404


def test_the_token_can_stand_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("from a file\n", encoding="utf-8")
    monkeypatch.setenv("EVIDENCEDESK_REFRESH_TOKEN_FILE", str(tmp_path / "token"))
    assert read_settings().refresh_token.get_secret_value() == "from a file"
