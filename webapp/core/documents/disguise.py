"""What the Markdown parser is given in place of blocks that only other tools know, so that it reads what is in them.

Comments of MDX, Liquid, Hugo and Jinja become HTML that is not shown, tags around a code sample fences, what opens the
admonitions and tabs of MkDocs and indented components of MDX list items. Each character is replaced by one, so nothing
moves. What no reader sees becomes FILL, which the plain text leaves out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

FILL = "\x1a"  # this and the next are no white space to Python, as others of the kind are
TITLE = "\x19"  # the first character of a line that is a title: what follows it is a paragraph of its own
ASIDE = re.compile(rf" *\+ {{1,4}}{TITLE}")  # an item that is no list's: its text stands as far in as it did before

_SAMPLES = "highlight|code|codeblock|mermaid|plantuml|katex|math|command|terminal"
_Replacement = tuple[int, int, str]  # from, to, by what


def disguised(source: str) -> str:
    """Return the text as the parser is to read it."""
    code = _Code(source)
    for rule in (_tagged_samples, _comments, _asides, _titles):
        source = _replaced(source, rule(source, code))
    return source


def _replaced(source: str, replacements: Iterable[_Replacement]) -> str:
    """Return the text with replacements made, which are in order; one that begins inside another is left out."""
    parts: list[str] = []
    done = 0
    for start, end, by in replacements:
        if start >= done:
            parts += (source[done:start], by)
            done = end
    return "".join([*parts, source[done:]]) if parts else source


class _Code:
    """The code samples of a text, found when they are first asked for."""

    def __init__(self, source: str) -> None:
        self._source = source

    @cached_property
    def samples(self) -> list[_Sample]:
        """All of them, in order."""
        return list(_samples(self._source))

    @cached_property
    def _starts(self) -> list[int]:
        return [sample.start for sample in self.samples]

    def holds(self, offset: int) -> bool:
        """Say whether a sample stands there."""
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self.samples[index].end


class _Closings:
    """Finds what closes an opening; what is found nowhere is not looked for again."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._missing: set[str] = set()

    def after(self, start: int, pattern: str, flags: int = 0) -> re.Match[str] | None:
        """Return the first match of the pattern from `start` on."""
        if pattern in self._missing:
            return None
        found = re.compile(pattern, flags).search(self._source, start)
        if not found:
            self._missing.add(pattern)
        return found


# Code samples

_TAGGED = re.compile(rf"\{{[%{{][-<%]?[ \t]*+(?:{_SAMPLES})\b|\{{\{{[<%][^\n{{}}]*\bcodelang=")
_OPENING = re.compile(
    r"\n[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+(?:(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3,}+)"
    rf"|(?P<tag>\{{(?:\{{[<%][ \t]*+(?P<short>(?:{_SAMPLES})\b|\w++(?=[ -~]*\bcodelang=))[ -~]*(?<!/)[>%]\}}"
    r"|%-?[ \t]*+(?P<liquid>highlight|codeblock)\b[ -~]*%)\})[ \t]*+\r?$)",
    re.MULTILINE,
)


class _Sample(NamedTuple):
    """Where a sample stands, and what is to stand for the tags around it when no fence encloses it."""

    start: int
    end: int
    fences: tuple[_Replacement, ...] = ()


def _tagged_samples(source: str, code: _Code) -> Iterator[_Replacement]:
    """Yield the fences that stand for tags."""
    if _TAGGED.search(source):
        yield from (fence for sample in code.samples for fence in sample.fences)


def _samples(source: str) -> Iterator[_Sample]:
    """Yield the samples. A fence that is never closed goes on to the end; a tag that is never closed opens none."""
    text, at = "\n" + source, 0  # line ends are found several times as fast as beginnings of lines
    closings = _Closings(text)
    while opening := _OPENING.search(text, at):
        at = opening.end()
        closing = closings.after(at, _closing(opening), re.MULTILINE)
        if opening["fence"] or closing:
            at = closing.end() if closing else len(text)
            yield _Sample(opening.start(), at - 1, _fences(opening, closing) if closing and opening["tag"] else ())


def _closing(opening: re.Match[str]) -> str:
    """Return the pattern of what closes a sample."""
    if fence := opening["fence"]:
        return rf"\n[ \t>]*+{fence[0]}{{{len(fence)},}}[ \t]*\r?$"
    name = opening["liquid"] or opening["short"]
    ending = rf"%-?[ \t]*+end{name}\b[ -~]*%" if opening["liquid"] else rf"\{{[<%][ \t]*+/[ \t]*+{name}\b[ -~]*\}}"
    return rf"\n[ \t>]*+(?P<tag>\{{{ending}\}})[ \t]*+\r?$"


