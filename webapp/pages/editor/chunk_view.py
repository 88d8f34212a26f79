"""A document's lines with the chunks of one setting drawn in place: which characters lie in which chunks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from webapp.core.documents.lines import lines_of
from webapp.core.documents.model import Chunk, Document
from webapp.core.documents.sentences import ends_sentence
from webapp.web.printable import printable
from webapp.web.source_view import Window

MOST_LINES = 300  # drawn on one page
MOST_CHARACTERS = 60_000  # drawn on one page; a longer line is drawn so far
_APART = 44  # characters between two tags in the margin; nearer ones stand in the text


@dataclass(frozen=True, slots=True)
class Tag:
    """The name of a chunk, where it begins."""

    number: int  # the n of the chunk's id
    length: int  # characters of its text
    first_line: int
    last_line: int
    cut: bool  # it ends mid-sentence
    crowded: bool = False  # another tag of this line is so near that the margin can't hold both


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of one line that lies in the same chunks: those from number `first` to `last`, or in none."""

    text: str
    first: int | None = None
    last: int | None = None
    tags: tuple[Tag, ...] = ()  # of the chunks that begin here; after trimming there can be several
    cuts: tuple[int, ...] = ()  # numbers of the chunks that end here, mid-sentence

    @property
    def look(self) -> str:
        """Its class: `even` or `odd` for one chunk, `shared` for the overlap of several, `none`."""
        if self.first is None:
            return "none"
        return "shared" if self.first != self.last else "odd" if self.first % 2 else "even"


Line = tuple[Run, ...]


def window(document: Document, first: int | None = None) -> Window:
    """Return as many lines from `first` on as a page holds, at least one; without it, from the end of the head on."""
    starts = document.line_starts
    first = min(max(document.body_line if first is None else first, 1), len(starts))
    fitting = (
        bisect_right(starts, starts[first - 1] + MOST_CHARACTERS) - 1 if starts[-1] > MOST_CHARACTERS else len(starts)
    )
    return Window(first, max(first, min(fitting, first - 1 + MOST_LINES, len(starts))), len(starts), MOST_LINES)


def draw(document: Document, chunks: Sequence[Chunk], shown: Window) -> list[Line]:
    """Return the runs of every line of the window; they join to its text, or to the beginning of a long one.

    Chunks must be in order: none begins or ends before the one in front of it does.
    """
    lines = lines_of(document.text)
    layout = _Layout(chunks)
    return [
        tuple(layout.runs(lines[number - 1][:MOST_CHARACTERS], document.line_starts[number - 1]))
        for number in range(shown.first, shown.last + 1)
    ]


def is_cut(chunk: Chunk) -> bool:
    """Tell whether the chunk ends mid-sentence, as the comparison table counts it."""
    return not ends_sentence(chunk.plain or chunk.text)


class _Layout:
    """Where the chunks of one setting begin and end."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.starts = [chunk.start for chunk in chunks]
        self.ends = [chunk.end for chunk in chunks]
        self.tags = _tags(chunks)

    def runs(self, text: str, offset: int) -> list[Run]:
        """Cut a line's text, which stands at `offset`, wherever a chunk begins or ends."""
        end = offset + len(text)
        near = slice(bisect_right(self.ends, offset), bisect_left(self.starts, end))
        borders = {border for border in (*self.starts[near], *self.ends[near]) if offset < border < end}
        edges = [offset, *sorted(borders), end]
        return [self._run(printable(text[a - offset : b - offset]), a, b) for a, b in pairwise(edges) if a < b]

    def _run(self, text: str, start: int, end: int) -> Run:
        first, last = bisect_right(self.ends, start), bisect_right(self.starts, start) - 1
        if first > last:
            return Run(text)
        begun = self.tags[bisect_left(self.starts, start) : last + 1]
        ended = self.tags[first : bisect_right(self.ends, end)]
        return Run(text, first, last, tuple(begun), tuple(tag.number for tag in ended if tag.cut))


def _tags(chunks: Sequence[Chunk]) -> list[Tag]:
    tags: list[Tag] = []
    margin = (0, 0)  # line and offset of the last tag that stands in the margin
    for number, chunk in enumerate(chunks):
        at = chunk.location
        crowded = at.first_line == margin[0] and chunk.start - margin[1] < _APART
        margin = margin if crowded else (at.first_line, chunk.start)
        tags.append(Tag(number, len(chunk.text), at.first_line, at.last_line, is_cut(chunk), crowded))
    return tags
