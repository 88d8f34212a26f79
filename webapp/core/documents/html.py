"""What a reader sees of HTML inside Markdown: text between the tags, alt texts, entities decoded; no comments."""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from webapp.core.documents.markup import TAG
from webapp.core.documents.stand_ins import FILL, LABEL, TITLE

# Quantifiers are possessive: a tag that is never closed costs one look, not one for each way to read it.
_COMMENT = re.compile(rf"(?>\s++|<!--(?>-?>|.*?-->)|<\?{FILL}++\?>)++", re.DOTALL)
_ATTRIBUTES = r"(?:[^<>\"'{}]++|\"[^\"<>]{0,2000}+\"|'[^'<>]{0,2000}+'|\{[^{}]{0,2000}+\}){0,200}+"
_TAG = rf"</?(?P<element>[A-Za-z][\w.:-]*+)(?=\s|/?>){_ATTRIBUTES}>"
_TAGS = re.compile(rf"(?:{_TAG.replace('?P<element>', '?:')}\s*+)++")
_TOKEN = re.compile(
    rf"(?P<comment><!--)|(?P<tag>{_TAG})|<[?!][^<>]*+>"
    rf"|{TAG}|[{FILL}{TITLE}]++"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
)
_HIDDEN_END = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style")}
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


def tags_only(text: str) -> bool:
    """Say whether there is nothing but tags, such as MDX writes over several lines, and white space."""
    return _TAGS.fullmatch(text) is not None and _ALT.search(text) is None


def opens_tag(text: str) -> bool:
    """Say whether this is an opening tag."""
    return len(text) > 1 and text[0] == "<" and text[1].isalpha()


def is_component(text: str) -> bool:
    """Say whether this is a tag of MDX's own: inside a paragraph it parts no words."""
    return text.lstrip("</")[:1].isupper()


def label_runs(tag: str) -> Iterator[HtmlRun]:
    """Yield the label of a component of MDX that a line begins with, parted from what follows."""
    label = LABEL.search(tag) if opens_tag(tag) else None
    if label:
        start, end = label.span(label.lastgroup or 0)
        yield HtmlRun(label[label.lastgroup or 0], start, end)
        yield HtmlRun("\n\n", end, len(tag))


def html_runs(text: str) -> Iterator[HtmlRun]:
    """Yield what a reader sees; block tags give a blank line, cells a blank. An unclosed comment is shown."""
    at, closed = 0, True
    while token := _TOKEN.search(text, at):
        if token.start() > at:
            yield HtmlRun(text[at : token.start()], at, token.start())
        at = token.end()
        if token["comment"] and closed:
            end = text.find("-->", token.start() + 2)
            closed = end >= 0
            at = end + 3 if closed else at
        elif token["entity"]:
            yield HtmlRun(html.unescape(token["entity"]), token.start(), at)
        elif token["tag"]:
            yield from _tag_runs(token)
            at = _after_hidden(text, token)
    if at < len(text):
        yield HtmlRun(text[at:], at, len(text))


def runs_in_pieces(pieces: Sequence[tuple[str, int, int]]) -> Iterator[HtmlRun]:
    """Yield what a reader sees of HTML given as (text, start, end) of the file, line by line, as one text.

    Between the pieces stand line ends and the marks of quotes, which are no part of it.
    """
    starts = [0, *accumulate(len(text) for text, _, _ in pieces)]
    for run in html_runs("".join(text for text, _, _ in pieces)):
        first, last = bisect_right(starts, run.start) - 1, bisect_left(starts, run.end) - 1
        if len(run.text) != run.end - run.start:
            start, end = run.start - starts[first], run.end - starts[last]
            yield HtmlRun(run.text, pieces[first][1] + start, pieces[last][1] + end)
            continue
        for number in range(first, last + 1):
            start, end = max(run.start, starts[number]), min(run.end, starts[number + 1])
            place = pieces[number][1] - starts[number]
            yield HtmlRun(run.text[start - run.start : end - run.start], place + start, place + end)


def _after_hidden(text: str, token: re.Match[str]) -> int:
    """Return where reading goes on after a tag: behind the end of a script or style."""
    ending = _HIDDEN_END.get(token["element"].lower())
    if ending is None or token["tag"].startswith("</"):
        return token.end()
    end = ending.search(text, token.end())
    return end.end() if end else len(text)


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
