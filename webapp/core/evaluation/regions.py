"""The scorer's own idea of a section: the lines from one heading to the next, of any level, found from the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_LIST_INDENT = 3  # how much further than its opening a fence may stand that closes: lists indent what they hold
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r"\s*$| {4}|\t| {0,3}(?:[-*+]\s|[>|]|\d+[.)]\s|([-*_])(?:[ \t]*\1){2,}[ \t]*$)")


class Regions:
    """The heading regions of one file. Each is known by its first line."""

    def __init__(self, lines: Sequence[str], body_line: int = 1) -> None:
        """Read `lines` of a file from `body_line` (1-based) on, which is where the first region starts."""
        self._starts = sorted({body_line, *_heading_lines(lines, body_line)})

    def of(self, first_line: int, last_line: int) -> list[int]:
        """Return the regions that those lines of the file overlap, in order."""
        first = max(0, bisect_right(self._starts, first_line) - 1)
        return self._starts[first : max(first + 1, bisect_right(self._starts, last_line))]


def _heading_lines(lines: Sequence[str], body_line: int) -> list[int]:
    """Return the 1-based first lines of all headings, with marks before them or underlined, outside fenced code."""
    found = []
    fence = ""  # the open one's indent and marks
    paragraph = 0  # first line of the paragraph that a heading's underline would end
    for number, line in enumerate(lines[body_line - 1 :], body_line):
        if fence:
            fence = "" if _closes(fence, line) else fence
        elif opened := _FENCE.match(line):
            fence, paragraph = opened[0], 0
        elif _HEADING.match(line):
            found.append(number)
            paragraph = 0
        elif paragraph and _UNDERLINE.match(line):
            found.append(paragraph)
            paragraph = 0
        elif _NO_PARAGRAPH.match(line):
            paragraph = 0
        else:
            paragraph = paragraph or number
    return found


def _closes(fence: str, line: str) -> bool:
    marks, indent = fence.lstrip(), len(line) - len(line.lstrip(" "))
    said = line.strip()
    return said.startswith(marks) and not said.strip(marks[0]) and indent <= len(fence) - len(marks) + _LIST_INDENT
