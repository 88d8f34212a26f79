from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.core.answering.fakes import (
    ACCESSORIES,
    BANGLA,
    BIKE,
    FALLBACK,
    GIFT_CARDS,
    REFUNDS,
    FakeModel,
    FakeRetriever,
    ask,
    chunk,
    parts,
    says,
)
from webapp.core.answering.ask import answer
from webapp.core.answering.citations import citation_text
from webapp.core.answering.model import Caution, ModelReply, ModelUnavailable, Reason
from webapp.core.answering.models.recorded import Recorded, RecordingMissing
from webapp.core.answering.parts import Wishes
from webapp.core.answering.prompt import Budget, prompt_hash
from webapp.core.answering.question import InvalidQuestion
from webapp.core.retrieval.model import Outcome, Reader

QUESTION = "How long do I have to return a bike?"


def test_the_default_model_answers_with_a_sentence_and_its_source():
    answered, trace = ask(QUESTION, parts(BIKE, ACCESSORIES))
    assert (answered.abstained, answered.reason, answered.caution) == (False, Reason.OK, None)
    assert citation_text(answered.citations[0]) == "Returns policy (Returning a bike, lines 11-12) [kc-returns-v3:c0]"
    assert "within 30 days of delivery" in answered.answer
    assert answered.statements[0].quotes[0].text in BIKE.plain
    assert trace.prompt
    assert trace.prompt_hash == prompt_hash(trace.prompt)
    assert set(trace.milliseconds) == {
        "read", "retrieve", "sufficiency", "prompt", "model", "reply", "citations", "support"
    }  # fmt: skip


def test_id_and_time_are_made_when_not_given():
    first, _ = answer(QUESTION, Reader(), parts(BIKE))
    second, _ = answer(QUESTION, Reader(), parts(BIKE))
    assert first.id != second.id
    assert len(first.id) >= 22
    assert first.created_at.tzinfo is UTC
    assert ask(QUESTION, parts(BIKE))[0].created_at == datetime(2026, 11, 29, tzinfo=UTC)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [(Outcome.NO_EVIDENCE, Reason.NO_EVIDENCE), (Outcome.WEAK_EVIDENCE, Reason.WEAK_EVIDENCE)],
)
def test_without_enough_evidence_the_model_is_not_called(outcome, reason):
    model = FakeModel(says(("x", ["kc-giftcards-v1:c1"])))
    answered, trace = ask("Can I pay in instalments?", parts(GIFT_CARDS, BIKE, model=model, outcome=outcome))
    assert model.requests == []
    assert (answered.abstained, answered.reason, answered.answer) == (True, reason, FALLBACK)
    assert (answered.statements, answered.citations, answered.confidence) == ((), (), None)
    assert [page.title for page in answered.nearest] == ["Gift cards", "Returns policy"]
    assert (trace.prompt, trace.prompt_hash, trace.raw_reply) == (None, "", "")


def test_three_questions_one_without_evidence_are_two_model_calls():
    model = FakeModel(says((BIKE.sentences[0].text, [BIKE.id])))
    for outcome in (Outcome.ANSWER, Outcome.NO_EVIDENCE, Outcome.CAUTION):
        ask(QUESTION, parts(BIKE, model=model, outcome=outcome))
    assert len(model.requests) == 2


def test_nothing_retrieved_is_no_evidence_whatever_the_judge_says():
    assert ask(QUESTION, parts(outcome=Outcome.ANSWER))[0].reason is Reason.NO_EVIDENCE


REJECTED = [
    (ModelReply("", truncated=True), Reason.TRUNCATED, "cut short (empty)"),
    (ModelReply("I think 30 days."), Reason.INVALID_JSON, "not one JSON object"),
    (ModelReply('{"reply": "30 days"}'), Reason.INVALID_SCHEMA, "status"),
    (says(status="abstained"), Reason.MODEL_ABSTAINED, "no answer"),
    (ModelReply("I can't help with that", refused=True), Reason.MODEL_ABSTAINED, "refused"),
    (says(("You have 30 days.", ["kc-returns-v3:c9"])), Reason.UNKNOWN_CITATION, "kc-returns-v3:c9"),
    (says(("You have 30 days.", [])), Reason.UNCITED_STATEMENT, "citation"),
    (says(("You can return a bike within 60 days.", [BIKE.id])), Reason.UNSUPPORTED_NUMBER, "60 day"),
    (says(("Bikes may be rented by the hour.", [BIKE.id])), Reason.UNSUPPORTED_STATEMENT, "%"),
    (ModelUnavailable("the model server is down"), Reason.MODEL_UNAVAILABLE, "down"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "reason", "detail"), REJECTED)
