"""What documentation tools write into Markdown that Markdown takes for words and no reader of the page sees.

Known: Hugo's shortcodes, Liquid's tags, attributes in braces (kramdown, Pandoc and others), the admonitions of
Docusaurus and MkDocs, the directives of DocFX, the alerts of both and of Obsidian, comments and elements of MDX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_VALUE = r"(?:\"[^\"]*+\"|'[^']*+'|[^\s\"':]++)"
_DIRECTIVE = (
    r":::++[ \t]*+[\w-]*+(?:[ \t]*+\{[^{}\n]*+\})?"
    rf"(?:\s++(?:alt-text=\"(?P<alt>[^\"]*+)\"|[\w-]++={_VALUE}))*+[ \t]*+(?::::++)?\s*+"
)
_ADMONITION = r"(?:!!!|\?\?\?)\+?[ ]++\w++\s*+"
_ALERT = r"\[![A-Za-z][\w-]*+(?:[^\[\]\n]++|\[[^\[\]\n]*+\](?:\([^()\n]*+\))?)*+\][+-]?[ \t]*+"
_BLOCK_ATTRIBUTES = r"\{:(?:toc\b|[:/]|[ ]*+[#.]|[ ]*+[\w-]++=)[^{}\n]*+\}"
_AT_LINE_START = re.compile(f"{_DIRECTIVE}|{_ADMONITION}|{_ALERT}|{_BLOCK_ATTRIBUTES}")
_AFTER_LINK = re.compile(r"\{[:.#][^{}\n]*\}")

_SHORTCODE = r"\{\{[<%](?!/\*)(?:[^{}]++|\{(?!\{)|\}(?!\}))*+(?<=[>%])\}\}"
_LIQUID = r"\{%(?:[^{%]++|%(?!\})|\{(?!%))*+%\}"
TAG = rf"(?:{_SHORTCODE}|{_LIQUID})"
_SAMPLE_EDGE = re.compile(
    r"^[ \t]*+(?:(?P<fence>```++|~~~++)[^\n]*|(?P<tag>\{(?:\{[<%][ \t]*+(?:/[ \t]*+)?highlight\b[ -~]*[>%]\}|"
    r"%-?[ \t]*+(?:end)?(?:highlight|codeblock)\b[ -~]*%)\})[ \t]*+\r?)$",
    re.MULTILINE,
)
_CLOSING_TAG = re.compile(r"\{(?:\{[<%][ \t]*+/|%-?[ \t]*+end)")
_INCLUDE = r"\[!(?i:INCLUDE)\b(?:[^\[\]\n]++|\[[^\[\]\n]*+\](?:\([^()\n]*+\))?)*+\]"
_LINK = rf"!?\[(?=[^\[\]]*+\]\({TAG})|\]\({TAG}[^()]*+\)"  # its target is a tag, so Markdown sees no link
_MDX = (
    r"(?<!\{)\{/\*(?:[^*{]++|\*(?!/)|\{(?!/\*))*+\*/\}"
    r"|</?[A-Z][\w.]*+(?:\s++[\w:-]++=(?:\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}|\"[^\"]*+\"|'[^']*+'))++\s*+(?:/?>|\Z)"
)
_ANYWHERE = re.compile(rf"(?<!\\)(?:{TAG}|{_INCLUDE}|{_LINK}|{_MDX})")
_HEADING_END = r"[ \t]*+(?:#++[ \t]*+)?(?:\r?\n[ \t>]*+(?:=++|-++)[ \t]*+)?\Z"
_IN_HEADING = re.compile(rf"{_ANYWHERE.pattern}|(?<!\\)\{{(?:#|\.[A-Za-z]|:[ ]*+[#.])[^{{}}\n]*+\}}(?={_HEADING_END})")
_OPENING = re.compile(r"!\[|[{\[\]<]")


def with_fences(source: str) -> str:
    """Return the text with a fence in place of each tag that opens or closes a code sample (`{% highlight sh %}`): the
    parser knows those alone. Nothing moves, since tags are ASCII alone; those inside a fence are what it shows."""
    if "highlight" not in source and "codeblock" not in source:
        return source
    parts: list[str] = []
    done = 0
    for sample in _tagged_samples(source):
        length = min(len(tag["tag"]) for tag in sample)  # longer than fences inside it are
        for tag in sample:
            parts += [source[done : tag.start("tag")], "`" * length, " " * (len(tag["tag"]) - length)]
            done = tag.end("tag")
    return "".join([*parts, source[done:]])


def _tagged_samples(source: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    fence, opening = "", None
    for edge in _SAMPLE_EDGE.finditer(source):
        if edge["fence"]:
            if not opening and (not fence or edge["fence"].startswith(fence)):
                fence = "" if fence else edge["fence"]
        elif fence:
            continue
        elif not _CLOSING_TAG.match(edge["tag"]):
            opening = opening or edge
        elif opening:
            yield opening, edge
            opening = None


def at_line_start(source: str, at: int, stop: int) -> re.Match[str] | None:
    """Return the markup that a line's words may begin with; its group `alt` holds an image's description."""
    return _AT_LINE_START.match(source, at, stop) if source[at] in ":!?[{" else None


def after_link(source: str, at: int, stop: int) -> re.Match[str] | None:
    """Return the attributes that may follow a link or image."""
    return _AFTER_LINK.match(source, at, stop)


def find_markup(source: str, start: int, end: int, stop: int, in_heading: bool) -> re.Match[str] | None:
    """Return the first markup that begins from `start` up to `end`, both in one block that goes on to `stop`."""
    pattern = _IN_HEADING if in_heading else _ANYWHERE
    for opening in _OPENING.finditer(source, start, end):
        found = pattern.match(source, opening.start(), stop)
        if found:
            return found
    return None
