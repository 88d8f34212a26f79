"""An outline → sections: cut at headings, with their paths, and with every non-blank line in some block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webapp.core.documents.markdown import Outline
from webapp.core.documents.model import Block, BlockKind, Section
from webapp.core.documents.outline import TAB_LEVEL, Leaf

_HEADING, _COMMENT = BlockKind.HEADING, BlockKind.COMMENT  # looked up once
_WITHOUT_TEXT = frozenset({_HEADING, _COMMENT})
_MOST_CARRIED = 20  # headings without text that go into the path of the next: more of them are no structure


@dataclass(slots=True)
class _Heading:
    """A heading in force: its words, after those of headings before it that had no text of their own."""

    level: int
    texts: tuple[str, ...]
    used: bool = False


class _Path:
    """The headings in force while reading on."""

    def __init__(self) -> None:
        self._headings: list[_Heading] = []
        self.texts: tuple[str, ...] = ()  # the words of the headings in force, outermost first
        self._used = True

    def add(self, level: int, text: str) -> None:
        """Put a heading in force; one that had no text of its own goes into the path of this one."""
        carried: tuple[str, ...] = ()
        while self._headings and self._headings[-1].level >= level:
            ended = self._headings.pop()
            carried = carried if ended.used else (ended.texts + carried)[-_MOST_CARRIED:]
        self._headings.append(_Heading(level, carried + ((text,) if text else ())))
        self._tell()
        self._used = False

    def end_tab(self) -> None:
        """Put the heading of a tab out of force."""
        if self._headings and self._headings[-1].level == TAB_LEVEL:
            self._headings.pop()
            self._tell()

    def _tell(self) -> None:
        self.texts = tuple(text for heading in self._headings for text in heading.texts)

    def use(self) -> None:
        """Say that text stands under the headings in force."""
        if not self._used:
            self._used = True
            for heading in self._headings:
                heading.used = True


@dataclass(frozen=True, slots=True)
class Source:
    """What sections are made from."""

    text: str
    body: int  # offset where the body begins
    line_starts: Sequence[int]
    outline: Outline
    title: str
    lang: str
    level: int  # headings up to this one start a section


def sections_of(source: Source) -> tuple[Section, ...]:
    """Return the sections in order. A heading without text belongs to the path of the next; at the end, to none."""
    path, sections = _Path(), list[Section]()
    headings: list[Leaf] = []  # the last one, after those before it that have no text
    for stretch in _stretches(source):
        section = _Builder(source, path, headings, stretch).build()
        if section:
            sections.append(section)
            headings = []
        if stretch.following:
            headings.append(stretch.following)
            path.add(stretch.following.level, stretch.following.words)
    if headings:
        sections.append(_empty(source, path, headings))
    return tuple(sections)


def first_heading(outline: Outline) -> str:
    """Return the words of the first heading that stands in no list or quote, "" when there is none."""
    headings = (leaf for leaf in outline.leaves if leaf.kind is _HEADING)
    return next((leaf.words for leaf in headings if leaf.words), "")


class _Stretch(NamedTuple):
    """What lies between two headings that start sections: offsets, leaves, and the heading that follows."""

    start: int
    end: int
    first: int
    last: int
    following: Leaf | None


def _stretches(source: Source) -> Iterator[_Stretch]:
    """Yield the stretch before each section heading and the one after the last."""
    start, first, leaves = source.body, 0, source.outline.leaves
    for index, leaf in enumerate(leaves):
        if leaf.kind is _HEADING and leaf.level <= source.level:
            yield _Stretch(start, leaf.start, first, index, leaf)
            start, first = leaf.end, index + 1
    yield _Stretch(start, len(source.text), first, len(leaves), None)


def _line_of(source: Source, offset: int) -> int:
    return bisect_right(source.line_starts, offset)


def _lines_of(source: Source, headings: list[Leaf]) -> tuple[tuple[int, int], ...]:
    return tuple((_line_of(source, heading.start), _line_of(source, heading.end - 1)) for heading in headings)


def _empty(source: Source, path: _Path, headings: list[Leaf]) -> Section:
    heading, texts = headings[-1], path.texts or (source.title,)
    return Section(
        heading=texts[-1],
        heading_path=texts,
        level=heading.level,
        start=heading.end,
        end=heading.end,
        text="",
        first_line=0,
        heading_line=_line_of(source, heading.start),
        blocks=(),
        plain=source.outline.part(0, 0),
        lang=source.lang,
        heading_lines=_lines_of(source, headings),
    )


class _Builder:
    """Builds one section from what lies between two headings."""

    def __init__(self, source: Source, path: _Path, headings: list[Leaf], stretch: _Stretch) -> None:
        self.source, self.path, self.headings = source, path, headings
        self.leaves, self.first = source.outline.leaves[stretch.first : stretch.last], stretch.first
        text = source.text[stretch.start : stretch.end].lstrip()
        self.start, self.text = stretch.end - len(text), text.rstrip()
        self.end = self.start + len(self.text)
        self.blocks: list[Block] = []
        self.depth = len(path.texts)
        self.below: tuple[str, ...] = ()  # the deeper headings in force here

    def build(self) -> Section | None:
        """Return the section; None when it holds nothing but comments and headings without text."""
        text, at, section_path = self.source.text, self.start, self.path.texts
        for number, leaf in enumerate(self.leaves, start=self.first):
            if text[at : leaf.start].strip():
                self._fill(at, leaf.start, leaf.group)
            self._add(leaf, number)
            at = leaf.end
        if text[at : self.end].strip():
            self._fill(at, self.end, 0)
        if all(block.kind in _WITHOUT_TEXT for block in self.blocks):
            self.headings.extend(leaf for leaf in self.leaves if leaf.kind is _HEADING)
            return None
        return self._section(section_path or (self.source.title,))

    def _section(self, path: tuple[str, ...]) -> Section:
        source, heading = self.source, self.headings[-1] if self.headings else None
        heading_lines = _lines_of(source, self.headings)
        return Section(
            heading=path[-1],
            heading_path=path,
            level=heading.level if heading else 0,
            start=self.start,
            end=self.end,
            text=self.text,
            first_line=_line_of(source, self.start),
            heading_line=heading_lines[-1][0] if heading_lines else 0,
            blocks=tuple(self.blocks),
            plain=source.outline.part(self.first, self.first + len(self.leaves)),
            lang=source.lang,
            heading_lines=heading_lines,
        )

    def _add(self, leaf: Leaf, number: int) -> None:
        kind = leaf.kind
        if kind is _HEADING:
            self.path.add(leaf.level, leaf.words)
            self.below = self.path.texts[self.depth :]
        elif kind is not _COMMENT:
            self.path.use()
        start, end = leaf.start - self.start, leaf.end - self.start
        self.blocks.append(Block(kind, start, end, leaf.group, self.below + leaf.within, number, leaf.lead))

    def _fill(self, start: int, end: int, following: int) -> None:
        """Give a block to the lines between two blocks: link definitions, rules, lone quote marks and the like.

        It belongs to the list, table or quote of the block before when the block after, of group `following`, does.
        """
        starts = self.source.line_starts
        if start > self.start:
            start = _next_line(starts, start)
        if end < self.end:
            end = starts[bisect_right(starts, end) - 1]
        text = self.source.text[start:end]
        found = text.strip()
        if not found:
            return
        self.path.use()
        begin = start + len(text) - len(text.lstrip()) - self.start
        group = following if self.blocks and self.blocks[-1].group == following else 0
        path = self.blocks[-1].heading_path if group else self.below
        self.blocks.append(Block(BlockKind.OTHER, begin, begin + len(found), group=group, heading_path=path))
        if found.startswith("---"):
            self.path.end_tab()
            self.below = self.path.texts[self.depth :]


def _next_line(starts: Sequence[int], offset: int) -> int:
    """Return the start of the first line that begins at or after `offset`."""
    index = bisect_right(starts, offset)
    if index and starts[index - 1] == offset:
        return offset
    return starts[index] if index < len(starts) else 1 << 62
