"""One walk over the events of a Markdown parser: block events open and close leaves, inline events add plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from webapp.core.documents.html import comment_only, html_runs, opens_tag, runs_in_pieces, tags_only
from webapp.core.documents.model import BlockKind
from webapp.core.documents.outline import Leaf, Outline
from webapp.core.documents.plain_writer import PlainWriter

_HEADING_ID = re.compile(r"\{#[^{}]*\}\s*$")
_SENTENCE_END = re.compile(r"[.!?।]\s")
_CODE_OF_PAGE = re.compile(
    r"import\s[^\n]*\bfrom\s*['\"]|import\s+['\"]|export\s+(?:const|default|function|let)\b|\{/\*"
)
_ATTRIBUTES = re.compile(r"\{[:.#][^{}\n]*\}")  # of the link or image before, as kramdown and others write them
_ADMONITION = re.compile(r":::+\s*\w*\s*|(?:!!!|\?\?\?)\+? +\w+\s*")  # of Docusaurus and MkDocs: their kind is markup

_ATOMS = frozenset({"Link", "Image"})
_KINDS = {
    "CodeBlock": BlockKind.CODE,
    "HtmlBlock": BlockKind.HTML,
    "TableHead": BlockKind.TABLE_HEAD,
    "TableRow": BlockKind.TABLE_ROW,
}
_LEAVES = ("Paragraph", "Heading", *_KINDS)
_CONTAINERS = ("BlockQuote", "List", "Item", "FootnoteDefinition", "Table")
_MARKED = frozenset({"BlockQuote", "Item", "FootnoteDefinition"})  # opened by marks of their own

_Handler = Callable[[Any, int, int], None]  # what the event says, and where
_TagHandler = Callable[[str, Any, int, int], None]


class Walk:
    """The state of one walk over `source`, which begins at offset `body` of the file."""

    def __init__(self, source: str, at: Sequence[int], body: int) -> None:
        self.source, self.at, self.body = source, at, body
        self.leaves: list[Leaf] = []
        self.leaf: Leaf | None = None
        self.leaf_end = -1  # where the parser says that it ends
        self.implicit = False  # the open leaf is a tight list item's text, which has no events of its own
        self.pending = -1  # where the marker of a list item or quote stands that the next leaf begins with
        self.containers: list[str] = []
        self.leads: list[str] = []
        self.group = 0
        self.header = ""
        self.plain = PlainWriter()
        self.inline_end = 0
        self.link_end = -1  # of the last link or image, with the attributes that may follow it in braces
        self.cell_end = -1
        self.atoms: list[int] = []  # where in the plain text the open links and images begin
        self.fixed: list[tuple[int, int]] = []
        self.html: list[tuple[str, int, int]] = []

    def take(self, events: Iterable[tuple[Any, Any]]) -> None:
        """Take the parser's events; their ranges are byte offsets."""
        at, handlers = self.at, self._handlers()
        for event, place in events:
            start, end = at[place["start"]], at[place["end"]]
            if event.__class__ is str:
                handlers[event](None, start, end)
            else:
                ((name, value),) = event.items()
                handlers[name](value, start, end)

    def finish(self) -> Outline:
        """Return what was gathered."""
        return Outline(self.leaves, self.plain.text(), self.plain.runs())

    def _handlers(self) -> dict[str, _Handler]:
        starts: dict[str, _TagHandler] = dict.fromkeys(_LEAVES, self._start_leaf)
        starts |= dict.fromkeys(_CONTAINERS, self._enter) | {"TableCell": self._start_cell}
        ends: dict[str, _TagHandler] = dict.fromkeys(_LEAVES, self._end_leaf)
        ends |= dict.fromkeys(_CONTAINERS, self._leave) | {"TableCell": self._end_cell}
        return {
            "Start": _by_tag(starts, self._open_inline),
            "End": _by_tag(ends, self._close_inline),
            "Text": self._text,
            "Code": self._code,
            "InlineHtml": self._inline_html,
            "Html": self._html,
            "SoftBreak": self._break,
            "HardBreak": self._break,
            "FootnoteReference": self._unseen,
            "TaskListMarker": self._unseen,
            "Rule": lambda value, start, end: None,
        }

    # Blocks

    def _start_leaf(self, tag: str, value: Any, start: int, end: int) -> None:
        if self.implicit:
            self._close(self.inline_end)
        self.leaf_end = end
        self._open(_KINDS.get(tag) or self._kind_of_text(tag), start)
        if tag == "Heading" and self.leaf:
            self.leaf.level = int(value["Heading"]["level"][1])

    def _kind_of_text(self, tag: str) -> BlockKind:
        if tag == "Heading":
            return BlockKind.PARAGRAPH if self.containers else BlockKind.HEADING
        return BlockKind.LIST_ITEM if "Item" in self.containers else BlockKind.PARAGRAPH

    def _end_leaf(self, tag: str, value: Any, start: int, end: int) -> None:
        if tag == "HtmlBlock":
            self._html_block(start, end)
        elif tag == "Heading":
            self._drop_heading_id()
        self._close(end)

    def _start_cell(self, tag: str, value: Any, start: int, end: int) -> None:
        if self.cell_end >= 0 and start < self.leaf_end:  # else it only fills up a short row
            self.plain.add(" | ", self.cell_end, start)

    def _end_cell(self, tag: str, value: Any, start: int, end: int) -> None:
        self.cell_end = end

    def _enter(self, tag: str, value: Any, start: int, end: int) -> None:
        if self.implicit:
            self._close(self.inline_end)
        if not self.containers:
            self.group += 1
        if tag == "List":
            self.leads.append(self._list_lead())
        if tag in _MARKED and self.pending < 0:
            self.pending = start
        self.containers.append(tag)

    def _leave(self, tag: str, value: Any, start: int, end: int) -> None:
        if self.implicit:
            self._close(self.inline_end)
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
        text = self.plain.since(before.plain_start)
        if not nested and not text.endswith((":", "：")):
            return ""
        ends = [found.end() for found in _SENTENCE_END.finditer(text)]
        return text[ends[-1] :] if ends else text

    def _open(self, kind: BlockKind, start: int) -> None:
        if self.pending >= 0:
            start = self.pending
        plain = self.plain
        self.pending = self.cell_end = plain.opened = -1
        lead = self.header if kind is BlockKind.TABLE_ROW else self.leads[-1] if self.leads else ""
        nested = bool(self.containers)
        self.leaf = Leaf(kind, start, start, self.group if nested else 0, lead, 0, nested, plain.count, plain.length)

    def _close(self, end: int) -> None:
        leaf, plain = self.leaf, self.plain
        assert leaf is not None
        self.leaf, self.implicit = None, False
        self._trim(leaf, end)
        if self._is_unseen(leaf):
            leaf.kind = BlockKind.OTHER
            plain.take_back(leaf.plain_start, leaf.first_run)
        leaf.plain_end = plain.length
        leaf.fixed, self.fixed = tuple(self.fixed), []
        plain.opened = plain.tail = -1
        if leaf.end > leaf.start:
            self.leaves.append(leaf)
        if leaf.kind is BlockKind.TABLE_HEAD:
            self.header = plain.since(leaf.plain_start)
        if plain.length > leaf.plain_start:
            plain.part()

    def _trim(self, leaf: Leaf, end: int) -> None:
        """Set where the leaf ends, and move its start, so that no white space stands at its edges."""
        source, body = self.source, self.body
        while end > leaf.start and source[end - 1 - body].isspace():
            end -= 1
        while leaf.start < end and source[leaf.start - body].isspace():
            leaf.start += 1
        leaf.end = end

    def _is_unseen(self, leaf: Leaf) -> bool:
        """Say whether it is blank, or a paragraph that is an import, an export, a comment or only tags of MDX."""
        start, end = leaf.start - self.body, leaf.end - self.body
        if start == end:
            return True
        if leaf.kind is not BlockKind.PARAGRAPH or leaf.nested or self.source[start] not in "ie{<":
            return False
        return _CODE_OF_PAGE.match(self.source, start) is not None or tags_only(self.source[start:end])

    def _drop_heading_id(self) -> None:
        """Take an explicit {#id} at a heading's end off its plain text."""
        if self.leaf and self.plain.length > self.leaf.plain_start:
            piece = self.plain.last_piece()
            found = _HEADING_ID.search(piece)
            if found:
                self.plain.drop_end(len(piece) - len(piece[: found.start()].rstrip()))

    # Inline

    def _open_implicit(self, start: int) -> None:
        """Open the leaf of a tight list item, which the parser does not announce."""
        self._open(BlockKind.LIST_ITEM, start)
        self.implicit = True

    def _text(self, text: str, start: int, end: int) -> None:
        if self.leaf is None:
            self._open_implicit(start)
        self.inline_end = end
        plain = self.plain
        if start == self.link_end and (given := _ATTRIBUTES.match(self.source, start - self.body)):
            self.link_end = self.body + given.end()
            self._close_markup(self.link_end)
        if start < self.link_end:
            text, start = text[self.link_end - start :], self.link_end
            if not text:
                return
        if text[0] in ":!?" and (mark := _ADMONITION.match(text)) and self._begins_line(start):
            text, start = text[mark.end() :], start + mark.end()
        if start == plain.tail and plain.opened < 0 and len(text) == end - start:
            plain.follow(text, end)
        else:
            escaped = start != plain.tail and start > self.body and self.source[start - 1 - self.body] == "\\"
            plain.add(text, start, end, start - 1 if escaped else -1)

    def _begins_line(self, start: int) -> bool:
        return start == self.body or self.source[start - 1 - self.body] in "\n "

    def _break(self, _: None, start: int, end: int) -> None:
        self._text(" ", start, end)

    def _code(self, text: str, start: int, end: int) -> None:
        self._unseen(text, start, end)
        raw = self.source[start - self.body : end - self.body]
        marks = len(raw) - len(raw.lstrip("`"))
        blank = (len(raw) - 2 * marks - len(text)) // 2  # one blank is taken off at each end of ` `` x `` `
        self.fixed.append((self.plain.length, self.plain.length + len(text)))
        self.plain.add(text, start + marks + blank, end - marks - blank, start, end)

    def _unseen(self, _: Any, start: int, end: int) -> None:
        """A footnote's mark and a task's box stand in no sentence."""
        if self.leaf is None:
            self._open_implicit(start)
        self.inline_end = end

    def _open_inline(self, tag: str, value: Any, start: int, end: int) -> None:
        if self.leaf is None:
            self._open_implicit(start)
        if self.plain.opened < 0:
            self.plain.opened = start
        if tag in _ATOMS:
            self.atoms.append(self.plain.length)

    def _close_inline(self, tag: str, value: Any, start: int, end: int) -> None:
        self._close_markup(end)
        if tag in _ATOMS:
            self.fixed.append((self.atoms.pop(), self.plain.length))
            self.link_end = end

    def _close_markup(self, end: int) -> None:
        if self.leaf:
            self.plain.close_markup(end, self.leaf.first_run)
        self.inline_end = end

    # HTML

    def _inline_html(self, tag: str, start: int, end: int) -> None:
        self._unseen(tag, start, end)
        shown = False
        for run in html_runs(tag):
            self.plain.add(run.text, start + run.start, start + run.end, start, end)
            shown = True
        if not shown and opens_tag(tag):
            self.plain.opened = start if self.plain.opened < 0 else self.plain.opened
        elif not shown and tag.startswith("</"):
            self._close_markup(end)

    def _html(self, text: str, start: int, end: int) -> None:
        """A line of an HTML block: the block is read as a whole at its end."""
        self.html.append((text, start, end))

    def _html_block(self, start: int, end: int) -> None:
        """Give an HTML block its kind and its plain text: what a browser would show of it."""
        lines, self.html = self.html, []
        if self.leaf is None or not lines:
            return
        raw = self.source[start - self.body : end - self.body]
        if comment_only(raw):
            self.leaf.kind = BlockKind.COMMENT
            return
        for run in runs_in_pieces(lines):
            if run.start == self.plain.tail and len(run.text) == run.end - run.start:
                self.plain.follow(run.text, run.end)
            else:
                self.plain.add(run.text, run.start, run.end)


def _by_tag(handlers: dict[str, _TagHandler], inline: _TagHandler) -> _Handler:
    """Return the handler of starts or ends: by tag, and one for all inline ones."""

    def handle(value: Any, start: int, end: int) -> None:
        tag = value if value.__class__ is str else next(iter(value))
        handlers.get(tag, inline)(tag, value, start, end)

    return handle
