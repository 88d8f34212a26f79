from __future__ import annotations

import pytest

from tests.client import Client
from tests.conftest import Desks


def test_alive(client: Client) -> None:
    assert client.get("/healthz").get_json() == {"status": "ok"}


def test_ready(client: Client) -> None:
    assert client.get("/readyz").get_json() == {"status": "ready", "problems": {}}


def test_not_ready_without_an_index_and_with_one_that_is_too_old(desks: Desks) -> None:
    client = desks.client()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.get_json()["problems"] == {"index shop": "no index", "index school": "no index"}
    for card in desks.services.collections():
        desks.services.desk(card.name).ensure_index()
    assert client.get("/readyz").status_code == 200
    (desks.shop / "more.md").write_text("# More\n\nText.\n", encoding="utf-8")
    assert client.get("/readyz").get_json()["problems"] == {"index shop": "older than the files"}


def test_not_ready_without_a_database(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("gone")

    monkeypatch.setattr(desks.services.store, "ping", fail)
    assert desks.client().get("/readyz").get_json()["problems"]["database"] == "doesn't answer"


def test_figures(desks: Desks) -> None:
    client = desks.client()
    client.post_json("/api/v1/ask", {"question": "Within how many days can I return a lamp?"})
    client.post_json("/api/v1/ask", {"question": "Who won the cricket tournament?"})
    response = client.get("/metrics")
    assert response.mimetype == "text/plain"
    assert 'evidencedesk_questions_total{collection="shop",outcome="answered",reason="ok"} 1.0' in response.text
    assert 'evidencedesk_stage_seconds_count{stage="retrieve"} 2.0' in response.text
    assert 'evidencedesk_index_age_seconds{collection="shop"}' in response.text


def test_figures_say_nothing_of_what_was_asked(desks: Desks) -> None:
    desks.client().post_json("/api/v1/ask", {"question": "Is Ada ill?"})
    assert "Ada" not in desks.client().get("/metrics").text


def test_the_queue_and_the_state_of_indexes_are_counted(desks: Desks) -> None:
    desks.services.desk().ensure_index()
    desks.services.jobs.ask("shop", "index")
    text = desks.client().get("/metrics").text
    assert 'evidencedesk_jobs{collection="shop",state="waiting"} 1.0' in text
    assert 'evidencedesk_jobs{collection="shop",state="running"} 0.0' in text
    assert 'evidencedesk_index_trouble{collection="shop"} 0.0' in text
    assert 'evidencedesk_index_trouble{collection="school"} 1.0' in text
