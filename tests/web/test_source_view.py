"""Lines of the source page: exact, marked once, and never in the wrong place."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.documents.lines import line_starts, lines_of
from webapp.core.documents.model import Span
from webapp.web.source_view import join_spans, keep_danda, numbered_lines, parse_ranges, with_neighbours

TEXT = "# Bikes\n\nReturn it in 30 days. Keep\nthe box.\n"
TEXTS = st.text(st.sampled_from("ab ।\n\r\t\u00a0<é\u09a8"), max_size=60)
SPANS = st.lists(st.tuples(st.integers(-2, 70), st.integers(-2, 70)).map(lambda pair: Span(*pair)), max_size=6)


def span_of(words: str, text: str = TEXT, after: int = 0) -> Span:
    start = text.index(words, after)
    return Span(start, start + len(words))


@pytest.mark.parametrize(
    ("given", "ranges"),
    [
        ("11-12,15", ((11, 12), (15, 15))),
        ("L3-L4", ((3, 4),)),
        ("12-11", ((11, 12),)),
        ("18-99", ((18, 20),)),
        ("0-2", ((1, 2),)),
        ("99", ()),
        ("0", ()),
        ("", ()),
        ("a,-,1-2-3,99999999999999999999,<b>, 7 ", ((7, 7),)),
        ("৩-৪", ((3, 4),)),
    ],
)
def test_ranges_of_an_address_are_clamped_and_nonsense_is_left_out(given: str, ranges: object) -> None:
    assert parse_ranges(given, line_count=20) == ranges


def test_cited_lines_and_quoted_words_are_told_apart() -> None:
    lines = numbered_lines(TEXT, [(3, 4)], [span_of("Keep\nthe box.")])
    assert [line.number for line in lines if line.cited] == [3, 4]
    assert [(piece.text, piece.marked) for piece in lines[2].pieces] == [
        ("Return it in 30 days. ", False),
        ("Keep", True),
    ]
    assert [(piece.text, piece.marked) for piece in lines[3].pieces] == [("the box.", True)]


def test_spans_that_overlap_are_marked_once() -> None:
    lines = numbered_lines(TEXT, [], [span_of("Return it in 30"), span_of("30 days.")])
    assert [piece.text for piece in lines[2].pieces if piece.marked] == ["Return it in 30 days."]


def test_the_copy_that_was_cited_is_marked_and_no_other() -> None:
    text = "Same words.\n\nSame words.\n\nSame words.\n"
    copies = [span_of("Same words.", text, after) for after in (0, 5, 18)]
    assert with_neighbours(text, [copies[2]], copies) == (copies[2],)


def test_a_sentence_cut_across_two_chunks_is_marked_whole() -> None:
    text = "Opened helmets cannot be returned, for your safety. The rest can.\n"
    first, second = span_of("Opened helmets cannot", text), span_of("be returned, for your safety.", text)
    assert with_neighbours(text, [first], [first, second]) == (Span(first.start, second.end),)
    assert with_neighbours(text, [second], [first, second]) == (Span(first.start, second.end),)


def test_the_next_sentence_is_no_part_of_a_quote() -> None:
    first, second = span_of("Return it in 30 days."), span_of("Keep\nthe box.")
    assert with_neighbours(TEXT, [first], [first, second]) == (first,)


def test_tabs_and_unbreakable_blanks_stay_as_they_are() -> None:
    text = "\tif\u00a0x:\r\n\t\ty\r\n"
    assert [line.text for line in numbered_lines(text, [], [])] == ["\tif\u00a0x:", "\t\ty"]


def test_the_blank_line_between_two_paragraphs_stays() -> None:
    lines = numbered_lines("One\nmore.\n\nTwo.\n", [(1, 2)], [])
    assert [(line.number, line.text, line.cited) for line in lines] == [
        (1, "One", True),
        (2, "more.", True),
        (3, "", False),
        (4, "Two.", False),
    ]


def test_a_danda_never_starts_a_line_and_markup_is_text() -> None:
    assert keep_danda("<b>শেষ ।") == '&lt;b&gt;শেষ<span class="keep"> ।</span>'


def test_what_html_forbids_is_replaced() -> None:
    assert keep_danda("a\x1b[31m b") == "a\ufffd[31m b"


def test_endless_blanks_take_no_endless_time() -> None:
    assert str(keep_danda(" " * 200_000 + "x।")).endswith("x।")


@settings(deadline=None)
@given(TEXTS, SPANS)
def test_pieces_join_to_the_file_and_marks_cover_exactly_the_spans(text: str, spans: list[Span]) -> None:
    lines = numbered_lines(text, [], spans)
    assert [line.text for line in lines] == lines_of(text)
    wanted = {offset for span in join_spans(text, spans) for offset in range(span.start, span.end)}
    seen: set[int] = set()
    ends: set[int] = set()  # a line's end belongs to no piece
    for start, line in zip(line_starts(text), lines, strict=True):
        at = start
        for piece in line.pieces:
            assert piece.text
            seen.update(range(at, at + len(piece.text)) if piece.marked else ())
            at += len(piece.text)
        ends |= {at, at + 1}
    assert seen <= wanted
    assert wanted - seen <= ends


@settings(deadline=None)
@given(TEXTS, SPANS)
def test_joined_spans_are_in_order_inside_the_text_and_apart(text: str, spans: list[Span]) -> None:
    joined = join_spans(text, spans)
    assert all(0 <= span.start < span.end <= len(text) for span in joined)
    assert all(first.end < second.start for first, second in pairwise(joined))