def _fences(opening: re.Match[str], closing: re.Match[str]) -> tuple[_Replacement, ...]:
    """Return fences in place of two tags, longer than those inside the sample are."""
    lengths = len(opening["tag"]), len(closing["tag"])
    fences = ("`" * min(lengths)).ljust(lengths[0], FILL), "`" * lengths[1]
    starts = (tag.start("tag") - 1 for tag in (opening, closing))
    return tuple((at, at + len(fence), fence) for at, fence in zip(starts, fences, strict=True))


# Comments

_COMMENT_CLOSINGS = {  # by the beginning of what opens them
    "<!--": "-->",
    "{/*": r"\*/\}",
    "{#": r"#\}",
    "{%": r"\{%-?[ \t]*endcomment[ \t]*-?%\}",
    "{{": r"\{\{[<%][ \t]*/[ \t]*comment[ \t]*[>%]\}\}",
}
_COMMENT = re.compile(
    r"(?P<kind><!--|\{(?:/\*|#(?=-?\s)|%(?=-?[ \t]*+comment\b)|\{(?=[<%][ \t]*+comment[ \t]*+[>%]\}\})))"
)
_ALONE_BEFORE = re.compile(r"[ >]*(?:(?:[-*+]|\d{1,9}[.)]) {1,3})*")
_ALONE_AFTER = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_NO_HTML = re.compile(r"\{(?:/\*|#-?\s|%-?[ \t]*+comment\b|\{[<%][ \t]*+comment\b)")
_INSTRUCTION = "<?", "?>"  # of XML: HTML that nobody sees, and that closes no comment left open before it
_LOOK_BACK = 500  # characters of a line, to see whether a comment stands in code


def _comments(source: str, code: _Code) -> Iterator[_Replacement]:
    """Yield comments: those on lines of their own as instructions of XML, others as nothing that is seen.

    Those inside an HTML comment are left as they are, since they don't end it.
    """
    closings, end = _Closings(source), 0
    for opening in _COMMENT.finditer(source) if _NO_HTML.search(source) else ():
        start = opening.start()
        line = source[max(source.rfind("\n", 0, start) + 1, start - _LOOK_BACK) : start]
        if start < end or line.endswith(("\\", "{")) or line.count("`") % 2 or code.holds(start):
            continue
        begins = start + 2 if opening["kind"] == "<!--" else opening.end()  # `<!-->` is a whole comment
        if closing := closings.after(begins, _COMMENT_CLOSINGS[opening["kind"]]):
            end = closing.end()
            alone = _ALONE_BEFORE.fullmatch(line) and not line.endswith(" " * 4) and _ALONE_AFTER.match(source, end)
            if opening["kind"] != "<!--":
                yield start, end, (FILL * (end - start - 4)).join(_INSTRUCTION) if alone else FILL * (end - start)


# Admonitions, tabs and components

_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}"
_ATTRIBUTES = rf"(?:[^<>\"'{{}}]++|\"[^\"]*+\"|'[^']*+'|{_BRACES})*+"
_TAG = rf"<(?P<closes>/?)(?P<name>[A-Za-z][\w.]*+)(?=[\s/>])(?P<rest>{_ATTRIBUTES})>"
_ASIDE = r"(?:(?:!!!|\?\?\?\+?)(?: +[\w-]+)+|===[!+]{0,2}(?= +\"))(?: +\"(?P<title>.*)\")?"
_LINE = re.compile(
    r"^(?P<indent> *)(?:(?P<item>(?:[-*+]|\d{1,9}[.)]) +)"
    rf"|(?:(?P<aside>{_ASIDE})|(?P<tag>{_TAG}))[ \t]*\r?$|(?=\S))",
    re.MULTILINE,
)
_NEXT = re.compile(r"(?:[ \t]*\r?\n)+(?P<indent> *)(?=\S)")
_STEP = 4  # columns by which the text of an admonition is indented, and a code sample
_MOST_LINES = 100  # are looked at before a line
_MOST = 5  # a list item's text can't stand further from its mark
_MARKS = r"\n *+(?:!!! |\?\?\?|===[!+]{0,2} +\"|</?+[A-Z]"
_MAY_OPEN = re.compile(rf"{_MARKS})")
_MAY_OPEN_HTML = re.compile(rf"{_MARKS}|<(?:/|[^\n]*\bmarkdown[ =>]))")  # where some says that it holds Markdown
_MARKDOWN_INSIDE = re.compile(r"\bmarkdown(?:=|\s|$)")  # as kramdown and Python-Markdown have it
_LABEL = re.compile(r"(?<![\w-])(?:title|label)\s*=\s*(?:\"(?P<double>[^\"{}<>\n]++)\"|'(?P<single>[^'{}<>\n]++)')")


