"""Questions that lean on another: alone they ask for what is missing, in a thread the earlier one is carried."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.core.answering.fakes import (
    ACCESSORIES,
    BANGLA,
    BIKE,
    GIFT_CARDS,
    FakeModel,
    FakeRetriever,
    chunk,
    parts,
    says,
)
from webapp.core.answering.ask import answer
from webapp.core.answering.model import Answer, Followed, Reason
from webapp.core.answering.parts import Parts, Wishes
from webapp.core.answering.question import in_context, standing
from webapp.core.retrieval.model import Outcome, Reader

BIKES = Followed(answer_id="first", question="How long do I have to return a bike?")
LEANING = "And for accessories?"


def ask(question: str, made_of: Parts, follows: Followed | None = BIKES, **wishes: Any) -> Answer:
    return answer(question, Reader(), made_of, Wishes(follows=follows, **wishes))[0]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_alone_it_asks_for_what_is_missing_whatever_was_found(outcome: Outcome) -> None:
    made = ask(LEANING, parts(BIKE, ACCESSORIES, outcome=outcome), follows=None)
    assert (made.abstained, made.reason, made.leans) == (True, Reason.WEAK_EVIDENCE, True)


def test_after_the_earlier_question_it_is_answered_and_says_what_it_follows() -> None:
    made_of = parts(BIKE, ACCESSORIES)
    made = ask(LEANING, made_of)
    assert "within 14 days" in made.answer
    assert (made.question, made.follows, made.leans) == (LEANING, BIKES, False)
    assert isinstance(made_of.retriever, FakeRetriever)
    assert made_of.retriever.asked[0].text == f"{BIKES.question} {LEANING}"


def test_models_are_asked_the_whole() -> None:
    model = FakeModel(says(("Accessories can be returned within 14 days if unopened.", [ACCESSORIES.id])))
    assert not ask(LEANING, parts(BIKE, ACCESSORIES, model=model)).abstained
    assert model.requests[0].question == in_context(LEANING, BIKES)
    assert [hit.chunk.id for hit in model.requests[0].evidence] == [ACCESSORIES.id]


@pytest.mark.parametrize(
    ("question", "follows"),
    [
        ("And for helicopters?", BIKES),  # nothing found deals with what is added
        ("And for accessories?", Followed(answer_id="x", question="When do gift cards expire?")),  # nor with both
    ],
)
def test_what_is_true_of_one_half_alone_is_no_answer(question: str, follows: Followed) -> None:
    made = ask(question, parts(BIKE, ACCESSORIES, GIFT_CARDS), follows)
    assert (made.abstained, made.reason, made.leans) == (True, Reason.WEAK_EVIDENCE, False)


def test_a_reply_about_the_earlier_question_alone_is_withheld() -> None:
    reply = says(("Accessories can be returned within 14 days if unopened.", [ACCESSORIES.id]))
    made = ask("And for helmets?", parts(ACCESSORIES, model=FakeModel(reply)))
    assert made.reason is Reason.WEAK_EVIDENCE


def test_words_are_not_looked_for_in_pages_of_another_language() -> None:
    assert not ask(LEANING, parts(BANGLA)).abstained


def test_the_next_question_leans_on_the_nearest_that_stands_on_its_own() -> None:
    made = ask(LEANING, parts(BIKE, ACCESSORIES), answer_id="second")
    assert standing(made) == BIKES
    whole = ask("Can gift cards be refunded?", parts(GIFT_CARDS), None, answer_id="third")
    assert standing(whole) == Followed(answer_id="third", question=whole.question)


@pytest.mark.parametrize(
    ("read", "lang", "text"),
    [
        ("কত দিনের মধ্যে সাইকেল ফেরত দেওয়া যায়", "bn", "কত দিনের মধ্যে সাইকেল ফেরত দেওয়া যায়"),
        ("", "en", "koto din"),
        (None, "en", "koto din"),
    ],
)
def test_a_question_in_other_letters_goes_on_as_it_was_read(read: str | None, lang: str, text: str) -> None:
    made_of = replace(parts(BANGLA, BIKE), read_as=lambda query: read)
    made = ask("koto din", made_of, follows=None)
    assert isinstance(made_of.retriever, FakeRetriever)
    assert (made_of.retriever.asked[0].text, made_of.retriever.asked[0].lang) == (text, lang)
    assert (made.question, made.read_as, made.lang) == ("koto din", read, lang)


def test_half_of_what_was_added_is_not_enough() -> None:
    fast = Followed(answer_id="x", question="How fast is a pothole repaired?")
    road = chunk("potholes", 0, ["A pothole on a residential street is repaired within 5 business days."])
    assert ask("And on a main street?", parts(road), fast).reason is Reason.WEAK_EVIDENCE
    assert "5 business days" in ask("And on a residential street?", parts(road), fast).answer