def test_what_fails_a_check_is_withheld_with_its_reason(said, reason, detail):
    answered, trace = ask(QUESTION, parts(BIKE, ACCESSORIES, model=FakeModel(said)))
    assert (answered.abstained, answered.reason, answered.answer) == (True, reason, FALLBACK)
    assert (answered.statements, answered.citations) == ((), ())
    assert detail in trace.detail


def test_one_unknown_id_rejects_the_whole_answer():
    said = says((BIKE.sentences[0].text, [BIKE.id]), ("Helmets too.", [BIKE.id, "made-up:c0"]))
    assert ask(QUESTION, parts(BIKE, model=FakeModel(said)))[0].reason is Reason.UNKNOWN_CITATION


def test_a_chunk_retrieved_but_not_sent_cannot_be_cited():
    said = says((REFUNDS.sentences[0].text, [REFUNDS.id]))
    small = Budget(least=1, most=1)
    answered, _ = ask(QUESTION, parts(BIKE, REFUNDS, model=FakeModel(said), budget=small))
    assert answered.reason is Reason.UNKNOWN_CITATION
    assert [one.sent for one in answered.retrieved] == [True, False]


OTHER_LIMIT = chunk(
    "kc-faq", 0, ["You can return a new, unridden bike within 14 days of delivery for a full refund."],
    title="Questions", heading="Returning a bike",
)  # fmt: skip


def test_where_documents_disagree_both_are_said_with_a_caution():
    answered, _ = ask(QUESTION, parts(BIKE, OTHER_LIMIT))
    assert (answered.reason, answered.caution, answered.confidence) == (Reason.OK, Caution.DISAGREEING, "low")
    assert [one.text for one in answered.statements] == [BIKE.sentences[0].text, OTHER_LIMIT.sentences[0].text]
    assert [one.document_id for one in answered.citations] == ["kc-returns-v3", "kc-faq"]


def test_a_model_that_says_one_side_alone_is_withheld():
    said = says((BIKE.sentences[0].text, [BIKE.id]))
    answered, trace = ask(QUESTION, parts(BIKE, OTHER_LIMIT, model=FakeModel(said)))
    assert answered.reason is Reason.CONFLICTING_SOURCES
    assert "kc-faq:c0" in trace.detail
    assert {page.document_id for page in answered.nearest} == {"kc-returns-v3", "kc-faq"}


def test_middling_evidence_is_answered_with_a_caution():
    assert ask(QUESTION, parts(BIKE, outcome=Outcome.CAUTION))[0].caution is Caution.UNCERTAIN


def test_a_source_in_another_language_is_said_to_be():
    bangla = "সাইকেল ফেরত দিতে কত দিন সময় পাব?"
    assert ask(bangla, parts(BIKE))[0].caution is Caution.OTHER_LANGUAGE
    answered, _ = ask(bangla, parts(BANGLA))
    assert (answered.lang, answered.caution) == ("bn", None)
    assert "৩০ দিনের মধ্যে" in answered.answer


def test_the_readers_language_decides_where_the_question_tells_none():
    made_of = parts(BIKE)
    assert answer("2024-03-14?", Reader(), made_of, Wishes(lang="bn"))[0].lang == "bn"
    assert answer("RD2-24", Reader(), made_of, Wishes(lang="bn"))[0].lang == "en"


def test_wishes_reach_retrieval():
    retriever = FakeRetriever((BIKE,))
    made_of = parts(BIKE)
    made_of = type(made_of)(retriever, made_of.judge, made_of.model, made_of.config)
    reader = Reader(groups=frozenset({"staff"}))
    answer(QUESTION, reader, made_of, Wishes(only_lang="en", attributes={"product": "bike"}))
    query = retriever.asked[0]
    assert (query.reader, query.only_lang, query.attributes) == (reader, "en", {"product": "bike"})


def test_a_question_that_cannot_be_asked_is_an_error():
    with pytest.raises(InvalidQuestion):
        ask("  ", parts(BIKE))


def test_a_missing_recording_is_an_error_not_an_answer(tmp_path):
    with pytest.raises(RecordingMissing, match="record it as"):
        ask(QUESTION, parts(BIKE, model=Recorded(tmp_path)))
