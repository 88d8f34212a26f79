from __future__ import annotations

import re
from typing import Any

import pytest

from tests.client import Client
from tests.conftest import Desks
from webapp.core.answering.model import Answer

QUESTION = "Within how many days can I return a lamp?"


def ask(client: Client, **body: Any) -> dict[str, Any]:
    response = client.post_json("/api/v1/ask", {"question": QUESTION} | body)
    assert response.status_code == 200
    answer: dict[str, Any] = response.get_json()
    return answer


def test_an_answer_is_what_the_model_says_it_is(client: Client) -> None:
    answer = Answer.model_validate(ask(client))
    assert "45 days" in answer.answer
    assert answer.citations[0].document_id == "returns"
    assert client.get(answer.citations[0].url).status_code == 200
    assert client.get(f"/answers/{answer.id}").status_code == 200


def test_what_was_retrieved_is_for_staff(shared_desks: Desks) -> None:
    for reader in ("nobody", "customer", "member"):
        assert "retrieved" not in ask(shared_desks.client(reader))
    for reader in ("agent", "editor", "admin"):
        assert ask(shared_desks.client(reader))["retrieved"]


def test_a_collection_can_be_named(client: Client) -> None:
    answer = ask(client, question="When does the spring term begin?", collection="school")
    assert answer["collection"] == "school"
    assert "3 February" in answer["answer"]


def test_a_closed_page_answers_its_readers_alone(shared_desks: Desks) -> None:
    question = "Which discount do members of staff get on a lamp?"
    assert "30 percent" in ask(shared_desks.client("member"), question=question)["answer"]
    assert "discounts" not in str(ask(shared_desks.client("nobody"), question=question))


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({}, 400, "question: Field required"),
        ({"question": ""}, 400, "question: String should have at least 1 character"),
        ({"question": 7}, 400, "question: Input should be a valid string"),
        ({"question": "x" * 20_000}, 400, "at most 2000 characters"),
        ({"question": " \n"}, 400, "Please type a question"),
        ({"question": "😀"}, 400, "no letter or digit"),
        ({"question": QUESTION, "extra": 1}, 400, "extra: Extra inputs are not permitted"),
        ([QUESTION], 400, "Input should be an object"),
        (
            {"question": QUESTION, "collection": "nowhere"},
            404,
            "there is no collection 'nowhere'; there are: shop, school",
        ),
    ],
)
def test_what_can_not_be_asked_is_said_in_words(client: Client, body: Any, code: int, words: str) -> None:
    response = client.post_json("/api/v1/ask", body)
    assert response.status_code == code
    said = response.get_json()
    assert said.keys() == {"error", "message", "request_id"}
    assert words in said["message"]
    assert said["request_id"] == response.headers["X-Request-Id"]


def test_problems_are_said_in_the_language_of_whoever_asks(shared_desks: Desks) -> None:
    """U09: what only a programmer needs stands beside it in English."""
    said = shared_desks.client(language="bn").post_json("/api/v1/ask", {"question": "?"}).get_json()
    assert not re.search("[A-Za-z]", said["message"])
    assert "letter" in said["detail"]


@pytest.mark.parametrize("data", [b"", b"null", b"{", b"\xff\xfe", b'{"question": "\\ud800"}', b"[" * 100_000])
def test_nonsense_is_a_plain_400(client: Client, data: bytes) -> None:
    response = client.send("POST", "/api/v1/ask", data=data, content_type="application/json")
    assert response.status_code == 400
    assert response.get_json()["error"] == "bad_request"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_only_json_is_taken_so_no_form_of_another_site_can_ask(client: Client, kind: str | None) -> None:
    response = client.send("POST", "/api/v1/ask", data=b'{"question": "How?"}', content_type=kind)
    assert response.status_code == 415


def test_a_wrong_method_and_a_wrong_address_speak_json(client: Client) -> None:
    assert client.get("/api/v1/ask").status_code == 405
    assert client.get("/api/v1/ask").get_json()["error"] == "method_not_allowed"
    assert client.get("/api/v1/nothing").get_json()["error"] == "not_found"
