"""Two states of a text side by side: nothing is lost, nothing is said to differ that doesn't."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.documents import differences
from webapp.core.documents.differences import DiffLine, Row, compare_texts, compare_words, folded, new_place
from webapp.core.documents.lines import lines_of

LINES = st.lists(st.sampled_from(["", "a", "b c", "b d", "Return it in 30 days.", "৩০ দিন।"]), max_size=14)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def marked(line: DiffLine | None) -> list[str]:
    """The changed words of a line."""
    assert line
    return [line.text[span.start : span.end] for span in line.marks]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(LINES, LINES, ENDS, st.sampled_from([4_000_000, 1]))
def test_each_side_is_its_text_and_equal_lines_are_equal(old: list[str], new: list[str], end: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(differences, "_MOST_PAIRS", most)  # 1: every line that stands once is an anchor
        rows = compare_texts(end.join(old), "\n".join(new))
    for side, text in (([row.old for row in rows], end.join(old)), ([row.new for row in rows], "\n".join(new))):
        lines = [line for line in side if line]
        assert [line.text for line in lines] == (lines_of(text) if text else [])
        assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert all(row.old and row.new and row.old.text == row.new.text for row in rows if row.same)
    assert [row for stretch in folded(rows) for row in stretch.rows] == list(rows)
    assert all(row.same for stretch in folded(rows) if stretch.folded for row in stretch.rows)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(LINES)
def test_a_text_is_the_same_as_itself(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert all(row.same for row in compare_texts(text, text.replace("\n", "\r\n")))


def test_changed_words_are_marked_on_both_sides() -> None:
    same, changed, last = compare_texts("# Bikes\nKeep it 14 days.\nb", "# Bikes\nKeep it up to 30 days.\nb")
    assert (same.same, changed.same, last.same) == (True, False, True)
    assert marked(changed.old) == ["14"]
    assert marked(changed.new) == ["up to 30"]


def test_a_paragraph_whose_lines_break_elsewhere_has_no_changed_word() -> None:
    rows = compare_texts("You may bring a bike\nback within 14 days.", "You may bring\na bike back within 30\ndays.")
    assert [word for row in rows if row.old for word in marked(row.old)] == ["14"]
    assert [word for row in rows if row.new for word in marked(row.new)] == ["30"]
    assert rows[2] == Row(None, DiffLine(3, "days."), False)


def test_bangla_words_are_marked_whole() -> None:
    old, new = compare_words("১৪ দিনের মধ্যে ফেরত দিন।", "৩০ দিনের মধ্যে ফেরত নিন।")
    assert ["১৪ দিনের মধ্যে ফেরত দিন।"[span.start : span.end] for span in old] == ["১৪", "দিন"]
    assert ["৩০ দিনের মধ্যে ফেরত নিন।"[span.start : span.end] for span in new] == ["৩০", "নিন"]


def test_a_line_written_anew_has_no_marks() -> None:
    (row,) = compare_texts("Gift cards expire after three years.", "Our shops open at nine.")
    assert marked(row.old) == marked(row.new) == []


def test_what_is_far_from_every_change_is_folded() -> None:
    lines = [f"line {n}" for n in range(20)]
    stretches = folded(compare_texts("\n".join(lines), "\n".join([*lines[:10], "new", *lines[10:]])), context=2)
    assert [(stretch.folded, len(stretch.rows)) for stretch in stretches] == [(True, 8), (False, 5), (True, 8)]


@pytest.mark.parametrize(
    ("new", "place"),
    [("a\nb\nc\nd", (2, 3)), ("x\na\nb\nc\nd", (3, 4)), ("a\nb\nC\nd", None), ("a\nb\nx\nc\nd", None), ("", None)],
)
def test_where_cited_lines_stand_now(new: str, place: tuple[int, int] | None) -> None:
    assert new_place(compare_texts("a\nb\nc\nd", new), 2, 3) == place


def test_a_long_file_that_changed_at_both_ends_is_compared_in_time() -> None:
    lines = [f"Line {n} of a long page." if n % 2 else "" for n in range(30_000)]
    start = time.process_time()
    rows = compare_texts("\n".join(lines), "\n".join(["first", *lines[1:-1], "last"]))
    assert [row.same for row in rows].count(False) == 2
    assert time.process_time() - start < 5


def test_a_stretch_of_many_like_words_is_compared_in_time() -> None:
    words = random.Random(1)
    old, new = (" ".join(f"w{words.randrange(40)}" for _ in range(50_000)) for _ in range(2))
    start = time.process_time()
    compare_texts(old, new)
    assert time.process_time() - start < 5
