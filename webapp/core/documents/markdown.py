"""Markdown → its leaf blocks and plain text, each with exact offsets in the file: one walk over a parser's events.

The parser (pulldown-cmark) does the reading; its ranges are UTF-8 bytes and are turned into characters here, once.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyromark

from webapp.core.documents.html import comment_only, html_runs, opens_tag, tags_only
from webapp.core.documents.model import BlockKind, Runs

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_GFM
)
_PARSER = pyromark.Markdown(options=_OPTIONS)

_LONE_CR = re.compile(r"\r(?!\n)")
_HEADING_ID = re.compile(r"\s*\{#[^{}]*\}\s*$")
_LAST_SENTENCE = re.compile(r".*[.!?।]\s+", re.DOTALL)
_CODE_OF_PAGE = re.compile(
    r"import\s[^\n]*\bfrom\s*['\"]|import\s+['\"]|export\s+(?:const|default|function|let)\b|\{/\*"
)
_ADMONITION = re.compile(r":::+\s*\w*\s*|(?:!!!|\?\?\?)\+? +\w+\s*")  # of Docusaurus and MkDocs: their kind is markup

_ATOMS = frozenset({"Link", "Image"})
_TABLE_PARTS = frozenset({"TableHead", "TableRow"})
_LEAVES = frozenset({"Paragraph", "Heading", "CodeBlock", "HtmlBlock"}) | _TABLE_PARTS
_CONTAINERS = frozenset({"BlockQuote", "List", "Item", "FootnoteDefinition", "Table"})
_MARKED = frozenset({"BlockQuote", "Item", "FootnoteDefinition"})  # opened by marks of their own


@dataclass(slots=True)
class Leaf:
    """One leaf block: its place in the file and in the document's plain text."""

    kind: BlockKind
    start: int
    end: int
    group: int
    lead: str
    level: int  # of a heading, else 0
    nested: bool  # stands inside a list, a quote or the like
    first_run: int
    plain_start: int
    plain_end: int = 0
    fixed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What a walk gives: leaves in the order of the file, the plain text, and the runs that link both."""

    leaves: list[Leaf]
    plain: str
    runs: Runs


def outline(text: str, body: int) -> Outline:
    """Walk over the Markdown that begins at offset `body` of `text`. All offsets given back are the file's."""
    source, events, offsets = parse(text, body)
    walk = _Walk(source, offsets, body)
    walk.take(events)
    return walk.finish()


def parse(text: str, body: int) -> tuple[str, Iterable[tuple[Any, Any]], Sequence[int]]:
    """Read the Markdown that begins at offset `body` of `text`.

    Return it as it was read, the parser's events with their ranges in bytes of it, and the look-up from such a byte to
    the character's offset in `text`.
    """
    source = _LONE_CR.sub("\n", text[body:]) if "\r" in text else text[body:]
    return source, _PARSER.events_with_range(source), _character_offsets(source, body)


