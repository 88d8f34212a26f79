"""The plain text of Markdown's leaf blocks: one pass over a parser's events that heeds only what stands in a line."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from webapp.core.documents.html import html_runs, is_component, label_runs, opens_tag, runs_in_pieces
from webapp.core.documents.lines import fold
from webapp.core.documents.markup import after_markup, at_line_start, find_markup
from webapp.core.documents.model import BlockKind
from webapp.core.documents.outline import Leaf
from webapp.core.documents.plain import PARTED, PlainDocument
from webapp.core.documents.plain_writer import PlainWriter
from webapp.core.documents.stand_ins import FILL, TITLE

_SENTENCE_END = re.compile(r"[.!?।]\s")
_ATOMS = frozenset({"Link", "Image"})
_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough", "Superscript", "Subscript"}) | _ATOMS
_UNSEEN = frozenset({BlockKind.COMMENT, BlockKind.OTHER})
_MAY_OPEN = frozenset(":!?[](</-")  # what begins markup of other tools, "{" apart

_NOWHERE = Leaf(BlockKind.OTHER, 0, 0, 0, -1, (), nested=False)
_LAST = Leaf(BlockKind.OTHER, 1 << 62, 1 << 62, 0, -1, (), nested=False)


class InlineWalk:
    """The state of one walk over `source`, as which the parser reads the file's `text` from offset `body` on."""

    def __init__(self, source: str, at: Sequence[int], body: int, text: str) -> None:
        self.source, self.at, self.body, self.text = source, at, body, text
        self.marked = FILL in source or TITLE in source  # something is to be left out that the parser takes for words
        self.plain = PlainWriter()
        self.leaf = _NOWHERE
        self.texts: list[str] = []  # of each leaf
        self.starts = array("i")
        self.fixed: list[tuple[int, int]] = []
        self.fresh = True  # nothing of the line was read yet
        self.titled = False  # the line is a title, which what follows is no part of
        self.hidden = 0  # up to here stands markup that the parser takes for words
        self.markup_end = -1  # of the last link, emphasis, code or the like
        self.cell_end = -1
        self.atoms: list[int] = []  # where in the plain text the open links and images begin
        self.html: list[tuple[str, int, int]] = []

    def words_of(self, heading: Leaf, events: Iterable[tuple[Any, Any]]) -> str:
        """Return the words of a heading, from the events inside it."""
        found = list(events)
        if len(found) == 1 and (text := found[0][0].get("Text")) and self._is_bare(text):
            return fold(text)
        self.texts.clear()
        self._walk(found, iter((heading,)))
        return fold(self.texts[0])

    def take(self, events: Iterable[tuple[Any, Any]], leaves: Sequence[Leaf]) -> PlainDocument:
        """Return the plain text of the leaves, from the events of the whole source, their ranges in bytes."""
        self._walk(events, iter(leaves))
        leading = {leaf.lead for leaf in leaves if leaf.lead >= 0}
        leads = {number: _lead_words(leaves[number], fold(self.texts[number])) for number in leading}
        return PlainDocument(self.texts, self.starts, self.plain.runs(), _apart(self.fixed), leads)

    def _walk(self, events: Iterable[tuple[Any, Any]], leaves: Iterator[Leaf]) -> None:
        """Take the events that overlap the leaves, which are in their order."""
        at, handlers = self.at, _HANDLERS
        leaf = self._open(next(leaves, _NOWHERE))
        for event, place in events:
            start, end = at[place["start"]], at[place["end"]]
            while start >= leaf.end:
                self._close()
                leaf = self._open(next(leaves, _LAST))
            if end > leaf.start and leaf.kind not in _UNSEEN:
                if event.__class__ is str:
                    handlers[event](self, None, start, end)
                else:
                    for name, value in event.items():  # of which there is one
                        handlers[name](self, value, start, end)
        self._close()

    # Leaves

    def _open(self, leaf: Leaf) -> Leaf:
        self.leaf, self.fresh, self.titled = leaf, True, False
        self.starts.append(self.plain.length)
        self.first_run = self.plain.count
        self.cell_end = self.plain.opened = self.plain.tail = -1
        return leaf

    def _close(self) -> None:
        if self.html:
            self._html_block()
        self.texts.append(self.plain.end_block())

    # What stands in a line

    def _text(self, text: str, start: int, end: int) -> None:
        if start == end:  # the parser ends a heading so whose closing marks follow code marks without an end
            return
        fresh, self.fresh = self.fresh, False
        if len(text) != end - start:  # an entity
            if start >= self.hidden:
                self.plain.add(text, start, end)
        elif self.leaf.kind is BlockKind.CODE:
            self._piece(self._as_written(text, start, end), start, end)
        elif start >= self.hidden and start != self.markup_end and self._is_bare(text):
            self._piece(text, start, end)
        else:
            for first, last in self._shown(start, end, fresh):
                self._piece(self.source[first - self.body : last - self.body], first, last)

    def _is_bare(self, text: str) -> bool:
        """Say whether there can't be any markup of other tools in a stretch of text."""
        return text[0] not in _MAY_OPEN and "{" not in text and not (self.marked and (FILL in text or TITLE in text))

    def _as_written(self, text: str, start: int, end: int) -> str:
        """Return what stands in the file: in a sample nothing is left out, whatever the parser was given for it."""
        return self.text[start:end] if self.marked and (FILL in text or TITLE in text) else text

    def _piece(self, text: str, start: int, end: int) -> None:
        """Add text that stands in the source as it is."""
        plain = self.plain
        if start == plain.tail and plain.opened < 0:
            plain.follow(text, end)
        else:
            escaped = start != plain.tail and start > self.body and self.source[start - 1 - self.body] == "\\"
            plain.add(text, start, end, start - 1 if escaped else -1)

    def _shown(self, start: int, end: int, fresh: bool) -> Iterator[tuple[int, int]]:
        """Yield the parts of a stretch of text that are no markup of the tools that wrote it."""
        source, body, stop = self.source, self.body, self.leaf.end - self.body
        if start == self.markup_end and (given := after_markup(source, start - body, stop)):
            self.hidden = body + given.end()
            self._close_markup(self.hidden)
        elif fresh and (mark := at_line_start(source, start - body, stop)):
            self.hidden, self.titled = body + mark.end(), source[start - body] != "{"
            if self.titled and self.plain.count > self.first_run:
                self.plain.add(PARTED, start, start + 1)
            if mark["alt"]:
                yield body + mark.start("alt"), body + mark.end("alt")
        at = max(start, self.hidden)
        while at < end:
            found = find_markup(source, at - body, end - body, stop, self.leaf.level > 0)
            following = body + found.start() if found else end
            if following > at:
                yield at, following
            at = self.hidden = body + found.end() if found else end

    def _break(self, _: None, start: int, end: int) -> None:
        if end < self.hidden and self.source[end - self.body : self.hidden - self.body].strip():
            return  # inside markup that goes on over several lines
        if self.titled:
            self.plain.add(PARTED, start, end)
        elif start >= self.hidden:
            (self._piece if end - start == 1 else self.plain.add)(" ", start, end)
        self.fresh, self.titled = True, False

    def _code(self, text: str, start: int, end: int) -> None:
        self.fresh = False
        if start < self.hidden:
            return
        raw = self.source[start - self.body : end - self.body]
        marks = len(raw) - len(raw.lstrip("`"))
        blank = (len(raw) - 2 * marks - len(text)) // 2  # one blank is taken off at each end of ` `` x `` `
        self.fixed.append((self.plain.length, self.plain.length + len(text)))
        first, last = start + marks + blank, end - marks - blank
        self.plain.add(self._as_written(text, first, last), first, last, start, end)
        self.markup_end = end

    def _start(self, tag: Any, start: int, end: int) -> None:
        name = tag if tag.__class__ is str else next(iter(tag))
        if name == "TableCell":
            if self.cell_end >= 0:
                self.plain.add(" | ", self.cell_end, start)
        elif name in _INLINE:
            self.fresh = False
            if self.plain.opened < 0 and start >= self.hidden:
                self.plain.opened = start
            if name in _ATOMS:
                self.atoms.append(self.plain.length)

    def _end(self, tag: Any, start: int, end: int) -> None:
        name = tag if tag.__class__ is str else next(iter(tag))
        if name == "TableCell":
            self.cell_end = end
        elif name in _INLINE:
            if end > self.hidden:
                self._close_markup(end)
            if name in _ATOMS:
                self.fixed.append((self.atoms.pop(), self.plain.length))
            self.markup_end = end

    def _close_markup(self, end: int) -> None:
        self.plain.close_markup(end, self.first_run)

    # HTML

    def _inline_html(self, tag: str, start: int, end: int) -> None:
        fresh, self.fresh = self.fresh, False
        if start < self.hidden:
            return
        shown = False
        for run in html_runs(tag) if not is_component(tag) else label_runs(tag) if fresh else ():
            self.plain.add(run.text, start + run.start, start + run.end, start, end)
            shown = True
        if not shown and opens_tag(tag):
            self.plain.opened = start if self.plain.opened < 0 else self.plain.opened
        elif not shown and tag.startswith("</"):
            self._close_markup(end)

    def _html(self, text: str, start: int, end: int) -> None:
        """A line of an HTML block: the block is read as a whole at its end."""
        self.html.append((text, start, end))

    def _html_block(self) -> None:
        """Give an HTML block its plain text: what a browser would show of it."""
        for run in runs_in_pieces(self.html):
            if run.start == self.plain.tail and len(run.text) == run.end - run.start:
                self.plain.follow(run.text, run.end)
            else:
                self.plain.add(run.text, run.start, run.end)
        self.html = []


def _pass(walk: InlineWalk, value: Any, start: int, end: int) -> None:
    """Leave out what stands in no sentence: a note's mark, a task's box."""


_HANDLERS: dict[str, Callable[[InlineWalk, Any, int, int], None]] = {  # for what the event says, and where
    "Start": InlineWalk._start,
    "End": InlineWalk._end,
    "Text": InlineWalk._text,
    "Code": InlineWalk._code,
    "InlineHtml": InlineWalk._inline_html,
    "Html": InlineWalk._html,
    "SoftBreak": InlineWalk._break,
    "HardBreak": InlineWalk._break,
    "FootnoteReference": _pass,
    "TaskListMarker": _pass,
    "Rule": _pass,
}


def _lead_words(leaf: Leaf, words: str) -> str:
    """Return what leads in: a table's header, the last sentence of an item with a list inside or before a colon."""
    if leaf.kind is BlockKind.TABLE_HEAD:
        return words
    if not leaf.nested and not words.endswith((":", "：")):
        return ""
    ends = [found.end() for found in _SENTENCE_END.finditer(words)]
    return words[ends[-1] :] if ends else words


def _apart(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the stretches in order, those that lie in another one left out."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart
