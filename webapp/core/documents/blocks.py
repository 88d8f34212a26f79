"""Markdown's blocks: one pass over a parser's events that looks into no block but headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from webapp.core.documents.html import comment_only, tags_only
from webapp.core.documents.inline import InlineWalk
from webapp.core.documents.model import BlockKind
from webapp.core.documents.outline import Leaf

_CODE_OF_PAGE = re.compile(
    r"import\s[^\n]*\bfrom\s*['\"]|import\s+['\"]|export\s+(?:const|default|function|let)\b|\{/\*"
)
_KINDS = {
    "Paragraph": BlockKind.PARAGRAPH,
    "Heading": BlockKind.HEADING,
    "CodeBlock": BlockKind.CODE,
    "HtmlBlock": BlockKind.HTML,
    "TableHead": BlockKind.TABLE_HEAD,
    "TableRow": BlockKind.TABLE_ROW,
}
_CONTAINERS = frozenset({"BlockQuote", "List", "Item", "FootnoteDefinition", "Table"})
_MARKED = frozenset({"BlockQuote", "Item", "FootnoteDefinition"})  # opened by marks of their own
_SIDES = frozenset({"Start", "End"})
_CAN_LEAD = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})

_Event = tuple[Any, Any]  # what it says, and the range of bytes


class BlockWalk:
    """The state of one walk over `source`, which begins at offset `body` of the file."""

    def __init__(self, source: str, at: Sequence[int], body: int) -> None:
        self.source, self.at, self.body = source, at, body
        self.leaves: list[Leaf] = []
        self.containers: list[str] = []
        self.pending = -1  # where the marker of a list item or quote stands that the next leaf begins with
        self.item_start = -1  # of the text of a tight list item, which has no events of its own; -1: none is open
        self.item_end = -1
        self.leads: list[int] = []  # what leads into the open lists
        self.header = -1
        self.group = 0
        self.headings: list[tuple[int, str]] = []  # those inside lists and quotes: depth and words
        self.within: tuple[str, ...] = ()  # their words
        self.inline = InlineWalk(source, at, body)

    def take(self, events: Iterable[_Event]) -> list[Leaf]:
        """Take the parser's events, their ranges in bytes; return the leaves."""
        at = self.at
        events = iter(events)
        for event, place in events:
            start, end = at[place["start"]], at[place["end"]]
            tag, value, opens = _tag(event)
            if tag in _KINDS:
                self._leaf(tag, value, start, end, _inside(tag, events))
            elif tag in _CONTAINERS:
                self._close_item()
                if opens:
                    self._enter(tag, start)
                else:
                    self._leave(tag)
            elif event == "Rule":
                self._close_item()
            else:
                self.item_start = start if self.item_start < 0 else self.item_start
                self.item_end = end
        return self.leaves

    # Leaves

    def _leaf(self, tag: str, value: Any, start: int, end: int, inside: list[_Event]) -> None:
        self._close_item()
        leaf = self._add(self._kind(tag, start, end), start, end)
        if tag == "Heading":
            self._heading(leaf, int(value["Heading"]["level"][1]), inside)
        elif tag == "TableHead":
            self.header = len(self.leaves) - 1

    def _kind(self, tag: str, start: int, end: int) -> BlockKind:
        kind = _KINDS[tag]
        if kind is BlockKind.HTML and comment_only(self.source[start - self.body : end - self.body]):
            return BlockKind.COMMENT
        if self.containers and kind in (BlockKind.HEADING, BlockKind.PARAGRAPH):
            return BlockKind.LIST_ITEM if "Item" in self.containers and tag == "Paragraph" else BlockKind.PARAGRAPH
        return kind

    def _heading(self, leaf: Leaf, level: int, inside: list[_Event]) -> None:
        leaf.level = level
        leaf.words = self.inline.words_of(leaf, inside)
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

    def _close_item(self) -> None:
        """End the text of a tight list item."""
        if self.item_start >= 0:
            self._add(BlockKind.LIST_ITEM, self.item_start, self.item_end)
            self.item_start = -1

    def _add(self, kind: BlockKind, start: int, end: int) -> Leaf:
        """Add a leaf, without the white space at its edges, unless it is blank."""
        if self.pending >= 0:
            start, self.pending = self.pending, -1
        source, body = self.source, self.body
        while end > start and source[end - 1 - body].isspace():
            end -= 1
        while start < end and source[start - body].isspace():
            start += 1
        lead = self.header if kind is BlockKind.TABLE_ROW else self.leads[-1] if self.leads else -1
        nested = bool(self.containers)
        leaf = Leaf(kind, start, end, self.group if nested else 0, lead, self.within, nested)
        if kind is BlockKind.PARAGRAPH and not nested and self._is_unseen(start - body, end - body):
            leaf.kind = BlockKind.OTHER
        if end > start:
            self.leaves.append(leaf)
        return leaf

    def _is_unseen(self, start: int, end: int) -> bool:
        """Say whether a paragraph is an import, an export, a comment or only tags of MDX."""
        source = self.source
        if start == end or source[start] not in "ie{<":
            return False
        return _CODE_OF_PAGE.match(source, start) is not None or tags_only(source[start:end])

    # Containers

    def _enter(self, tag: str, start: int) -> None:
        if not self.containers:
            self.group += 1
        if tag == "List":
            self.leads.append(self._list_lead())
        if tag in _MARKED and self.pending < 0:
            self.pending = start
        self.containers.append(tag)

    def _leave(self, tag: str) -> None:
        self.containers.pop()
        self.pending = -1
        if tag == "List":
            self.leads.pop()
        self._end_headings(len(self.containers))

    def _list_lead(self) -> int:
        """Return the leaf that may lead into a list: the item it is nested in, or a paragraph before it."""
        if not self.leaves:
            return -1
        before = self.leaves[-1]
        nested = bool(self.containers) and self.containers[-1] == "Item"
        leads = before.kind in _CAN_LEAD and (nested or not before.nested)
        return len(self.leaves) - 1 if leads else -1


def _inside(tag: str, events: Iterator[_Event]) -> list[_Event]:
    """Take the events up to the one that closes `tag`, which may not stand in itself, and return them."""
    taken: list[_Event] = []
    for found in events:
        event = found[0]
        if event.__class__ is dict and "End" in event and _tag(event)[0] == tag:
            break
        taken.append(found)
    return taken


def _tag(event: Any) -> tuple[str, Any, bool]:
    """Return the tag that an event opens or closes, "" when it does neither, with what it says, and if it opens it."""
    if event.__class__ is str:
        return "", None, False
    ((name, value),) = event.items()
    if name not in _SIDES:
        return "", None, False
    return (value if value.__class__ is str else next(iter(value))), value, name == "Start"
