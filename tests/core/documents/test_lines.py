"""What a line is."""

from __future__ import annotations

import pytest

from webapp.core.documents.lines import fold, line_starts, lines_of, width


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\nb", ["a", "b"]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("\n\n", ["", ""]),
        ("\r\r\n\n", ["", "", ""]),
        ("a\u2028b\u2029c\x85d\x0ce\x0bf\x1cg\n", ["a\u2028b\u2029c\x85d\x0ce\x0bf\x1cg"]),
    ],
)
def test_lines_end_where_an_editor_ends_them(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines
    assert [text[start:].startswith(line) for start, line in zip(line_starts(text), lines, strict=True)] == [
        True
    ] * len(lines)


def test_fold_and_width() -> None:
    assert fold(" a \r\n\t b\u00a0c ") == "a b c"
    assert width("a\r\nb\r\n", 0, 6) == 4
