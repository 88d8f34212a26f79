from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.answering.fakes import ACCESSORIES, BANGLA, BIKE, GIFT_CARDS, REFUNDS, chunk
from webapp.core.answering.extraction import extract
from webapp.core.documents.model import Chunk, Sentence
from webapp.core.retrieval.model import Hit


def hit(one: Chunk, score: float, sentences: Sequence[float] = ()) -> Hit:
    return Hit(one, score, meaning=0.85, sentence_scores=tuple(sentences))


def said(question: str, *evidence: Hit, lang: str = "en", most: int = 3) -> list[str]:
    return [one.sentence.text for one in extract(question, lang, evidence, most).chosen]


FAR = hit(GIFT_CARDS, 0.0, [0.75, 0.75])


def test_the_sentence_nearest_in_meaning_answers():
    assert said("Can a helmet go back?", hit(ACCESSORIES, 9.0, [0.78, 0.9]), FAR) == [ACCESSORIES.sentences[1].text]


def test_the_kind_of_thing_asked_for_decides_between_near_ones():
    evidence = (hit(BIKE, 9.0, [0.86, 0.87]), FAR)
    assert said("How many days do I have to return it?", *evidence) == [BIKE.sentences[0].text]
    assert said("Which box do I need?", *evidence, most=1) == [BIKE.sentences[1].text]


def test_without_cosines_the_words_decide():
    assert said("Which helmets cannot be returned?", hit(ACCESSORIES, 9.0), hit(GIFT_CARDS, 0.0), most=1) == [
        ACCESSORIES.sentences[1].text
    ]


def test_a_lower_chunk_wins_only_with_a_much_better_sentence():
    slightly = (hit(BIKE, 9.0, [0.85, 0.8]), hit(REFUNDS, 5.0, [0.87]), FAR)
    clearly = (hit(BIKE, 9.0, [0.75, 0.74]), hit(REFUNDS, 8.0, [0.9]), FAR)
    assert said("When do I get my money?", *slightly) == [BIKE.sentences[0].text]
    assert said("When do I get my money?", *clearly) == [REFUNDS.sentences[0].text]


def test_a_near_duplicate_that_was_put_last_does_not_push_the_others_back() -> None:
    question = "How long do I have to return a bike?"
    evidence = [hit(REFUNDS, 1.0, (0.8,)), hit(BIKE, 0.8, (0.99, 0.7))]
    put_last = hit(replace(REFUNDS, id="copy:c0", document_id="copy"), 0.99, (0.8,))
    assert said(question, *evidence, hit(GIFT_CARDS, 0.5), put_last) == said(
        question, *evidence, put_last, hit(GIFT_CARDS, 0.5)
    )


def test_a_second_place_speaks_too_in_a_close_call():
    question = "What happens?"
    first, near, far = hit(BIKE, 9.0, [0.86, 0.7]), hit(REFUNDS, 8.9, [0.86]), hit(REFUNDS, 4.0, [0.86])
    both = extract(question, "en", (first, near, FAR), 3)
    assert [one.chunk.id for one in both.chosen] == [BIKE.id, REFUNDS.id]
    assert both.confidence == "medium"
    assert said(question, first, far, FAR) == [BIKE.sentences[0].text]
    assert said(question, first, hit(REFUNDS, 8.9, [0.8]), FAR) == [BIKE.sentences[0].text]
    assert said(question, first, hit(replace(REFUNDS, lang="de"), 8.9, [0.86]), FAR) == [BIKE.sentences[0].text]


def test_where_a_figure_is_found_no_second_one_is_given():
    other = chunk("kc-rental", 0, ["A rented bike comes back within 2 days."], heading="Rental")
    question = "How many days do I have to return a bike?"
    evidence = (hit(BIKE, 9.0, [0.88, 0.7]), hit(other, 8.9, [0.88]), FAR)
    assert said(question, *evidence) == [BIKE.sentences[0].text]
    assert len(said(question.replace("How many days do", "Do"), *evidence)) > 1


def test_a_short_yes_brings_what_follows_and_what_leans_brings_what_it_leans_on():
    faq = chunk(
        "faq", 0, ["Yes.", "Every bike needs one.", "However, children ride without."], heading="Do I need a lamp?"
    )
    assert said("Do I need a lamp?", hit(faq, 9.0, [0.9, 0.7, 0.7]), FAR)[:2] == ["Yes.", "Every bike needs one."]
    assert said("Do children ride without?", hit(faq, 9.0, [0.7, 0.7, 0.9]), FAR) == [
        "Every bike needs one.",
        "However, children ride without.",
    ]


def test_a_question_why_brings_the_sentence_after():
    recall = chunk("recall", 0, ["We recall the Roadster.", "Their stem can crack."], heading="Recall")
    assert said("Why do you recall the Roadster?", hit(recall, 9.0, [0.9, 0.7]), FAR) == [
        "We recall the Roadster.",
        "Their stem can crack.",
    ]


def test_a_line_that_leads_into_a_list_brings_its_items():
    lead, start = "Bring these to the shop:", 100
    items = [
        Sentence(text, start + 30 * n, start + 30 * n + 9, 12 + n, 12 + n, lead) for n, text in enumerate("abcd", 1)
    ]
    listed = replace(
        chunk("claim", 0, [lead], heading="Claims"), sentences=(Sentence(lead, start, start + 24, 11, 11), *items)
    )
    assert said("What do I bring to the shop?", hit(listed, 9.0, [0.9, 0.7, 0.7, 0.7, 0.7]), FAR) == [lead, *"abcd"]


