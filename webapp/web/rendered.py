"""A document's Markdown as safe HTML, with the quoted words marked in it.

The HTML is written here from the parser's events, because only they know which characters of the file a word comes
from; nh3 then has the last word on what may stand in a page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import nh3
from markupsafe import Markup

from webapp.core.documents.markdown import parse
from webapp.core.documents.model import Span
from webapp.web.printable import printable
from webapp.web.source_view import join_spans, keep_danda, pieces

# From a link's address in the document to the one in the page; None: the words stay, the link goes.
Resolve = Callable[[str], str | None]

_ELEMENTS = {
    "Paragraph": ("<p>", "</p>\n"),
    "BlockQuote": ("<blockquote>", "</blockquote>\n"),
    "CodeBlock": ("<pre><code>", "</code></pre>\n"),
    "List": ("<ul>", "</ul>\n"),
    "Item": ("<li>", "</li>\n"),
    "DefinitionList": ("<dl>", "</dl>\n"),
    "DefinitionListTitle": ("<dt>", "</dt>\n"),
    "DefinitionListDefinition": ("<dd>", "</dd>\n"),
    "Table": ("<table>", "</table>\n"),
    "TableHead": ("<thead><tr>", "</tr></thead>\n"),
    "TableRow": ("<tr>", "</tr>\n"),
    "TableCell": ("<td>", "</td>"),
    "Emphasis": ("<em>", "</em>"),
    "Strong": ("<strong>", "</strong>"),
    "Strikethrough": ("<del>", "</del>"),
    "Image": ('<span class="image">[', "]</span>"),
}
_DEEPEST = 60  # elements within each other: beyond it their words alone, since making safe takes depth times length
_DEEPEST_RAW = 2000
_VOID = re.compile(r"<(?:/?(?:br|hr|img|wbr|input|meta|link|col)\b|!)", re.IGNORECASE)
_TAG = re.compile(r"(<[^<>]*>)")  # linear: a "<" without its end stops at the next
_MARK_TAG = re.compile(r"</?mark\b[^<>]*>", re.IGNORECASE)

_ALLOWED = {
    *("p", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "code", "em", "strong", "del", "hr"),
    *("table", "thead", "tbody", "tr", "th", "td", "a", "span", "div", "br", "mark", "sup", "sub", "kbd", "b", "i"),
    *("dl", "dt", "dd", "u", "s", "small"),
}
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "th": {"scope"}}


def render_markdown(text: str, quoted: Iterable[Span], resolve: Resolve, start: int = 0) -> Markup:
    """Return the text from offset `start` on as HTML; `quoted` are spans of the whole text.

    The first mark has the id `cited`. Images give their words, raw HTML keeps what is harmless, scripts nothing.
    """
    writer = _Writer(text, join_spans(text, quoted))
    _, events, offsets = parse(text, start)
    for event, place in events:
        writer.write(event, offsets[place["start"]], offsets[place["end"]])
    writer.flush_html()
    dirty = printable("".join(writer.out).replace("</mark><mark>", ""))
    return Markup(_clean(dirty, resolve).replace("<mark>", '<mark id="cited" tabindex="-1">', 1))


def web_link(address: str) -> str | None:
    """Keep addresses that a reader may be sent to, wherever the collection is: http(s) and mailto."""
    return address if re.match(r"(?:https?://|mailto:)[^\s]", address, re.IGNORECASE) else None


def _clean(dirty: str, resolve: Resolve) -> str:
    def keep(tag: str, attribute: str, value: str) -> str | None:
        return resolve(value) if (tag, attribute) == ("a", "href") else value

    return nh3.clean(
        dirty,
        tags=_ALLOWED,
        attributes=_ATTRIBUTES,
        attribute_filter=keep,
        allowed_classes={"span": {"image", "keep"}, "div": {"footnote"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )


@dataclass
class _Writer:
    """Turns events into HTML."""

    text: str
    spans: Sequence[Span]
    out: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)  # what closes the elements that are open
    level: int = 1  # of the last heading: the page's title is level 1, and none is skipped
    raw_depth: int = 0  # tags of raw HTML that may be open
    raw: tuple[int, int] | None = None  # raw HTML gathered so far: a tag may run over several events

    def write(self, event: Any, first: int, last: int) -> None:
        """Write one event that stands at `first` to `last` in the text."""
        kind, value = _split(event)
        if kind in ("Html", "InlineHtml"):
            self.raw = (self.raw[0] if self.raw and self.raw[1] == first else self._restart(first), last)
            return
        self.flush_html()
        if kind == "Start":
            deep = len(self.open) >= _DEEPEST
            opening, closing = ("", "") if deep else self.element(*_split(value))
            self.out.append(opening)
            self.open.append(closing)
        elif kind == "End":
            self.out.append(self.open.pop())
        else:
            self.out.append(self.leaf(kind, value, first, last))

    def leaf(self, kind: str, value: Any, first: int, last: int) -> str:
        """Return the HTML of an event without children."""
        shown = ""
        match kind:
            case "Text":
                shown = self.marked(value, first, last)
            case "Code":
                shown = f"<code>{self.marked(value, first, last)}</code>"
            case "SoftBreak":
                shown = self.marked("\n", first, last)
            case "HardBreak":
                shown = "<br>\n"
            case "Rule":
                shown = "<hr>\n"
            case "FootnoteReference":
                shown = f"<sup>[{html.escape(value)}]</sup>"
            case "TaskListMarker":
                shown = "☑ " if value else "☐ "
        return shown

    def element(self, name: str, value: Any) -> tuple[str, str]:
        """Return what opens and what closes an element; nothing for one that a page has no use for."""
        pair = _ELEMENTS.get(name, ("", ""))
        match name:
            case "Heading":
                self.level = max(2, min(int(value["level"][1:]), self.level + 1))
                pair = f"<h{self.level}>", f"</h{self.level}>\n"
            case "Link":
                pair = f'<a href="{html.escape(value["dest_url"])}">', "</a>"
            case "Image" if pair[1] in self.open:
                pair = "", ""  # an image within the words of another
            case "List" if value is not None:
                pair = f'<ol start="{value}">', "</ol>\n"
            case "TableCell" if _ELEMENTS["TableHead"][1] in self.open:
                pair = '<th scope="col">', "</th>"
            case "FootnoteDefinition":
                pair = f'<div class="footnote">[{html.escape(value)}] ', "</div>\n"
        return pair

    def marked(self, shown: str, first: int, last: int) -> str:
        """Return the shown text with its quoted part marked; what reads otherwise than in the file goes whole."""
        inside = [
            Span(max(span.start, first), min(span.end, last)) for span in self.spans if _overlap(span, first, last)
        ]
        offset = first + self.text[first:last].find(shown) if inside else first
        if inside and offset < first:  # an entity, a folded line end: no character to character way back
            return f"<mark>{keep_danda(shown)}</mark>"
        return "".join(_mark(keep_danda(piece.text), piece.marked) for piece in pieces(shown, offset, inside))

    def flush_html(self) -> None:
        """Write the raw HTML gathered so far, its words marked and its own marks left out."""
        if self.raw is None:
            return
        at, last = self.raw
        self.raw = None
        for part in _TAG.split(self.text[at:last]):
            if part.startswith("<"):
                self.out.append(self._raw_tag(part))
            else:
                self.out += [_mark(piece.text, piece.marked) for piece in pieces(part, at, self.spans)]
            at += len(part)

    def _raw_tag(self, tag: str) -> str:
        """Return a tag of raw HTML; nothing for a mark, and for one that would stand too deep."""
        closing = tag.startswith("</")
        if not _VOID.match(tag):
            self.raw_depth = max(0, self.raw_depth + (-1 if closing else 1))
        return "" if self.raw_depth > _DEEPEST_RAW and not closing else _MARK_TAG.sub("", tag)

    def _restart(self, first: int) -> int:
        self.flush_html()
        return first


def _split(event: Any) -> tuple[str, Any]:
    """An event or tag is a bare word, or a word with its value."""
    return (event, None) if isinstance(event, str) else next(iter(event.items()))


def _overlap(span: Span, first: int, last: int) -> bool:
    return span.start < last and first < span.end


def _mark(text: str, marked: bool) -> str:
    return f"<mark>{text}</mark>" if marked else text
