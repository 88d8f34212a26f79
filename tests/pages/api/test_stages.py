"""Hearing how far a question is."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.client import Client
from tests.conftest import Desks
from webapp.core.answering.model import Answer
from webapp.pages.api.stages import told

QUESTION = "Within how many days can I return a lamp?"


def events(text: str) -> list[tuple[str, Any]]:
    lines = [block.split("\n") for block in text.removesuffix("\n\n").split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in lines]


def heard(client: Client, **body: Any) -> list[tuple[str, Any]]:
    response = client.post_json("/api/v1/ask/stages", {"question": QUESTION} | body)
    assert response.status_code == 200
    assert response.mimetype == "text/event-stream"
    return events(response.text)


def test_each_stage_is_told_and_then_the_checked_answer(client: Client) -> None:
    stages = heard(client)
    assert [name for name, _ in stages] == ["retrieving", "checking", "done"]
    assert stages[0][1] == {"pages": 3}
    assert stages[1][1] == {}, "no word before all is checked"
    answer = Answer.model_validate(stages[2][1]["answer"])
    assert stages[2][1]["url"] == f"/answers/{answer.id}"
    assert "retrieved" not in stages[2][1]["answer"]
    assert client.get(stages[2][1]["url"]).status_code == 200


def test_the_answer_is_among_the_browsers_own_questions(desks: Desks) -> None:
    client = desks.client()
    heard(client)
    assert QUESTION in client.get("/asked").text


def test_without_evidence_nothing_is_checked(client: Client) -> None:
    stages = heard(client, question="Who won the cricket tournament in Zanzibar?")
    assert [name for name, _ in stages] == ["retrieving", "done"]
    assert stages[-1][1]["answer"]["abstained"]


def test_a_closed_page_is_neither_counted_nor_cited(shared_desks: Desks) -> None:
    question = "Which discount do members of staff get on a lamp?"
    assert "discounts" not in str(heard(shared_desks.client("nobody"), question=question))
    assert heard(shared_desks.client("member"), question=question)[0][1] == {"pages": 4}


def test_the_same_word_gives_the_same_answer_once(desks: Desks) -> None:
    """U07."""
    client = desks.client()
    first, second = heard(client, once="a")[-1][1], heard(client, once="a")[-1][1]
    assert first["url"] == second["url"]
    assert heard(client, once="b")[-1][1]["url"] != first["url"]


@pytest.mark.parametrize(
    ("body", "words"), [({"lang": "fr"}, "no document is in the language"), ({"filters": {"a": "b"}}, "no filter 'a'")]
)
def test_what_can_not_be_asked_fails_with_the_reason(client: Client, body: dict[str, Any], words: str) -> None:
    name, data = heard(client, **body)[-1]
    assert name == "failed"
    assert words in data["message"]


@pytest.mark.parametrize(
    ("body", "code"),
    [({"collection": "nowhere"}, 404), ({"follows": "made-up"}, 404), ({"more": 1}, 400), ({"question": "!?"}, 400)],
)
def test_what_is_known_at_once_is_refused_at_once(client: Client, body: dict[str, Any], code: int) -> None:
    assert client.post_json("/api/v1/ask/stages", {"question": QUESTION} | body).status_code == code


def test_no_stage_lasts_for_ever() -> None:
    over = threading.Event()

    def work(tell: Callable[[str], None]) -> dict[str, Any]:
        tell("retrieving")
        over.wait(60)
        return {}

    assert [name for name, _ in told(work, 0.05)] == ["retrieving", "failed"]
    over.set()


def test_a_mistake_of_ours_is_owned_and_tells_no_secret() -> None:
    def work(tell: Callable[[str], None]) -> dict[str, Any]:
        raise RuntimeError("the password is open sesame")

    ((name, data),) = told(work, 5)
    assert name == "failed"
    assert "sesame" not in data["message"]
