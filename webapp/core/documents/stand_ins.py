"""What stands in the parser's text for characters that no reader sees, one for one, so that nothing moves."""

from __future__ import annotations

import re
from collections.abc import Iterable

FILL = "\x1a"  # this and the next are no white space to Python, as others of the kind are
TITLE = "\x19"  # the first character of a line that is a title: what follows it is a paragraph of its own

_NO_END = re.compile(r"[^\n]")
LABEL = re.compile(  # what a reader sees of the attributes of a tag
    r"(?<![\w-])(?:title|label|caption|header|heading|summary|question|content|alt)\s*+=\s*+"
    r"(?:\"(?P<double>[^\"{}<>\n]++)\"|'(?P<single>[^'{}<>\n]++)')"
)
Replacement = tuple[int, int, str]  # from, to, by what


def replaced(source: str, replacements: Iterable[Replacement]) -> str:
    """Return the text with replacements made, which are in order; one that begins inside another is left out."""
    parts: list[str] = []
    done = 0
    for start, end, by in replacements:
        if start >= done:
            parts += (source[done:start], by)
            done = end
    return "".join([*parts, source[done:]]) if parts else source


class Closings:
    """Finds what closes an opening; what is found nowhere is not looked for again."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._missing: set[str] = set()

    def after(self, start: int, pattern: str, flags: int = 0) -> re.Match[str] | None:
        """Return the first match of the pattern from `start` on."""
        if pattern in self._missing:
            return None
        found = re.compile(pattern, flags).search(self._source, start)
        if not found:
            self._missing.add(pattern)
        return found


def titled(source: str, first: int, last: int, lead: str, start: int, end: int) -> str:
    """Return what stands for `first` to `last` with nothing seen of it but the title at `start`."""
    return lead + FILL * (start - first - len(lead)) + source[start:end] + FILL * (last - end)


def blanked(source: str) -> str:
    """Return as many lines with nothing on them."""
    return _NO_END.sub(" ", source)
