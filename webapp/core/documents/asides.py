"""Admonitions and tabs of MkDocs, components of MDX and rows of DocFX: what opens them becomes a list item, so that the
text indented below is read as Markdown, or a title, or blank."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webapp.core.documents.samples import Code
from webapp.core.documents.stand_ins import LABEL, TITLE, Replacement, blanked, titled

ASIDE = re.compile(rf"[ \t]*\+ {{1,4}}{TITLE}")  # an item that is no list's: its text stands as far in as it did before

BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}"
_ATTRIBUTES = rf"(?:[^<>\"'{{}}]++|\"[^\"]*+\"|'[^']*+'|{BRACES})*+"
_TAG = rf"<(?P<closes>/?)(?P<name>[A-Za-z][\w.]*+)(?=[\s/>])(?P<rest>{_ATTRIBUTES})>"
_ASIDE = r"(?:(?:!!!|\?\?\?\+?) *+[\w-]++(?: +[\w-]++)*+|===[!+]{0,2}(?= +\"))(?: +\"(?P<title>.*)\")?"
_COLUMNS = r":::++[ \t]*+(?:row|column)\b[^\n:]*+:::++"
_PLACE = r"(?P<quotes>(?:[ \t]*+> ?)*+)(?P<indent>[ \t]*+)"
_LINE = re.compile(
    rf"^{_PLACE}(?:(?P<item>(?:[-*+]|\d{{1,9}}[.)])[ \t]++)"
    rf"|(?:(?P<aside>{_ASIDE})|(?P<tag>{_TAG}|(?P<columns>{_COLUMNS})))[ \t]*\r?$|(?=\S))",
    re.MULTILINE,
)
_NEXT = re.compile(rf"(?:[ \t>]*+\r?\n)++{_PLACE}(?=\S)")
_STEP = 4  # columns by which the text of an admonition is indented, and a code sample
_MOST_LINES = 100  # are looked at before a line
_MOST = 5  # a list item's text can't stand further from its mark
_MARKS = r"\n[ \t>]*+(?:!!!|\?\?\?|===[!+]{0,2} +\"|</?+[A-Z]|:::++[ \t]*+(?:row|column)\b"
_MAY_OPEN = re.compile(rf"{_MARKS})")
_MAY_OPEN_HTML = re.compile(rf"{_MARKS}|<(?:/|[^\n]*\bmarkdown[ =>]))")  # where some says that it holds Markdown
_MARKDOWN_INSIDE = re.compile(r"\bmarkdown(?:=|\s|$)")  # as kramdown and Python-Markdown have it
_IN_SOME_TAG = re.compile(r" markdown(?:\s++[\w:-]++){0,9}+\s*+(?:=|/?>)")  # which tells it from the word


def asides(source: str, code: Code) -> Iterator[Replacement]:
    """Yield the lines that open and close what holds Markdown: those whose text is indented as the first of a list
    item, others blank or as the title that a reader sees."""
    quoted = [[0]]  # for each depth of quotes: where the text begins of the list items and asides that are open
    holding: set[str] = set()  # HTML elements that say they hold Markdown
    for line in _lines(source, code):
        columns, column = _columns(line, quoted), _width(line)
        while column < columns[-1]:
            columns.pop()
        if line["item"]:
            columns.append(_width(line, line["item"]))
        elif column < columns[-1] + _STEP and (line["aside"] or (line["tag"] and _holds_markdown(line, holding))):
            depth = _depth(line, column, columns[-1])
            if depth:
                columns.append(column + depth)
            if depth or line["name"]:
                yield _opened(line, depth)


def _columns(line: re.Match[str], quoted: list[list[int]]) -> list[int]:
    """Return the columns of what is open in the quotes in which a line stands; quotes that it is not in have ended."""
    depth = line["quotes"].count(">")
    del quoted[depth + 1 :]
    quoted.extend([0] for _ in range(depth + 1 - len(quoted)))
    return quoted[depth]


def _width(line: re.Match[str], item: str = "") -> int:
    """Return by how many columns a line is indented, after the marks of quotes; with the mark of a list item."""
    quotes = line["quotes"]
    return len((quotes + line["indent"] + item).expandtabs(_STEP)) - len(quotes.expandtabs(_STEP))


def _lines(source: str, code: Code) -> Iterator[re.Match[str]]:
    """Yield the lines, in no sample, that may open or close something, with those around that say what they stand in:
    from the line before that is not indented up to the next that neither is indented nor opens a list item."""
    done, marks = 0, _MAY_OPEN_HTML if _IN_SOME_TAG.search(source) else _MAY_OPEN
    for found in marks.finditer("\n" + source):
        at = found.start()
        if at < done or code.holds(at):
            continue
        for line in _LINE.finditer(source, _outset(source, at)):
            done = line.start()
            if done > at and line.end() == done:  # it neither is indented nor opens anything
                break
            if not code.holds(done):
                yield line
        else:
            return


def _outset(source: str, at: int) -> int:
    """Return where the last line begins that is neither indented nor quoted, up to the line at `at`; of many, one of
    those before."""
    for _ in range(_MOST_LINES):
        if at == 0 or not (source[at].isspace() or source[at] == ">"):
            break
        at = source.rfind("\n", 0, at - 1) + 1
    return at


def _holds_markdown(tag: re.Match[str], holding: set[str]) -> bool:
    """Say whether a tag opens or closes a component of MDX, columns of DocFX, or an element that says so."""
    name = tag["name"]
    if tag["columns"]:
        return True
    if not tag["closes"] and _MARKDOWN_INSIDE.search(tag["rest"]):
        holding.add(name)
    return name[0].isupper() or name in holding


def _depth(line: re.Match[str], column: int, base: int) -> int:
    """Return how many columns after a line's own its text begins, 0 when it needs no list item to be read.

    At `base` begins what the line stands in; what is not indented more than three columns from there needs none.
    """
    following = _NEXT.match(line.string, line.end())
    nested = following is not None and following["quotes"].count(">") == line["quotes"].count(">")
    inner = _width(following) if following and nested else 0
    if line["aside"]:
        return _STEP if inner >= column + _STEP and len(line["aside"]) > _STEP else 0
    depth = inner - column if inner >= base + _STEP else 0
    opens = not line["closes"] and not line["tag"].endswith("/>")
    return depth if opens and 1 < depth <= _MOST and len(line["tag"]) > depth else 0


def _opened(line: re.Match[str], depth: int) -> Replacement:
    """Return what stands for a line, nothing seen of it but its title."""
    first, last = line.span("aside" if line["aside"] else "tag")
    lead = ("+" + " " * (depth - 1) if depth else "") + TITLE
    label = LABEL.search(line.string, first, last) if line["name"] and not line["closes"] else None
    start, end = label.span(label.lastgroup or 0) if label else line.span("title") if line["title"] else (last, last)
    if not depth and not label:
        return first, last, blanked(line["tag"])
    return first, last, titled(line.string, first, last, lead, start, end)
