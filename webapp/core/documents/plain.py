"""Plain text, as a reader sees it, with the way back to the file's characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PARTED = "\n\n"  # what stands between blocks, so that sentences never run across them


@dataclass(frozen=True, slots=True)
class Runs:
    """The way from plain text back to the file, as runs of characters that a parser gave in one piece.

    Run i begins at `plain[i]` and comes from the raw characters `raw[i]` to `raw_end[i]`: one for one when both are
    equally long, else as a whole (an entity, a line end). `outer[i]` to `outer_end[i]` also take in the Markdown
    around it: emphasis marks, a link's target, a tag.
    """

    plain: Sequence[int]
    plain_end: Sequence[int]
    raw: Sequence[int]
    raw_end: Sequence[int]
    outer: Sequence[int]
    outer_end: Sequence[int]


@dataclass(frozen=True, slots=True)
class PlainDocument:
    """The plain text of a whole document, leaf by leaf of its outline.

    The texts are never joined: one character of an odd script would make each of the others take four bytes.
    """

    texts: Sequence[str]
    starts: Sequence[int]  # of each, as if those that are not empty were parted by blank lines
    runs: Runs
    fixed: list[tuple[int, int]]  # stretches (links, code) that no sentence ends inside, in order, none in another
    leads: Mapping[int, str]  # number of a leaf → its words that lead into a list or table

    def part(self, first: int, last: int, raw_base: int) -> PlainText:
        """Return the text of the leaves `first` to `last` (excluded), of a section that begins at `raw_base`."""
        text, base = PARTED.join(filter(None, self.texts[first:last])), self.starts[first] if first < last else 0
        runs = self.runs.plain
        return PlainText(text, self, bisect_left(runs, base), bisect_left(runs, base + len(text)), base, raw_base)


@dataclass(frozen=True, slots=True)
class PlainText:
    """A reader's text of a section, with the way back to the section's own characters.

    White space is not yet folded. The runs are the whole document's; this section has those from `first_run` up to
    `last_run`, its text begins at `base` in the document's plain text and at `raw_base` in the file.
    """

    text: str
    whole: PlainDocument
    first_run: int
    last_run: int
    base: int
    raw_base: int

    def raw_start(self, index: int, outer: bool = True) -> int:
        """Return where plain character `index` begins in the section, with the Markdown that opens there."""
        runs = self.whole.runs
        run = bisect_right(runs.plain, index + self.base, self.first_run, self.last_run) - 1
        inside = index + self.base - runs.plain[run]
        if inside and runs.raw_end[run] - runs.raw[run] == runs.plain_end[run] - runs.plain[run]:
            return runs.raw[run] + inside - self.raw_base
        return (runs.outer[run] if outer and not inside else runs.raw[run]) - self.raw_base

    def raw_end(self, index: int, outer: bool = True) -> int:
        """Return where plain character `index` ends in the section, with the Markdown that closes there."""
        runs = self.whole.runs
        run = bisect_right(runs.plain, index + self.base, self.first_run, self.last_run) - 1
        left = runs.plain_end[run] - index - self.base - 1
        if left > 0 and runs.raw_end[run] - runs.raw[run] == runs.plain_end[run] - runs.plain[run]:
            return runs.raw_end[run] - left - self.raw_base
        return (runs.outer_end[run] if outer and left <= 0 else runs.raw_end[run]) - self.raw_base

    def index_at(self, offset: int) -> int:
        """Return the first plain character that stands at or after `offset` of the section."""
        offset += self.raw_base
        runs = self.whole.runs
        run = bisect_right(runs.raw, offset, self.first_run, self.last_run) - 1
        if run < self.first_run:
            return 0
        begin, end = runs.plain[run], runs.plain_end[run]
        inside = offset - runs.raw[run]
        if inside and runs.raw_end[run] - runs.raw[run] != end - begin:
            return end - self.base  # a run that counts as a whole belongs to where it starts
        return min(begin + inside, end) - self.base

    def of_leaf(self, leaf: int) -> tuple[int, int]:
        """Return where a leaf's text stands here; a block without a leaf (-1) has none."""
        if leaf < 0:
            return 0, 0
        start = self.whole.starts[leaf] - self.base
        return start, start + len(self.whole.texts[leaf])

    def lead(self, leaf: int) -> str:
        """Return the words of a leaf that lead into what follows it, "" for none (-1)."""
        return self.whole.leads.get(leaf, "")

    def is_fixed(self, start: int, end: int) -> bool:
        """Say whether the characters before `start` and at `end` both lie inside one link or code span."""
        fixed = self.whole.fixed
        index = bisect_left(fixed, (start + self.base,)) - 1
        return index >= 0 and fixed[index][0] < start + self.base and end + self.base < fixed[index][1]
