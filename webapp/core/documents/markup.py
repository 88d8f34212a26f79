"""What documentation tools write into Markdown that Markdown takes for words and no reader of the page sees.

Known: Hugo's shortcodes, Liquid's tags, attributes in braces (kramdown, Pandoc and others), the admonitions of
Docusaurus and MkDocs, the directives of DocFX, the alerts of both and of Obsidian, comments and elements of MDX.
"""

from __future__ import annotations

import re

from webapp.core.documents.stand_ins import FILL, TITLE

_VALUE = r"(?:\"[^\"]*+\"|'[^']*+'|[^\s\"':]++)"
_DIRECTIVE = (
    r":::++[ \t]*+[\w-]*+(?:[ \t]*+\{[^{}\n]*+\})?"
    rf"(?:\s++(?:alt-text=\"(?P<alt>[^\"]*+)\"|[\w-]++={_VALUE}))*+[ \t]*+(?::::++)?\s*+"
)
_ADMONITION = r"(?:!!!|\?\?\?)\+?[ ]++\w++\s*+"
_ALERT = r"\[![A-Za-z][\w-]*+(?:[^\[\]\n]++|\[[^\[\]\n]*+\](?:\([^()\n]*+\))?)*+\][+-]?[ \t]*+"
_GIVEN = r"(?:[#.][A-Za-z][\w-]*+|[\w-]++=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'{}]++))"  # an attribute in braces
_GIVEN_ALL = rf"\{{[ ]*+{_GIVEN}(?:[ ]++{_GIVEN})*+[ ]*+\}}"
_BLOCK_ATTRIBUTES = rf"(?:\{{:(?:toc\b|[:/]|[ ]*+[#.]|[ ]*+[\w-]++=)[^{{}}\n]*+\}}|{_GIVEN_ALL}(?=[ \t]*+\r?$))"
_BLOCK_OF_PYMDOWN = r"///++[ \t]*+(?:[\w-]++[ \t]*+(?:\|[ \t]*+|$|(?=\n)))?"
_CONTENTS = r"\[(?:\[_?)?TOC(?:_?\])?\][ \t]*+$"
_SNIPPET = r"(?:-{1,9}8<-{1,9}(?=[\s\"]|$)|<<<[ ]*+@/)[^\n]*+"
_TARGET = r"\([\w:.-]++\)=[ \t]*+\r?$"  # of MyST
_AT_LINE_START = re.compile(
    rf"{_DIRECTIVE}|{_ADMONITION}|{_ALERT}|{_BLOCK_ATTRIBUTES}|{_BLOCK_OF_PYMDOWN}|(?i:{_CONTENTS})|{_SNIPPET}|{_TARGET}"
    rf"|{TITLE}",
    re.MULTILINE,
)
_AT_START = frozenset(":!?[{/-<(" + TITLE)
_AFTER_MARKUP = re.compile(r"\{[ ]*(?:[:.#]|[\w-]+=)[^{}\n]*\}")

_SHORTCODE = r"\{\{[<%](?!/\*)(?:[^{}]++|\{(?!\{)|\}(?!\}))*+(?<=[>%])\}\}"
_LIQUID = r"(?<!\{)\{%(?:[^{%]++|%(?!\})|\{(?!%))*+%\}"
TAG = rf"(?:{_SHORTCODE}|{_LIQUID})"
_INCLUDE = r"\[!(?i:INCLUDE)\b(?:[^\[\]\n]++|\[[^\[\]\n]*+\](?:\([^()\n]*+\))?)*+\]"
_LINK = rf"!?\[(?=[^\[\]]*+\]\({TAG})|\]\({TAG}[^()]*+\)"  # its target is a tag, so Markdown sees no link
_MDX = r"</?[A-Z][\w.]*+(?:\s++[\w:-]++=(?:\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}|\"[^\"]*+\"|'[^']*+'))++\s*+(?:/?>|\Z)"
_ANYWHERE = re.compile(rf"(?<!\\)(?:{TAG}|{_INCLUDE}|{_LINK}|{_MDX}|[{FILL}{TITLE}]++)")
_LEFT_TO_TOOLS = r"\*\[[^\[\]\n]++\]:[^\n]*+|\{!(?:[^{}!\n]++|!(?!\}))*+!\}"  # abbreviations, and what is included
_UNSEEN = re.compile(
    rf"(?:\s++|{_ANYWHERE.pattern}|{_BLOCK_ATTRIBUTES}|{_LEFT_TO_TOOLS}"
    rf"|:::++[ \t]*+[\w-]*+(?:[ \t]++(?!alt-text)[\w-]++={_VALUE})*+"
    r"[ \t]*+(?::::++)?(?:\{[^{}\n]*+\})?[ \t]*+\r?$)++\Z",
    re.MULTILINE,
)
_HEADING_END = r"[ \t]*+(?:#++[ \t]*+)?(?:\r?\n[ \t>]*+(?:=++|-++)[ \t]*+)?\Z"
_IN_HEADING = re.compile(rf"{_ANYWHERE.pattern}|(?<!\\)\{{(?:#|\.[A-Za-z]|:[ ]*+[#.])[^{{}}\n]*+\}}(?={_HEADING_END})")
_OPENING = re.compile(rf"!\[|[{{\[\]<{FILL}{TITLE}]")


def at_line_start(source: str, at: int, stop: int) -> re.Match[str] | None:
    """Return the markup that a line's words may begin with; its group `alt` holds an image's description."""
    return _AT_LINE_START.match(source, at, stop) if source[at] in _AT_START else None


def unseen(text: str) -> bool:
    """Say whether a paragraph is nothing but tags and directives, none of which a reader sees."""
    return _UNSEEN.match(text) is not None


def after_markup(source: str, at: int, stop: int) -> re.Match[str] | None:
    """Return the attributes that may follow a link, an image, emphasis or code."""
    return _AFTER_MARKUP.match(source, at, stop)


def find_markup(source: str, start: int, end: int, stop: int, in_heading: bool) -> re.Match[str] | None:
    """Return the first markup that begins from `start` up to `end`, both in one block that goes on to `stop`."""
    pattern = _IN_HEADING if in_heading else _ANYWHERE
    for opening in _OPENING.finditer(source, start, end):
        found = pattern.match(source, opening.start(), stop)
        if found:
            return found
    return None