def test_what_only_announces_gives_way_to_what_answers():
    intro = chunk("returns", 0, ["Learn how to return a bike."], heading="Returns")
    rules = chunk("returns", 1, ["Send the bike to our warehouse."], heading="How it goes", start=300)
    question = "How do I return a bike?"
    assert said(question, hit(intro, 9.0, [0.95]), hit(rules, 8.0, [0.84]), FAR) == ["Send the bike to our warehouse."]
    assert said(question, hit(intro, 9.0, [0.95]), FAR) == ["Learn how to return a bike."]


def test_the_way_to_do_something_is_told_in_all_its_steps():
    lead, texts = "To send it back:", ["Print the label.", "Choose one:", "A box.", "A bag.", "Call the courier."]
    leads = [lead, lead, "Choose one:", "Choose one:", lead]
    steps = [Sentence(text, 10 * n, 10 * n + 9, n, n, leads[n], 1) for n, text in enumerate(texts)]
    first = replace(chunk("back", 0, texts[:4], heading="Steps"), sentences=tuple(steps[:4]))
    rest = replace(chunk("back", 1, texts[4:], heading="Steps"), sentences=(steps[4],))
    evidence = (hit(first, 9.0, [0.9, 0.7, 0.7, 0.7]), hit(rest, 8.0, [0.7]), FAR)
    assert said("How do I send it back?", *evidence) == texts
    assert said("Is the label printed?", *evidence) == ["Print the label."]


def test_steps_right_under_their_heading_or_a_sentence_are_told_whole_as_well():
    texts = ["Send it back within a week.", "Print the label.", "Pack it.", "Call the courier."]
    steps = [Sentence(text, 10 * n, 10 * n + 9, n, n, "", int(n > 0)) for n, text in enumerate(texts)]
    back = replace(chunk("back", 0, texts, heading="Sending it back"), sentences=tuple(steps))
    question = "How do I send it back?"
    assert said(question, hit(back, 9.0, [0.7, 0.7, 0.9, 0.7]), FAR) == texts[1:]
    assert said(question, hit(back, 9.0, [0.9, 0.89, 0.6, 0.6]), FAR) == texts
    assert said(question, hit(back, 9.0, [0.9, 0.6, 0.6, 0.6]), FAR) == texts[:1]


def test_amounts_that_depend_on_the_case_are_said_together():
    cost = chunk("cost", 0, ["A bike costs 600 euros.", "A lamp costs 120 euros.", "We bring it."], heading="Delivery")
    assert said("What does delivery cost?", hit(cost, 9.0, [0.84, 0.9, 0.88]), FAR) == [
        "A bike costs 600 euros.",
        "A lamp costs 120 euros.",
    ]


def test_a_sentence_cut_by_a_border_gives_way_to_a_whole_one():
    cut = chunk("claim", 0, ["You have thirty days to bring a claim.", "You have thirty days to"], heading="Claims")
    assert said("How long is a claim open?", hit(cut, 9.0, [0.85, 0.86]), FAR) == [
        "You have thirty days to bring a claim."
    ]


def test_a_sentence_whole_in_another_chunk_is_taken_from_there():
    whole = chunk("claim", 1, ["You have thirty days to bring a claim."], heading="Claims", start=100)
    cut = chunk("claim", 0, ["Claims are easy.", "You have thirty"], heading="Claims", start=83)
    evidence = (hit(cut, 9.0, [0.7, 0.9]), hit(whole, 8.9, [0.85]), FAR)
    assert said("How long do I have for a claim?", *evidence) == ["You have thirty days to bring a claim."]


def test_a_sentence_without_its_start_gives_way():
    tail = chunk("claim", 0, ["days to bring a claim.", "You bring a claim within thirty days."], heading="Claims")
    assert said("How do I bring a claim?", hit(tail, 9.0, [0.86, 0.85]), FAR, most=1) == [tail.sentences[1].text]


def test_bangla_questions_are_read_alike():
    question = "ফেরত দিতে কত দিন সময় পাব?"
    assert said(question, hit(BANGLA, 9.0, [0.85, 0.86]), FAR, lang="bn") == [BANGLA.sentences[0].text]


def test_nothing_fits_nothing():
    assert said("Anything?") == []
    assert said("Tents?", Hit(replace(BIKE, sentences=()), 1.0)) == []
    assert said("Tents?", Hit(BIKE, 1.0)) == []


@given(
    scores=st.lists(st.floats(0.7, 0.95), min_size=9, max_size=9),
    ranks=st.lists(st.floats(0, 100), min_size=5, max_size=5),
    most=st.integers(1, 5),
    question=st.sampled_from(
        ["How many days?", "Can I return a helmet?", "Why?", "What do I bring, and when?", "কত দিন?"]
    ),
)
@settings(max_examples=100, derandomize=True)
def test_whole_sentences_of_the_evidence_few_and_in_order(scores, ranks, most, question):
    chunks = (BIKE, ACCESSORIES, REFUNDS, GIFT_CARDS, BANGLA)
    evidence = [hit(one, rank, scores[:2]) for one, rank in zip(chunks, sorted(ranks, reverse=True), strict=True)]
    chosen = extract(question, "en", evidence, most).chosen
    assert 1 <= len(chosen) <= most
    assert all(one.sentence in one.chunk.sentences for one in chosen)
    places = [(one.chunk.document_id, one.sentence.start) for one in chosen]
    assert len(set(places)) == len(places)
    for document in {id_ for id_, _ in places}:
        starts = [start for id_, start in places if id_ == document]
        assert starts == sorted(starts)


@pytest.mark.parametrize("most", [1, 2])
def test_never_more_than_asked_for(most):
    assert len(said("What about bikes?", hit(BIKE, 9.0, [0.9, 0.9]), hit(REFUNDS, 9.0, [0.9]), FAR, most=most)) <= most
