"""Markdown's blocks: one pass over a parser's events that looks into no block but headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from webapp.core.documents.asides import ASIDE
from webapp.core.documents.html import comment_only, tags_only
from webapp.core.documents.inline import InlineWalk
from webapp.core.documents.markup import unseen
from webapp.core.documents.model import BlockKind
from webapp.core.documents.outline import TAB_LEVEL, Leaf
from webapp.core.documents.stand_ins import FILL

_KINDS = {
    "Paragraph": BlockKind.PARAGRAPH,
    "Heading": BlockKind.HEADING,
    "CodeBlock": BlockKind.CODE,
    "HtmlBlock": BlockKind.HTML,
    "TableHead": BlockKind.TABLE_HEAD,
    "TableRow": BlockKind.TABLE_ROW,
}
_PARAGRAPH, _LIST_ITEM = BlockKind.PARAGRAPH, BlockKind.LIST_ITEM  # looked up once
_TABLE_ROW, _OTHER = BlockKind.TABLE_ROW, BlockKind.OTHER
_MAY_BE_UNSEEN = frozenset({"<", "{", ":", "[", "*", FILL})
_ASIDE = "Aside"  # an item that is no list's: what stands in it is read like any paragraph
_CONTAINERS = frozenset({"BlockQuote", "List", "Item", "FootnoteDefinition", "Table"})
_MARKED = frozenset({"BlockQuote", "Item", _ASIDE, "FootnoteDefinition"})  # opened by marks of their own
_PARTS = _CONTAINERS | _KINDS.keys() | {"Rule"}  # of a text: what ends the line before
_CAN_LEAD = frozenset({_PARAGRAPH, _LIST_ITEM})

_TAB = re.compile(r"#\s+\[[^\]\n]*\]\(#tab/")  # as DocFX heads them
_Range = dict[str, int]  # of bytes: start, end
_Event = tuple[Any, _Range]  # what it says, and where
_NOWHERE: _Range = {}


class BlockWalk:
    """The state of one walk over `source`, as which the parser reads the file's `text` from offset `body` on."""

    def __init__(self, source: str, at: Sequence[int], body: int, text: str) -> None:
        self.source, self.at, self.body = source, at, body
        self.leaves: list[Leaf] = []
        self.containers: list[str] = []
        self.pending = -1  # where the marker of a list item or quote stands that the next leaf begins with
        self.leads: list[int] = []  # what leads into the open lists
        self.header = -1
        self.group = 0
        self.headings: list[tuple[int, str]] = []  # those inside lists and quotes: depth and words
        self.within: tuple[str, ...] = ()  # their words
        self.inline = InlineWalk(source, at, body, text)

    def take(self, events: Iterable[_Event]) -> list[Leaf]:
        """Take the parser's events, their ranges in bytes; return the leaves."""
        events = iter(events)
        first = last = _NOWHERE  # of a tight list item's text, which has no events of its own: where it begins, ends
        for event, place in events:
            tag = _tag(event)
            if tag not in _PARTS:
                first, last = first or place, place
                continue
            if first:
                self._item_text(self.at[first["start"]], self.at[last["end"]])
                first = _NOWHERE
            if tag == "Heading":
                self._leaf(tag, place)
                self._heading(event["Start"]["Heading"]["level"], events)
            elif tag in _KINDS:
                self._leaf(tag, place)
                _pass_over({"End": tag}, events)
            elif "End" in event:
                self._leave(tag)
            elif tag in _CONTAINERS:
                self._enter(tag, self.at[place["start"]])
        return self.leaves

    # Leaves

    def _leaf(self, tag: str, place: _Range) -> None:
        start, end = self.at[place["start"]], self.at[place["end"]]
        self._add(self._kind(tag, start, end), start, end)
        if tag == "TableHead":
            self.header = len(self.leaves) - 1

    def _kind(self, tag: str, start: int, end: int) -> BlockKind:
        if tag == "HtmlBlock":
            html = self.source[start - self.body : end - self.body]
            return BlockKind.COMMENT if comment_only(html) else BlockKind.OTHER if tags_only(html) else BlockKind.HTML
        if tag == "Paragraph" and "Item" in self.containers:
            return _LIST_ITEM
        return _PARAGRAPH if tag == "Heading" and self.containers else _KINDS[tag]

    def _heading(self, level: str, events: Iterator[_Event]) -> None:
        leaf = self.leaves[-1]
        leaf.level = TAB_LEVEL if _TAB.match(self.source, leaf.start - self.body) else int(level[1])
        leaf.words = self.inline.words_of(leaf, _inside({"End": {"Heading": level}}, events))
        depth = len(self.containers)
        if depth:
            self._end_headings(depth - 1)
            self.headings.append((depth, leaf.words))
            leaf.within = self.within = tuple(words for _, words in self.headings if words)

    def _end_headings(self, depth: int) -> None:
        """Put those headings out of force that stand deeper in lists and quotes."""
        while self.headings and self.headings[-1][0] > depth:
            self.headings.pop()
            self.within = tuple(words for _, words in self.headings if words)

    def _item_text(self, start: int, end: int) -> None:
        self._add(_LIST_ITEM if "Item" in self.containers else _PARAGRAPH, start, end)

    def _add(self, kind: BlockKind, start: int, end: int) -> None:
        """Add a leaf, without the white space at its edges, unless it is blank."""
        if self.pending >= 0:
            start, self.pending = self.pending, -1
        raw = self.source[start - self.body : end - self.body].lstrip()
        found = raw.rstrip()
        if not found:
            return
        start = end - len(raw)
        end = start + len(found)
        if self.containers:
            lead = self.header if kind is _TABLE_ROW else self.leads[-1] if self.leads else -1
            self.leaves.append(Leaf(kind, start, end, self.group, lead, self.within, nested=True))
        else:
            kind = _OTHER if kind is _PARAGRAPH and _is_unseen(found) else kind
            self.leaves.append(Leaf(kind, start, end))

    # Containers

    def _enter(self, tag: str, start: int) -> None:
        if not self.containers:
            self.group += 1
        if tag == "List":
            self.leads.append(self._list_lead())
        elif tag == "Item" and self.inline.marked and ASIDE.match(self.source, start - self.body):
            tag = _ASIDE
        if tag in _MARKED and self.pending < 0:
            self.pending = start
        self.containers.append(tag)

    def _leave(self, tag: str) -> None:
        self.containers.pop()
        self.pending = -1
        if tag == "List":
            self.leads.pop()
        if self.headings:
            self._end_headings(len(self.containers))

    def _list_lead(self) -> int:
        """Return the leaf that may lead into a list: the item it is nested in, or a paragraph before it."""
        if not self.leaves:
            return -1
        before = self.leaves[-1]
        nested = bool(self.containers) and self.containers[-1] == "Item"
        leads = before.kind in _CAN_LEAD and (nested or not before.nested)
        return len(self.leaves) - 1 if leads else -1


def _is_unseen(found: str) -> bool:
    """Say whether a paragraph is only tags of MDX, or only marks of other tools."""
    return found[0] in _MAY_BE_UNSEEN and (tags_only(found) or unseen(found))


def _pass_over(closing: Any, events: Iterator[_Event]) -> None:
    """Leave out the events up to the closing one: they are taken when the leaf's words are asked for."""
    for event, _ in events:
        if event == closing:
            return


def _inside(closing: Any, events: Iterator[_Event]) -> Iterator[_Event]:
    """Yield the events up to the closing one."""
    for found in events:
        if found[0] == closing:
            return
        yield found


def _tag(event: Any) -> str:
    """Return the tag of a block or of a stretch of a line that an event opens or closes, else what it says itself."""
    if event.__class__ is str:
        return event
    tag = event.get("Start") or event.get("End") or ""
    return tag if tag.__class__ is str else next(iter(tag))
