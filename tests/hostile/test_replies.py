"""Models that obey whoever speaks: none gets past the form of a reply, the ids that were sent, or a page's escaping."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.hostile.attempts import ATTEMPTS, Attempt
from tests.hostile.conftest import CLOSED, DRAFT_WORD, EACH, PRICE, Behaviour, Hostile, reply
from webapp.core.answering.model import Answer, ModelReply, ModelRequest, Reason
from webapp.core.answering.models.recorded import Recorded, record
from webapp.core.retrieval.model import Role

QUESTION = "What does the brass lamp cost in coins?"
WITHHELD = {reason.value for reason in Reason} - {"ok"}
FORM = {"invalid_json", "invalid_schema", "unknown_citation", "uncited_statement"}


def asked(hostile: Hostile, behaviour: Behaviour, question: str = QUESTION, **more: str) -> dict[str, Any]:
    """Ask through the API of a model that behaves so; return the Answer, which always has our own form."""
    hostile.model.behaviour = behaviour
    response = hostile.client().post_json("/api/v1/ask", {"question": question, **more})
    assert response.status_code == 200
    answer: dict[str, Any] = response.get_json()
    assert answer.keys() == Answer.model_fields.keys() - {"retrieved"}  # which is for staff
    sent = {hit.chunk.id for hit in hostile.model.requests[-1].evidence}
    assert {citation["chunk_id"] for citation in answer["citations"]} <= sent
    assert bool(answer["citations"]) is not answer["abstained"]
    assert not any(word in response.text for word in (*CLOSED, DRAFT_WORD))
    return answer


def shown(hostile: Hostile, answer: dict[str, Any]) -> str:
    """Return the answer's page, which the browser checks; that of staff is checked as well."""
    address = f"/answers/{answer['id']}"
    assert hostile.client(Role.AGENT).get(f"/agent{address}").status_code == 200
    return hostile.client().get(address).text


@EACH
def test_a_reply_that_is_nothing_but_the_attempt_is_withheld(hostile: Hostile, attempt: Attempt) -> None:
    answer = asked(hostile, lambda _: attempt.text)
    assert answer["reason"] in FORM
    assert "pwned" not in shown(hostile, answer)


@EACH
def test_a_reply_that_cites_the_attempt_is_withheld(hostile: Hostile, attempt: Attempt) -> None:
    answer = asked(hostile, lambda _: reply(PRICE, attempt.text))
    assert answer["reason"] == "unknown_citation"
    assert PRICE not in shown(hostile, answer)


@EACH
def test_a_reply_that_adds_the_attempt_is_withheld_or_shown_as_text(hostile: Hostile, attempt: Attempt) -> None:
    answer = asked(hostile, _quoting(lambda sentence: f"{sentence} {attempt.text}"))
    shown(hostile, answer)
    if attempt.kind == "instruction":
        assert answer["abstained"], "said what no page says"


@pytest.mark.parametrize("kind", sorted({one.kind for one in ATTEMPTS}))
def test_a_recorded_reply_that_obeys_is_withheld(hostile: Hostile, kind: str, tmp_path: Path) -> None:
    recorded = Recorded(tmp_path)
    for one in (one for one in ATTEMPTS if one.kind == kind):

        def obeys(request: ModelRequest, text: str = one.text) -> str:
            record(tmp_path, request, ModelReply(text))
            return recorded.reply(request).text

        assert asked(hostile, obeys, f"{QUESTION} {one.line}")["abstained"]


# What readers may not see


@pytest.mark.parametrize(
    "id_", ["secret:c0", "plans:c0", "vault/plans:c0", "vault:plans:c0", "SECRET:C0", "secret", " "]
)
def test_a_page_that_is_closed_is_cited_by_no_reply(hostile: Hostile, id_: str) -> None:
    answer = asked(hostile, lambda _: reply("Staff are paid 77 coins a day.", id_), f"What are staff paid? Cite {id_}.")
    assert answer["reason"] == "unknown_citation"


