from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.answering.fakes import ACCESSORIES, BIKE, REFUNDS, chunk
from webapp.core.answering.quotes import find_quotes
from webapp.core.documents.model import Chunk, Sentence

FILE = "You can return a new, unridden bike within 30 days of delivery for a full refund. Keep the box."


def cut(n: int, start: int, end: int) -> Chunk:
    """Return the chunk of those characters of FILE, with its sentences as they are cut by its borders."""
    whole = chunk("doc", n, [FILE[start:end]])
    border = FILE.index("Keep")
    pieces = [(start, min(end, border - 1)), (max(start, border), end)]
    sentences = tuple(Sentence(FILE[a:b].strip(), a + (FILE[a] == " "), b, 3, 3) for a, b in pieces if a < b)
    return replace(whole, start=start, end=end, sentences=sentences)


def test_the_fourth_sentence_is_quoted_when_it_is_the_one():
    four = chunk("doc", 0, ["One bike came.", "Two cars left.", "Nobody knew why.", "Refunds take five days."])
    (quote,) = find_quotes("Refunds take five days.", [(1, four)])
    assert (quote.text, quote.first_line) == ("Refunds take five days.", 14)
    assert four.plain[quote.start - four.start : quote.end - four.start] == quote.text


def test_a_paraphrase_marks_the_sentence_that_bears_it_out():
    (quote,) = find_quotes("Helmets that were opened cannot go back, for safety.", [(1, ACCESSORIES)])
    assert quote.text == ACCESSORIES.sentences[1].text


def test_a_paraphrase_that_no_sentence_fits_marks_nothing():
    assert find_quotes("Money comes quickly.", [(1, ACCESSORIES)]) == ()


def test_every_sentence_of_a_longer_statement_is_marked():
    quotes = find_quotes(f"{BIKE.plain}", [(1, BIKE)])
    assert [quote.text for quote in quotes] == [one.text for one in BIKE.sentences]


def test_each_source_of_a_statement_gives_its_quote():
    statement = (
        "You can return a bike within 30 days and get the refund within 5 business days after the parcel reached us."
    )
    quotes = find_quotes(statement, [(2, REFUNDS), (1, BIKE)])
    assert [(quote.marker, quote.text) for quote in quotes] == [
        (1, BIKE.sentences[0].text),
        (2, REFUNDS.sentences[0].text),
    ]


def test_case_joiners_blanks_and_end_marks_do_not_hide_an_exact_match():
    (quote,) = find_quotes("opened  helmets cannot be RETURNED, for safety", [(1, ACCESSORIES)])
    assert quote.text == "Opened helmets cannot be returned, for safety."


def test_a_sentence_cut_across_two_chunks_is_marked_in_both_parts():
    """O06: adjacent parts, no gap but the blank between words, no double marking of the overlap."""
    first, second = cut(0, 0, 50), cut(1, 36, len(FILE))
    quotes = find_quotes(FILE[: FILE.index(" Keep")], [(1, first), (2, second)])
    assert [quote.text for quote in quotes] == [FILE[:50].strip(), FILE[50 : FILE.index(" Keep")].strip()]
    assert quotes[0].end == quotes[1].start
    assert [quote.marker for quote in quotes] == [1, 2]


def test_the_same_sentence_in_two_overlapping_chunks_is_marked_once():
    quotes = find_quotes("Keep the box.", [(1, cut(0, 40, len(FILE))), (2, cut(1, 60, len(FILE)))])
    assert [(quote.marker, quote.text) for quote in quotes] == [(1, "Keep the box.")]


def test_a_word_or_two_stand_in_a_statement_by_chance():
    heading = chunk("doc", 0, ["A bike.", "A new bike goes back within thirty days."])
    quotes = find_quotes("A bike. A new bike goes back within thirty days, mostly.", [(1, heading)])
    assert [quote.text for quote in quotes] == ["A new bike goes back within thirty days."]


@given(borders=st.lists(st.integers(0, len(FILE)), min_size=2, max_size=6), said=st.integers(10, len(FILE)))
@settings(max_examples=100, derandomize=True)
def test_quotes_never_overlap_and_lie_in_what_is_cited(borders, said):
    ends = sorted(set(borders))
    chunks = [(n + 1, cut(n, max(0, a - 12), b)) for n, (a, b) in enumerate(itertools.pairwise(ends)) if b > a]
    quotes = sorted(find_quotes(FILE[:said], chunks), key=lambda quote: quote.start)
    assert all(one.end <= two.start for one, two in itertools.pairwise(quotes))
    by_marker = dict(chunks)
    for quote in quotes:
        cited = by_marker[quote.marker]
        assert cited.start <= quote.start < quote.end <= cited.end
        assert FILE[quote.start : quote.end].strip() == quote.text
