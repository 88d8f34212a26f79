"""A file as numbered lines, with the cited lines told apart and the quoted words marked, exact to the character."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from webapp.core.documents.lines import line_starts, lines_of
from webapp.core.documents.model import Span
from webapp.core.documents.sentences import ends_sentence
from webapp.web.printable import printable

_RANGE = re.compile(r"\s*L?(\d{1,9})(?:\s*[-–]\s*L?(\d{1,9}))?\s*", re.IGNORECASE)
_DANDA = re.compile(r"((?<![ \t\u00a0])[ \t\u00a0]+[।॥])")  # linear: tried once for each run of blanks
_MOST_RANGES = 200  # an address can't name more; the rest of a longer list is ignored

LineRange = tuple[int, int]  # first and last line, 1-based, both included
Joins = Callable[[str, Span, Span], bool]  # whether the second span, which starts after the first ends, belongs to it


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one line, inside or outside the quoted words."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the file, 1-based; its pieces join to its exact text without the line's end."""

    number: int
    pieces: tuple[Piece, ...]
    cited: bool

    @property
    def text(self) -> str:
        """The line as it stands in the file."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Window:
    """The lines of a file that one page shows, both included, of `count`; a page holds `size` at most."""

    first: int
    last: int
    count: int
    size: int

    @property
    def previous(self) -> int | None:
        """A line to go back to; pages hold what fits, so the one before may have begun elsewhere."""
        return max(1, self.first - self.size) if self.first > 1 else None

    @property
    def next(self) -> int | None:
        """The line from which the next page is drawn."""
        return self.last + 1 if self.last < self.count else None


def window(first: int, count: int, size: int) -> Window:
    """Return the window of a file of `count` lines that begins at `first`, or at the nearest line there is."""
    first = min(max(first, 1), count)
    return Window(first, min(first + size - 1, count), count, size)


def parse_ranges(given: str, line_count: int) -> tuple[LineRange, ...]:
    """Read `11-12,15` as line ranges of a file of `line_count` lines, in the order given.

    What runs over the end is cut there, what lies wholly outside or can't be read is left out: an address is typed
    and shortened by people, and no highlight is better than a wrong one.
    """
    matches = (_RANGE.fullmatch(part) for part in given.split(",")[:_MOST_RANGES])
    pairs = (sorted((int(found[1]), int(found[2] or found[1]))) for found in matches if found)
    clamped = ((max(first, 1), min(last, line_count)) for first, last in pairs)
    return tuple((first, last) for first, last in clamped if first <= last)


def join_spans(text: str, spans: Iterable[Span], joins: Joins | None = None) -> tuple[Span, ...]:
    """Return the spans in order, those that belong together made one; by default those that touch or nearly do."""
    joins = joins or _close
    joined: list[Span] = []
    inside = (Span(max(span.start, 0), min(span.end, len(text))) for span in spans)
    for span in sorted((span for span in inside if span.start < span.end), key=lambda span: (span.start, span.end)):
        if joined and (span.start <= joined[-1].end or joins(text, joined[-1], span)):
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def with_neighbours(text: str, chosen: Sequence[Span], others: Iterable[Span]) -> tuple[Span, ...]:
    """Return the chosen spans, each grown by the others that continue it.

    A sentence cut across two chunks is quoted in two halves; whoever opens one half must see the whole sentence.
    """
    everything = join_spans(text, [*chosen, *others], _continues)
    return tuple(span for span in everything if any(one.start < span.end and span.start < one.end for one in chosen))


def _close(text: str, first: Span, second: Span) -> bool:
    gap = text[first.end : second.start]
    return not gap.strip() and len(lines_of(gap)) <= 2  # a blank line between keeps paragraphs apart


def _continues(text: str, first: Span, second: Span) -> bool:
    return _close(text, first, second) and not ends_sentence(text[first.start : first.end])


def numbered_lines(
    text: str, cited: Sequence[LineRange], quoted: Iterable[Span], shown: Window | None = None
) -> tuple[Line, ...]:
    """Return the lines of the file that are `shown`, by default all; `quoted` are spans of the file's text and are
    marked once each."""
    spans = join_spans(text, quoted)
    numbers = {number for first, last in cited for number in range(first, last + 1)}
    first, last = (shown.first, shown.last) if shown else (1, None)
    placed = list(zip(line_starts(text), lines_of(text), strict=True))[first - 1 : last]
    lines, at = [], 0
    for number, (start, line) in enumerate(placed, start=first):
        while at < len(spans) and spans[at].end <= start:
            at += 1
        lines.append(Line(number, pieces(line, start, spans[at:]), number in numbers))
    return tuple(lines)


def keep_danda(text: str) -> Markup:
    """Return the text as a page can hold it, escaped, with no line break before a danda that has a blank before it."""
    text = printable(text)
    if "।" not in text and "॥" not in text:
        return escape(text)
    parts = _DANDA.split(text)  # every second part is a danda with its blank
    return Markup("").join(
        Markup('<span class="keep">{}</span>').format(part) if index % 2 else part for index, part in enumerate(parts)
    )


def pieces(text: str, offset: int, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """Cut `text`, which stands at `offset`, at the borders of the spans, which are ordered and apart."""
    found, done, end = [], 0, offset + len(text)
    for span in spans:
        if span.start >= end:
            break
        start, stop = max(span.start - offset, done), min(span.end, end) - offset
        if start >= stop:
            continue
        found += [Piece(text[done:start], False)] * (start > done)
        found.append(Piece(text[start:stop], True))
        done = stop
    found += [Piece(text[done:], False)] * (done < len(text))
    return tuple(found)
