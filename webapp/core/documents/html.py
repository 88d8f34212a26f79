"""What a reader sees of HTML inside Markdown: text between the tags, alt texts, entities decoded; no comments."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMMENT = re.compile(r"(?:\s|<!--.*?-->)+", re.DOTALL)
_ATTRIBUTES = r"(?:[^<>\"'{}]|\"[^\"<>]{0,2000}\"|'[^'<>]{0,2000}'|\{[^{}]{0,2000}\}){0,500}"
_TOKEN = re.compile(
    r"(?P<hidden><!--.*?-->|<(?P<name>script|style)\b[^>]*>.*?</(?P=name)\s*>|<[?!][^>]*>)"
    rf"|(?P<tag></?(?P<element>[A-Za-z][\w.:-]*){_ATTRIBUTES}>)"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)",
    re.DOTALL | re.IGNORECASE,
)
_ALT = re.compile(r"\balt\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')", re.IGNORECASE)
_INLINE_TAGS = """
    a abbr b bdi cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tt u
    var wbr
"""
_INLINE = frozenset(_INLINE_TAGS.split())
_CELLS = frozenset({"td", "th", "button", "option", "input"})


@dataclass(frozen=True, slots=True)
class HtmlRun:
    """A stretch of text that a reader sees, and the characters of the HTML it comes from."""

    text: str
    start: int
    end: int


def comment_only(text: str) -> bool:
    """Say whether there is nothing but comments and white space."""
    return _COMMENT.fullmatch(text) is not None


def opens_tag(text: str) -> bool:
    """Say whether this is an opening tag."""
    return len(text) > 1 and text[0] == "<" and text[1].isalpha()


def html_runs(text: str) -> Iterator[HtmlRun]:
    """Yield what a reader sees; block tags give a blank line, cells a blank."""
    at = 0
    for token in _TOKEN.finditer(text):
        if token.start() > at:
            yield HtmlRun(text[at : token.start()], at, token.start())
        at = token.end()
        if token["entity"]:
            yield HtmlRun(html.unescape(token["entity"]), token.start(), at)
        elif token["tag"]:
            yield from _tag_runs(token)
    if at < len(text):
        yield HtmlRun(text[at:], at, len(text))


def _tag_runs(token: re.Match[str]) -> Iterator[HtmlRun]:
    element = token["element"].lower()
    if element == "img":
        alt = _ALT.search(token["tag"])
        group = "double" if alt and alt["double"] is not None else "single"
        if alt and alt[group]:
            start = token.start() + alt.start(group)
            yield HtmlRun(alt[group], start, start + len(alt[group]))
    elif element == "br":
        yield HtmlRun("\n", token.start(), token.end())
    elif element in _CELLS:
        yield HtmlRun(" ", token.start(), token.end())
    elif element not in _INLINE:
        yield HtmlRun("\n\n", token.start(), token.end())