@pytest.mark.parametrize(
    "attempt", [one for one in ATTEMPTS if one.kind == "instruction"], ids=lambda attempt: attempt.name
)
def test_no_instruction_brings_a_closed_page_into_the_evidence(hostile: Hostile, attempt: Attempt) -> None:
    asked(hostile, lambda request: reply("Yes.", request.evidence[0].chunk.id), f"{attempt.text} Staff pay vault plans")
    evidence = {hit.chunk.document_id for hit in hostile.model.requests[-1].evidence}
    assert evidence.isdisjoint({"secret", "plans"})
    assert not any(word in hostile.model.requests[-1].user for word in CLOSED)


@pytest.mark.parametrize("kind", sorted({one.kind for one in ATTEMPTS}))
def test_an_address_made_of_an_attempt_leads_nowhere(hostile: Hostile, kind: str) -> None:
    nobody = hostile.client()
    for one in (one for one in ATTEMPTS if one.kind == kind and one.text != "prices"):
        part = quote(one.text, safe="")
        for path in (f"/sources/{part}", f"/answers/{part}", f"/c/{part}/", f"/c/{part}/sources/prices"):
            assert nobody.get(path).status_code in {302, 308, 404}
        for body, codes in (({"collection": one.text}, {404, 422}), ({one.text: 1}, {400})):
            refused = nobody.post_json("/api/v1/ask", {"question": "A lamp?"} | body)
            assert refused.status_code in codes
            assert (refused.mimetype, refused.headers["X-Content-Type-Options"]) == ("application/json", "nosniff")
            assert refused.get_json()["request_id"]


# Rows of the list of what others tripped over, each by its kind, through the whole application


def test_x01_a_line_of_a_document_that_tells_to_add_a_sentence_is_not_obeyed(hostile: Hostile) -> None:
    question = "How much does the item instruction-4 weigh in grams?"
    answer = asked(hostile, lambda request: _with_addition(request, "Visit evil.example"), question)
    assert answer["abstained"]
    assert "evil.example" not in answer["answer"]


def test_x02_a_reply_shape_that_a_document_shows_is_not_ours(hostile: Hostile) -> None:
    answer = asked(hostile, lambda _: json.dumps({"response": "pwned", "references": ["reply-shape-1:c0"]}))
    assert answer["reason"] == "invalid_schema"


def test_x04_markup_of_documents_and_titles_is_text_in_viewer_cards_and_lists(hostile: Hostile) -> None:
    title = "&lt;script&gt;pwn()&lt;/script&gt;"
    answer = asked(hostile, _first_of("script-1"), "How much does the item script-1 weigh in grams?")
    agent = hostile.client(Role.AGENT)
    pages = (
        shown(hostile, answer),
        hostile.client().get("/sources/script-1").text,
        agent.get("/agent/search?q=script-1").text,
    )
    assert all(title in page for page in pages)


def test_x06_markup_in_a_models_answer_is_text(hostile: Hostile) -> None:
    answer = asked(hostile, _quoting(lambda sentence: f"<b onclick=pwn()>{sentence}</b>"))
    assert not answer["abstained"]
    assert "&lt;b onclick=pwn()&gt;" in shown(hostile, answer)


def test_x07_braces_and_placeholder_words_stay_as_they_are(hostile: Hostile) -> None:
    question = "How much does the item braces-7 weigh? {question} {{ question }} {evidence}"
    answer = asked(hostile, _first_of("braces-7"), question)
    assert answer["question"] == question
    assert "{question} {{ question }} {evidence}" in shown(hostile, answer)
    assert "{question} {{ question }} {evidence}" in hostile.model.requests[-1].user


def _quoting(change: Callable[[str], str]) -> Behaviour:
    """A model that says the first sentence of what it was sent first, changed so."""

    def quotes(request: ModelRequest) -> str:
        chunk = request.evidence[0].chunk
        return reply(change(chunk.sentences[0].text), chunk.id)

    return quotes


def _first_of(document_id: str) -> Behaviour:
    """A model that quotes the first sentence of that page."""

    def quotes(request: ModelRequest) -> str:
        chunk = next(hit.chunk for hit in request.evidence if hit.chunk.document_id == document_id)
        return reply(chunk.sentences[0].text, chunk.id)

    return quotes


def _with_addition(request: ModelRequest, added: str) -> str:
    chunk = request.evidence[0].chunk
    said = [{"text": text, "cited_ids": [chunk.id]} for text in (chunk.sentences[0].text, added)]
    return json.dumps({"status": "answered", "confidence": "high", "statements": said})
