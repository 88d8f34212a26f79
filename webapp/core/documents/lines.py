"""What a line is: what an editor shows. Ends are `\\n`, `\\r\\n` and a lone `\\r`, and nothing else.

`str.splitlines` also cuts at form feeds, U+0085, U+2028 and others, and so numbers lines as no editor does.
"""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n?|\n")
_NEWLINE = re.compile(r"\n")  # the same where there is no `\r`, and found several times as fast


def line_starts(text: str) -> tuple[int, ...]:
    """Return the offset of the first character of each line; an end at the very end opens no further line."""
    ends = _LINE_END if "\r" in text else _NEWLINE
    starts = [0, *map(re.Match.end, ends.finditer(text))]
    if len(starts) > 1 and starts[-1] == len(text):
        starts.pop()
    return tuple(starts)


def lines_of(text: str) -> list[str]:
    """Return the lines without their ends."""
    lines = _LINE_END.split(text)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines


def width(text: str, start: int, end: int) -> int:
    """Return how many characters a stretch has, each line end counted as one, so that `\\r\\n` makes no difference."""
    return end - start - text.count("\r\n", start, end)


def fold(text: str) -> str:
    """Return the text with each run of white space as one blank, and none at the ends."""
    return " ".join(text.split())