def _character_offsets(source: str, base: int) -> Sequence[int]:
    """Return a look-up from byte offset in `source` to character offset in the file, which begins `base` earlier."""
    if source.isascii():
        return range(base, base + len(source) + 1)
    data = np.frombuffer(source.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    offsets = np.empty(len(data) + 1, dtype=np.int32)
    offsets[0] = base
    np.cumsum((data & 0xC0) != 0x80, out=offsets[1:])
    offsets[1:] += base
    return array("i", offsets.tobytes())


class _Walk:
    """The state of one walk. Inline events fill runs; block events open and close leaves."""

    def __init__(self, source: str, at: Sequence[int], body: int) -> None:
        self.source, self.at, self.body = source, at, body
        self.leaves: list[Leaf] = []
        self.leaf: Leaf | None = None
        self.implicit = False  # the open leaf is a tight list item's text, which has no events of its own
        self.pending = -1  # where the marker of a list item or quote stands that the next leaf begins with
        self.containers: list[str] = []
        self.leads: list[str] = []
        self.group = 0
        self.header = ""
        self.pieces: list[str] = []
        self.length = 0
        self.starts, self.plain_ends = array("q"), array("q")
        self.raw, self.raw_ends = array("q"), array("q")
        self.outer, self.outer_ends = array("q"), array("q")
        self.columns = (self.starts, self.plain_ends, self.raw, self.raw_ends, self.outer, self.outer_ends)
        self.tail = -1  # where in the file the last run ends, when text that follows there can be added to it
        self.opened = -1  # where the Markdown begins that opens before the next run
        self.inline_end = 0
        self.cell_end = self.leaf_end = -1
        self.atoms: list[int] = []  # where in the plain text the open links and images begin
        self.fixed: list[tuple[int, int]] = []
        self.html: list[tuple[str, int, int]] = []
        self.handlers: dict[str, Callable[[Any, int, int], None]] = {
            "Start": self._start,
            "End": self._end,
            "Text": self._text,
            "Code": self._code,
            "InlineHtml": self._inline_html,
            "Html": self._html,
            "SoftBreak": self._break,
            "HardBreak": self._break,
            "FootnoteReference": self._unseen,
            "TaskListMarker": self._unseen,
        }

    def take(self, events: Iterable[tuple[Any, Any]]) -> None:
        """Take the parser's events; their ranges are byte offsets."""
        at, handlers = self.at, self.handlers
        for event, place in events:
            start, end = at[place["start"]], at[place["end"]]
            if event.__class__ is dict:
                for name, value in event.items():
                    handlers[name](value, start, end)
            elif event != "Rule":
                handlers[event](None, start, end)

    def finish(self) -> Outline:
        """Return what was gathered."""
        return Outline(self.leaves, "".join(self.pieces), Runs(*self.columns))

    # Blocks

    def _start(self, value: Any, start: int, end: int) -> None:
        tag = value if value.__class__ is str else next(iter(value))
        if tag in _LEAVES:
            self._close_implicit()
            self.leaf_end = end
            self._open(self._kind(tag), start, int(value["Heading"]["level"][1]) if tag == "Heading" else 0)
        elif tag in _CONTAINERS:
            self._close_implicit()
            self._enter(tag, start)
        elif tag == "TableCell":
            if self.cell_end >= 0 and start < self.leaf_end:  # else it only fills up a short row
                self._run(" | ", self.cell_end, start)
        else:
            self._open_inline(tag, start)

    def _end(self, value: Any, start: int, end: int) -> None:
        tag = value if value.__class__ is str else next(iter(value))
        if tag in _LEAVES:
            if tag == "HtmlBlock":
                self._html_block(start, end)
            elif tag == "Heading":
                self._drop_heading_id()
            self._close(end)
        elif tag in _CONTAINERS:
            self._close_implicit()
            self._leave(tag)
        elif tag == "TableCell":
            self.cell_end = end
        else:
            self._close_inline(tag, end)

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

    def _list_lead(self) -> str:
        """Return the line that leads into a list: the item it is nested in, or a paragraph that ends in a colon."""
        if not self.leaves:
            return ""
        before = self.leaves[-1]
        nested = bool(self.containers) and self.containers[-1] == "Item"
        if before.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM) or (before.nested and not nested):
            return ""
        text = self._plain_of(before)
        return _LAST_SENTENCE.sub("", text) if nested or text.endswith((":", "：")) else ""

    def _plain_of(self, leaf: Leaf) -> str:
        """Return the plain text of the leaf that was closed last."""
        taken, index = 0, len(self.pieces)
        while index and taken < self.length - leaf.plain_start:
            index -= 1
            taken += len(self.pieces[index])
        return " ".join("".join(self.pieces[index:]).split())

    def _kind(self, tag: str) -> BlockKind:
        if tag == "CodeBlock":
            return BlockKind.CODE
        if tag == "HtmlBlock":
            return BlockKind.HTML
        if tag in _TABLE_PARTS:
            return BlockKind.TABLE_HEAD if tag == "TableHead" else BlockKind.TABLE_ROW
        if tag == "Heading":
            return BlockKind.PARAGRAPH if self.containers else BlockKind.HEADING
        return BlockKind.LIST_ITEM if "Item" in self.containers else BlockKind.PARAGRAPH

    def _open(self, kind: BlockKind, start: int, level: int = 0) -> None:
        if self.pending >= 0:
            start = self.pending
        self.pending = self.opened = self.cell_end = -1
        lead = self.header if kind is BlockKind.TABLE_ROW else self.leads[-1] if self.leads else ""
        group = self.group if self.containers else 0
        nested = bool(self.containers)
        self.leaf = Leaf(kind, start, start, group, lead, level, nested, len(self.starts), self.length)

    def _close(self, end: int) -> None:
        leaf = self.leaf
        assert leaf is not None
        self._trim(leaf, end)
        if leaf.kind is BlockKind.PARAGRAPH and self._is_page_code(leaf):
            self._hide(leaf)
        leaf.plain_end = self.length
        if self.fixed:
            leaf.fixed = tuple(self.fixed)
            self.fixed = []
        self.leaf, self.implicit, self.opened, self.tail = None, False, -1, -1
        self.leaves.append(leaf)
        if leaf.kind is BlockKind.TABLE_HEAD:
            self.header = self._plain_of(leaf)
        if self.length > leaf.plain_start:
            self.pieces.append("\n\n")
            self.length += 2

    def _close_implicit(self) -> None:
        if self.implicit:
            self._close(self.inline_end)

    def _is_page_code(self, leaf: Leaf) -> bool:
        """Say whether a paragraph is an import, an export, a comment or nothing but tags of MDX."""
        start, end = leaf.start - self.body, leaf.end - self.body
        if leaf.nested or self.source[start : start + 1] not in ("i", "e", "{", "<"):
            return False
        return _CODE_OF_PAGE.match(self.source, start) is not None or tags_only(self.source[start:end])

    def _hide(self, leaf: Leaf) -> None:
        """Take off the plain text of a paragraph that no reader sees."""
        leaf.kind = BlockKind.OTHER
        while self.length > leaf.plain_start:
            self.length -= len(self.pieces.pop())
        for column in self.columns:
            del column[leaf.first_run :]

    def _drop_heading_id(self) -> None:
        """Take an explicit {#id} at a heading's end off its plain text."""
        leaf = self.leaf
        found = _HEADING_ID.search(self.pieces[-1]) if leaf and self.length > leaf.plain_start else None
        if found:
            dropped = len(found[0])
            self.pieces[-1] = self.pieces[-1][: found.start()]
            self.length -= dropped
            self.plain_ends[-1] -= dropped
            self.raw_ends[-1] -= dropped

    def _trim(self, leaf: Leaf, end: int) -> None:
        """Set where the leaf ends, and move its start, so that no white space stands at its edges."""
        source, body = self.source, self.body
        while end > leaf.start and source[end - 1 - body].isspace():
            end -= 1
        while leaf.start < end and source[leaf.start - body].isspace():
            leaf.start += 1
        leaf.end = end

    # Inline

    def _open_implicit(self, start: int) -> None:
        """Open the leaf of a tight list item, which the parser does not announce."""
        self._open(BlockKind.LIST_ITEM, start)
        self.implicit = True

    def _run(self, text: str, start: int, end: int, outer: int = -1, outer_end: int = -1) -> None:
        """Add plain text that comes from the file's characters `start` to `end`."""
        if not text:
            return
        self.starts.append(self.length)
        self.length += len(text)
        self.plain_ends.append(self.length)
        self.raw.append(start)
        self.raw_ends.append(end)
        if self.opened >= 0:
            outer, self.opened = self.opened, -1
        self.outer.append(outer if outer >= 0 else start)
        self.outer_ends.append(max(outer_end, end))
        self.pieces.append(text)
        self.tail = end if len(text) == end - start and outer_end <= end else -1

    def _text(self, text: str, start: int, end: int) -> None:
        if self.leaf is None:
            self._open_implicit(start)
        self.inline_end = end
        if text[0] in ":!?" and (mark := _ADMONITION.match(text)) and self._begins_line(start):
            text, start = text[mark.end() :], start + mark.end()
        if start == self.tail and self.opened < 0 and len(text) == end - start:
            self._lengthen(text, end)
        else:
            escaped = start != self.tail and start > self.body and self.source[start - 1 - self.body] == "\\"
            self._run(text, start, end, start - 1 if escaped else -1)

    def _begins_line(self, start: int) -> bool:
        return start == self.body or self.source[start - 1 - self.body] in "\n "

    def _lengthen(self, text: str, end: int) -> None:
        """Add text that goes on where the last run ended to that run."""
        self.length += len(text)
        self.plain_ends[-1] = self.length
        self.raw_ends[-1] = self.outer_ends[-1] = self.tail = end
        self.pieces.append(text)

    def _code(self, text: str, start: int, end: int) -> None:
        if self.leaf is None:
            self._open_implicit(start)
        self.inline_end = end
        raw = self.source[start - self.body : end - self.body]
        marks = len(raw) - len(raw.lstrip("`"))
        blank = (len(raw) - 2 * marks - len(text)) // 2  # one blank is taken off at each end of ` `` x `` `
        self.fixed.append((self.length, self.length + len(text)))
        self._run(text, start + marks + blank, end - marks - blank, start, end)

    def _break(self, _: None, start: int, end: int) -> None:
        self._text(" ", start, end)

    def _unseen(self, _: Any, start: int, end: int) -> None:
        """A footnote's mark and a task's box stand in no sentence."""
        if self.leaf is None:
            self._open_implicit(start)
        self.inline_end = end

    def _html(self, text: str, start: int, end: int) -> None:
        """A line of an HTML block: the block is read as a whole at its end."""
        self.html.append((text, start, end))

    def _inline_html(self, tag: str, start: int, end: int) -> None:
        self._unseen(tag, start, end)
        shown = False
        for run in html_runs(tag):
            self._run(run.text, start + run.start, start + run.end, start, end)
            shown = True
        if not shown and opens_tag(tag):
            self.opened = start if self.opened < 0 else self.opened
        elif not shown and tag.startswith("</"):
            self._close_inline("", end)

    def _open_inline(self, tag: str, start: int) -> None:
        if self.leaf is None:
            self._open_implicit(start)
        if self.opened < 0:
            self.opened = start
        if tag in _ATOMS:
            self.atoms.append(self.length)

    def _close_inline(self, tag: str, end: int) -> None:
        self.opened = self.tail = -1
        leaf = self.leaf
        if leaf is not None and len(self.outer_ends) > leaf.first_run:
            self.outer_ends[-1] = max(self.outer_ends[-1], end)
        if tag in _ATOMS:
            self.fixed.append((self.atoms.pop(), self.length))
        self.inline_end = end

    def _html_block(self, start: int, end: int) -> None:
        """Give an HTML block its kind and its plain text: what a browser would show of it."""
        lines, self.html = self.html, []
        if self.leaf is None or not lines:
            return
        raw = self.source[start - self.body : end - self.body]
        if comment_only(raw):
            self.leaf.kind = BlockKind.COMMENT
            return
        whole = sum(len(text) for text, _, _ in lines) == end - start
        for text, begin, _ in [(raw, start, end)] if whole else lines:
            for run in html_runs(text):
                self._run(run.text, begin + run.start, begin + run.end)
