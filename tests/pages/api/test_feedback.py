"""Voting for programs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Desks
from webapp.core.retrieval.model import Reader
from webapp.pages.api.openapi import document

QUESTION = "Within how many days can I return a lamp?"


def ask(desks: Desks) -> str:
    return desks.services.desk().ask(QUESTION, Reader()).id


def test_a_program_votes_for_each_of_its_readers(desks: Desks) -> None:
    answer = ask(desks)
    client, address = desks.client(), f"/api/v1/answers/{answer}/feedback"
    down = {"vote": "down", "reason": "incomplete", "words": "And bulbs?", "reader": "customer 17"}
    response = client.post_json(address, down)
    assert response.status_code == 200
    assert response.json == {"vote": "down", "reason": "incomplete", "words": "And bulbs?"}
    client.post_json(address, {"vote": "up", "reader": "customer 17"})
    client.post_json(address, {"vote": "up", "reader": "customer 18"})
    assert [vote.good for vote in desks.services.store.feedback.all(answer)] == [True, True]
    taken_back = client.post_json(address, {"vote": None, "reader": "customer 17"})
    assert taken_back.json == {"vote": None, "reason": None, "words": None}
    assert len(desks.services.store.feedback.all(answer)) == 1


def test_an_account_needs_no_name(desks: Desks, shared_desks: Desks) -> None:
    answer = shared_desks.services.desk().ask(QUESTION, Reader()).id
    client = shared_desks.client("agent")
    for _ in range(2):
        assert client.post_json(f"/api/v1/answers/{answer}/feedback", {"vote": "up"}).status_code == 200
    assert len(shared_desks.services.store.feedback.all(answer)) == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"vote": "sideways", "reader": "a"},
        {"vote": "down", "reason": "boring", "reader": "a"},
        {"vote": "up", "words": "x" * 1001, "reader": "a"},
        {"vote": "up", "reader": ""},
        {"vote": "up", "reader": "a", "more": 1},
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_reason(desks: Desks, body: dict[str, Any]) -> None:
    response = desks.client().post_json(f"/api/v1/answers/{ask(desks)}/feedback", body)
    assert response.status_code == 400
    assert response.json
    assert response.json["message"]


def test_a_vote_of_nobody_is_refused(desks: Desks) -> None:
    response = desks.client().post_json(f"/api/v1/answers/{ask(desks)}/feedback", {"vote": "up"})
    assert response.status_code == 401
    assert "say who votes" in (response.json or {})["message"]


def test_nothing_but_json_is_taken(desks: Desks) -> None:
    response = desks.client().send("POST", f"/api/v1/answers/{ask(desks)}/feedback", data={"vote": "up"})
    assert response.status_code == 415


def test_a_closed_answer_is_refused_like_an_unknown_one_and_an_erased_one_said_to_be_gone(desks: Desks) -> None:
    """P02."""
    secret = desks.services.desk().ask("What discount do members of staff get?", Reader(groups=frozenset({"staff"})))
    assert secret.citations
    client, vote = desks.client(), {"vote": "up", "reader": "a"}
    replies = [client.post_json(f"/api/v1/answers/{id_}/feedback", vote) for id_ in (secret.id, "made-up")]
    assert [reply.status_code for reply in replies] == [404, 404]
    bodies = [{name: value for name, value in (reply.json or {}).items() if name != "request_id"} for reply in replies]
    assert bodies[0] == bodies[1]
    answer = ask(desks)
    desks.services.history.erase(answer)
    assert client.post_json(f"/api/v1/answers/{answer}/feedback", vote).status_code == 410


def test_the_description_has_it() -> None:
    described = document()
    assert "/api/v1/answers/{answer_id}/feedback" in described["paths"]
    assert {"Ballot", "KeptVote"} <= described["components"]["schemas"].keys()