def _asides(source: str, code: _Code) -> Iterator[_Replacement]:
    """Yield the lines that open and close what holds Markdown: those whose text is indented as the first of a list
    item, others blank or as the title that a reader sees."""
    columns = [0]  # where the text of the list items and asides begins that are open
    holding: set[str] = set()  # HTML elements that say they hold Markdown
    for line in _lines(source, code):
        column = len(line["indent"])
        while column < columns[-1]:
            columns.pop()
        if line["item"]:
            columns.append(column + len(line["item"]))
        elif column < columns[-1] + _STEP and (line["aside"] or (line["tag"] and _holds_markdown(line, holding))):
            depth = _depth(line, column, columns[-1])
            if depth:
                columns.append(column + depth)
            if depth or line["tag"]:
                yield _opened(line, depth)


def _lines(source: str, code: _Code) -> Iterator[re.Match[str]]:
    """Yield the lines, in no sample, that may open or close something, with those around that say what they stand in:
    from the line before that is not indented up to the next that neither is indented nor opens a list item."""
    done, marks = 0, _MAY_OPEN_HTML if " markdown" in source else _MAY_OPEN
    for found in marks.finditer("\n" + source):
        at = found.start()
        if at < done or code.holds(at):
            continue
        for line in _LINE.finditer(source, _outset(source, at)):
            done = line.start()
            if done > at and not line["indent"] and not line["item"] and not line["tag"] and not line["aside"]:
                break
            if not code.holds(done):
                yield line
        else:
            return


def _outset(source: str, at: int) -> int:
    """Return where the last line that is not indented begins, up to the line at `at`; of many, one of those before."""
    for _ in range(_MOST_LINES):
        if at == 0 or not source[at].isspace():
            break
        at = source.rfind("\n", 0, at - 1) + 1
    return at


def _holds_markdown(tag: re.Match[str], holding: set[str]) -> bool:
    """Say whether a tag opens or closes a component of MDX, or an element that says so."""
    name = tag["name"]
    if not tag["closes"] and _MARKDOWN_INSIDE.search(tag["rest"]):
        holding.add(name)
    return name[0].isupper() or name in holding


def _depth(line: re.Match[str], column: int, base: int) -> int:
    """Return how many columns after a line's own its text begins, 0 when it needs no list item to be read.

    At `base` begins what the line stands in; what is not indented more than three columns from there needs none.
    """
    following = _NEXT.match(line.string, line.end())
    inner = len(following["indent"]) if following else 0
    if line["aside"]:
        return _STEP if inner >= column + _STEP else 0
    depth = inner - column if inner >= base + _STEP else 0
    opens = not line["closes"] and not line["rest"].endswith("/")
    return depth if opens and 1 < depth <= _MOST and len(line["tag"]) > depth else 0


def _opened(line: re.Match[str], depth: int) -> _Replacement:
    """Return what stands for a line, nothing seen of it but its title."""
    first, last = line.span("aside" if line["aside"] else "tag")
    lead = ("+" + " " * (depth - 1) if depth else "") + TITLE
    label = None if line["aside"] or line["closes"] else _LABEL.search(line.string, first, last)
    start, end = label.span(label.lastgroup or 0) if label else line.span("title") if line["title"] else (last, last)
    if not depth and not label:
        return first, last, re.sub(r"[^\n]", " ", line["tag"])
    return first, last, _titled(line.string, first, last, lead, start, end)


def _titled(source: str, first: int, last: int, lead: str, start: int, end: int) -> str:
    """Return what stands for `first` to `last` with nothing seen of it but the title at `start`."""
    return lead + FILL * (start - first - len(lead)) + source[start:end] + FILL * (last - end)


# Titles of directives

_DIRECTIVE = re.compile(
    r"^[ \t>]*+(?P<line>:::++[ \t]*+[\w-]++\[(?P<title>[^\n]+)\](?:\{[^{}\n]*\})?)[ \t]*\r?$", re.MULTILINE
)


def _titles(source: str, code: _Code) -> Iterator[_Replacement]:
    """Yield the lines of directives with a title in brackets, nothing seen of them but that."""
    for line in _DIRECTIVE.finditer(source) if ":::" in source else ():
        if not code.holds(line.start()):
            first, last = line.span("line")
            yield first, last, _titled(source, first, last, TITLE, *line.span("title"))
