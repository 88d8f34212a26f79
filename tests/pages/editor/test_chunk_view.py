"""Lines and runs: nothing of the text is lost, and every character is drawn in exactly the chunks that hold it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.chunking.cut import cut
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.lines import lines_of
from webapp.core.documents.model import Document
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.compare import Setting, compare
from webapp.pages.editor.chunk_view import MOST_CHARACTERS, MOST_LINES, Line, draw, is_cut, window
from webapp.paths import shared

RETURNS = shared("corpus") / "kestrel" / "returns-policy.md"
SETTINGS = [
    Setting("paragraph"),
    Setting("sentence", {"max_chars": 60}),
    Setting("fixed", {"size": 100, "overlap": 20}),
    Setting("fixed", {"size": 10, "overlap": 9}),
    Setting("words", {"size": 7, "overlap": 3}),
    Setting("section"),
    Setting("structure", {"size": 20}),
]
TEXTS = st.lists(st.sampled_from([*"abc .\n\r#-`।আ", "\n\n", "## H\n", "<!-- c -->"]), max_size=100).map("".join)


def read(text: str) -> Document:
    return document_from_bytes(text.encode(), "page.md", CollectionConfig(name="test"))


def drawn(document: Document, setting: Setting) -> list[Line]:
    return draw(document, cut(document, setting.strategy, setting.options), window(document, 1))


@pytest.fixture
def returns() -> Document:
    return document_from_bytes(RETURNS.read_bytes(), RETURNS.name, CollectionConfig(name="kestrel"))


@given(TEXTS, st.sampled_from(SETTINGS))
@settings(max_examples=150, derandomize=True, deadline=None)
def test_every_character_is_drawn_once_and_in_the_chunks_that_hold_it(text: str, setting: Setting) -> None:
    document = read(text)
    chunks = cut(document, setting.strategy, setting.options)
    lines = draw(document, chunks, window(document, 1))
    assert ["".join(run.text for run in line) for line in lines] == lines_of(document.text)
    for start, line in zip(document.line_starts, lines, strict=True):
        at = start
        for run in line:
            holding = {n for n, chunk in enumerate(chunks) if chunk.start <= at < chunk.end}
            assert holding == (set() if run.first is None or run.last is None else set(range(run.first, run.last + 1)))
            at += len(run.text)


@given(TEXTS, st.sampled_from(SETTINGS))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_every_chunk_has_one_tag_and_every_cut_one_mark(text: str, setting: Setting) -> None:
    document = read(text)
    chunks = cut(document, setting.strategy, setting.options)
    runs = [run for line in draw(document, chunks, window(document, 1)) for run in line]
    assert sorted(tag.number for run in runs for tag in run.tags) == list(range(len(chunks)))
    assert sorted(n for run in runs for n in run.cuts) == [n for n, chunk in enumerate(chunks) if is_cut(chunk)]


def test_marks_agree_with_the_comparison_table(returns: Document) -> None:
    figures = compare([returns], SETTINGS[:4]).settings
    for setting, one in zip(SETTINGS, figures, strict=False):
        marks = sum(len(run.cuts) for line in drawn(returns, setting) for run in line)
        assert marks == one.cut_mid_sentence


def test_an_overlap_is_shared_by_both_chunks(returns: Document) -> None:
    line = drawn(returns, SETTINGS[2])[14]
    assert [(run.first, run.last, run.look) for run in line] == [(3, 3, "odd"), (3, 4, "shared"), (4, 4, "even")]
    assert line[1].text == "helmets cannot be re"
    assert [tag.number for tag in line[1].tags] == [4]
    assert line[1].cuts == (3,)


def test_front_matter_and_headings_are_in_no_chunk(returns: Document) -> None:
    lines = drawn(returns, SETTINGS[0])
    assert {run.look for line in lines[:10] for run in line} == {"none"}


def test_a_tag_gives_length_and_lines(returns: Document) -> None:
    (tag,) = drawn(returns, SETTINGS[0])[10][0].tags
    assert (tag.first_line, tag.last_line, tag.cut, tag.crowded) == (11, 12, False, False)
    assert 181 <= tag.length <= 260


def test_tags_that_stand_close_leave_the_margin() -> None:
    line = drawn(
        read("one two three four five six seven eight nine ten\n"), Setting("words", {"size": 2, "overlap": 0})
    )[0]
    assert [tag.crowded for run in line for tag in run.tags] == [False, True, True, True, True]


def test_a_page_begins_after_the_head_and_holds_what_fits(returns: Document) -> None:
    assert (window(returns).first, window(returns).last) == (returns.body_line, len(returns.line_starts))
    long = read("\n".join(f"Line {n}." for n in range(1, 1001)))
    first = window(long)
    assert (first.first, first.last, first.previous, first.next) == (1, MOST_LINES, None, MOST_LINES + 1)
    last = window(long, 990)
    assert (last.first, last.last, last.next) == (990, 1000, None)
    assert window(long, 5000).first == 1000


def test_very_long_lines_are_drawn_as_far_as_a_page_goes() -> None:
    document = read("word " * (MOST_CHARACTERS // 4) + "\nshort\n")
    shown = window(document)
    assert (shown.first, shown.last) == (1, 1)
    assert sum(len(run.text) for run in draw(document, (), shown)[0]) == MOST_CHARACTERS


def test_an_empty_file_has_one_empty_line() -> None:
    document = read("")
    assert draw(document, (), window(document)) == [()]
