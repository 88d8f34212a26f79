from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.answering.fakes import ACCESSORIES, BIKE, chunk
from webapp.core.answering.citations import build_citations
from webapp.core.answering.conflicts import check_conflicts, claims, disagree, find_conflicts
from webapp.core.answering.model import Reason, Withheld
from webapp.core.answering.quotes import find_quotes


def page(text: str, document_id: str = "kc-faq", heading: str = "Returning a bike", **more: object):
    return chunk(document_id, 0, [text], title="Questions", heading=heading, **more)


FOURTEEN = page("You can return a new, unridden bike within 14 days of delivery for a full refund.")


def test_two_documents_with_two_limits_for_one_thing_disagree():
    (conflict,) = find_conflicts([BIKE, ACCESSORIES, FOURTEEN])
    assert (conflict.one.chunk, conflict.other.chunk, conflict.unit) == (BIKE, FOURTEEN, "day")


@pytest.mark.parametrize(
    "other",
    [
        page("You can return a new, unridden bike within thirty days of delivery for a full refund."),
        page("You can return a new, unridden bike within 14 days of delivery.", document_id="kc-returns-v3"),
        page("You can return a new, unridden helmet within 14 days of purchase for half the price."),
        page(
            "You can return a new, unridden bike within 14 days of delivery for a full refund.", heading="Rental bikes"
        ),
        page("You can return a new, unridden bike for a full refund of 900 euros."),
        page("Within 14 days."),
        page("You can return a new, unridden RD2-24 bike within 14 days of delivery for a full refund."),
        page("You can return a new, unridden bike within 14 days of delivery for a full refund.", lang="de"),
    ],
)
def test_it_raises_few_false_alarms(other):
    assert find_conflicts([BIKE, other]) == []


def test_an_answer_that_rests_on_a_contradicted_sentence_is_withheld():
    citations = build_citations([BIKE.id], {BIKE.id: BIKE})
    quotes = find_quotes(BIKE.sentences[0].text, [(1, BIKE)])
    with pytest.raises(Withheld) as caught:
        check_conflicts(quotes, citations, [BIKE, FOURTEEN])
    assert caught.value.reason is Reason.CONFLICTING_SOURCES
    assert "kc-faq:c0" in caught.value.detail


def test_an_answer_that_says_both_sides_passes_and_is_known_to():
    citations = build_citations([BIKE.id, FOURTEEN.id], {BIKE.id: BIKE, FOURTEEN.id: FOURTEEN})
    both = [*find_quotes(BIKE.sentences[0].text, [(1, BIKE)]), *find_quotes(FOURTEEN.plain, [(2, FOURTEEN)])]
    assert check_conflicts(both, citations, [BIKE, FOURTEEN])
    assert not check_conflicts(both[:1], citations, [BIKE])


def test_a_contradiction_elsewhere_in_the_chunk_is_none_of_the_answer():
    citations = build_citations([BIKE.id], {BIKE.id: BIKE})
    check_conflicts(find_quotes(BIKE.sentences[1].text, [(1, BIKE)]), citations, [BIKE, FOURTEEN])


def test_one_pair_is_found_among_many_claims():
    draw = Random(1)
    words = [f"word{n}" for n in range(400)]
    pages = [page(f"{' '.join(draw.sample(words, 8))} costs {n} euros.", f"doc{n}") for n in range(200)]
    (found,) = find_conflicts([*pages[:100], BIKE, *pages[100:], FOURTEEN])
    assert (found.one.chunk, found.other.chunk) == (BIKE, FOURTEEN)


@settings(max_examples=50, derandomize=True)
@given(st.lists(st.tuples(st.frozensets(st.sampled_from("abcdefghij"), min_size=3), st.integers(1, 3)), max_size=12))
def test_no_pair_is_overlooked(drawn):
    pages = [page(f"{' '.join(f'w{word}' for word in sorted(words))} {days} days", f"doc{n}")
             for n, (words, days) in enumerate(drawn)]  # fmt: skip
    pairs = combinations([claim for one in pages for claim in claims(one)], 2)
    expected = {(one.place, other.place) for one, other in pairs if disagree(one, other)}
    assert {(found.one.place, found.other.place) for found in find_conflicts(pages)} == expected


def test_overlapping_chunks_hold_one_conflict():
    assert len(find_conflicts([BIKE, BIKE, FOURTEEN, FOURTEEN])) == 1
