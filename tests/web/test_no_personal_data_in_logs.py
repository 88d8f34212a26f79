"""Nothing that people write ends in the log, whatever they do and whatever goes wrong."""

from __future__ import annotations

import logging

import pytest

from tests.conftest import PASSWORD, Desks
from webapp.app import create_app
from webapp.core.retrieval.model import Reader, Role
from webapp.services import worker

SECRET = "Zanzibar-Anwari"


def test_questions_votes_and_searches_are_not_logged(
    desks: Desks, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    desks.app = create_app(desks.settings.model_copy(update={"log_format": "json"}), desks.services)
    client = desks.client()
    address = client.post("/ask", {"question": f"My name is {SECRET}. Which bulb fits?"}).headers["Location"]
    client.post(f"{address}/feedback", {"vote": "down", "reason": "other", "words": f"Call {SECRET}"})
    client.post_json("/api/v1/ask", {"question": f"{SECRET}?", "filters": {SECRET: SECRET}})
    client.post_json(f"/api/v1{address}/feedback", {"vote": "up", "reader": SECRET, "nonsense": SECRET})
    client.get(address)
    accounts, agent = desks.services.accounts, desks.client()
    agent.enter(accounts.accept(accounts.invite("agent@lamps.example", Role.AGENT), "", PASSWORD))
    for path in ("/agent/search", "/agent/answers"):
        assert agent.get(path, query_string={"q": SECRET}).status_code == 200
    desks.services.desk().ask(f"{SECRET}, once more", Reader())
    worker.work_once(desks.services)
    client.post("/asked")
    client.get(address)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(desks.services.desk(), "ask", fail)
    assert client.post("/ask", {"question": f"{SECRET} again"}).status_code == 500
    assert "the disk is full" in caplog.text
    assert "GET agent_search.show" in caplog.text, "each request is logged"
    assert SECRET not in caplog.text
