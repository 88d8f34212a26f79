"""What the Markdown parser is given in place of blocks that only other tools know, so that it reads what is in them.

Comments of MDX, Liquid, Hugo and Jinja become HTML that is not shown, tags around a code sample fences, what opens the
admonitions and tabs of MkDocs and indented components of MDX list items. Each character is replaced by one, so nothing
moves. What no reader sees becomes FILL, which the plain text leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webapp.core.documents.asides import BRACES, asides
from webapp.core.documents.markup import TAG
from webapp.core.documents.samples import Code, tagged_samples
from webapp.core.documents.stand_ins import FILL, LABEL, TITLE, Closings, Replacement, blanked, replaced, titled


def disguised(source: str) -> str:
    """Return the text as the parser is to read it."""
    code = Code(source)
    for rule in (tagged_samples, _comments, _page_code, _jsx, asides, _titles, _in_lines):
        source = replaced(source, rule(source, code))
    return source


# Comments

_COMMENT = re.compile(  # groups come last: a first letter that is known is found at once
    r"<!--(?P<html>)|\{/\*(?P<mdx>)|\{#(?=-?\s)(?P<jinja>)|\{%(?=-?[ \t]*+comment\b)(?P<liquid>)"
    r"|\{\{(?=[<%][ \t]*+comment[ \t]*+[>%]\}\})(?P<hugo>)|\{\{-?[ \t]*+/\*(?P<go>)|\{::comment\}(?P<kramdown>)"
)
_COMMENT_CLOSINGS = {  # by the kind of what opens them
    "html": "-->",
    "mdx": r"\*/\}",
    "jinja": r"#\}",
    "liquid": r"\{%-?[ \t]*endcomment[ \t]*-?%\}",
    "hugo": r"\{\{[<%][ \t]*/[ \t]*comment[ \t]*[>%]\}\}",
    "go": r"\*/[ \t]*-?\}\}",
    "kramdown": r"\{:/(?:comment)?\}",
}
_ALONE_BEFORE = re.compile(r"[ >]*(?:(?:[-*+]|\d{1,9}[.)]) {1,3})*")
_ALONE_AFTER = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_NO_HTML = re.compile(r"\{(?:/\*|#-?\s|%-?[ \t]*+comment\b|\{(?:[<%][ \t]*+comment\b|-?[ \t]*+/\*)|::comment\})")
_INSTRUCTION = "<?", "?>"  # of XML: HTML that nobody sees, and that closes no comment left open before it
_LOOK_BACK = 500  # characters of a line, to see whether a comment stands in code


def _comments(source: str, code: Code) -> Iterator[Replacement]:
    """Yield comments: those on lines of their own as instructions of XML, others as nothing that is seen.

    Those inside an HTML comment are left as they are, since they don't end it.
    """
    closings, end = Closings(source), 0
    for opening in _COMMENT.finditer(source) if _NO_HTML.search(source) else ():
        start, kind = opening.start(), opening.lastgroup or ""
        line = _line_before(source, start)
        if start < end or line.endswith(("\\", "{")) or line.count("`") % 2 or code.holds(start):
            continue
        begins = start + 2 if kind == "html" else opening.end()  # `<!-->` is a whole comment
        if closing := closings.after(begins, _COMMENT_CLOSINGS[kind]):
            end = closing.end()
            alone = _ALONE_BEFORE.fullmatch(line) and not line.endswith(" " * 4) and _ALONE_AFTER.match(source, end)
            if kind != "html":
                yield start, end, (FILL * (end - start - 4)).join(_INSTRUCTION) if alone else FILL * (end - start)


def _line_before(source: str, at: int) -> str:
    """Return what stands on a line before `at`; of a long line, its last characters."""
    back = max(at - _LOOK_BACK, 0)
    return source[max(source.rfind("\n", back, at) + 1, back) : at]


# Code of MDX pages

_PAGE_CODE = re.compile(
    r"\n(?:import(?=[ \t]*+\{|[ \t]++[^\n]*\bfrom[ \t]*['\"]|[ \t]++['\"])"
    r"|export(?=[ \t]*+[{*]|[ \t]++(?:const|let|var|default|function|async|class|type|interface)\b))"
)
_CODE_TOKEN = re.compile(
    r"\"[^\"\n]*+\"|'[^'\n]*+'|`[^`]*+`|(?P<opens>[(\[{])|(?P<closes>[)\]}])|(?P<ends>\n(?=[^ \t]|\Z)|\Z)"
)
_BLANK_BEFORE = re.compile(r"\n[ \t\r]*+\Z")
_BLANK_LINE = re.compile(r"\n[ \t]*+\r?\n|\Z")


def _page_code(source: str, code: Code) -> Iterator[Replacement]:
    """Yield what MDX imports and exports, blank: a reader sees nothing of it."""
    text, done, balanced = "\n" + source, 0, True
    for opening in _PAGE_CODE.finditer(text):
        start = opening.start()
        if start < done or code.holds(start) or (start > done and not _BLANK_BEFORE.search(text, start - 3, start)):
            continue
        end = _code_end(text, opening.end()) if balanced else -1
        balanced = end >= 0
        if found := None if balanced else _BLANK_LINE.search(text, opening.end()):
            end = found.start()
        done = end
        yield start, end - 1, blanked(text[start + 1 : end])


def _code_end(text: str, at: int) -> int:
    """Return where a statement ends that begins at `at`: with a line, all brackets closed; -1 when they never are."""
    depth = 0
    for token in _CODE_TOKEN.finditer(text, at):
        depth += bool(token["opens"]) - bool(token["closes"])
        if depth <= 0 and token["ends"] is not None:
            return token.start()
    return -1


_JSX_VALUE = re.compile(rf"\s[\w:-]++={BRACES}")
_JSX_TAG = re.compile(rf"<[a-z][\w-]*+(?:\s++[\w:-]++(?:=(?:\"[^\"]*+\"|'[^']*+'|{BRACES}))?)*+\s*+/?>")


def _jsx(source: str, code: Code) -> Iterator[Replacement]:
    """Yield what stands in braces in tags of HTML, blank: Markdown takes no such tag for one."""
    for tag in _JSX_TAG.finditer(source) if "={" in source else ():
        if "={" in tag[0] and not code.holds(tag.start()) and _line_before(source, tag.start()).count("`") % 2 == 0:
            for value in _JSX_VALUE.finditer(source, *tag.span()):
                yield *value.span(), " x".ljust(len(value[0]))  # a blank line would end the tag


# Titles of directives and tags

_TITLED = re.compile(
    rf"\n[ \t>]*+(?P<line>:::++[ \t]*+[\w-]*+(?:\[(?P<title>[^\n]+)\](?:\{{[^{{}}\n]*\}})?|[ \t]*+\{{[^{{}}\n]*\}})"
    rf"|{TAG})[ \t]*\r?$",
    re.MULTILINE,
)
_MAY_TITLE = re.compile(r"\{(?:%|\{[<%])")  # the first character alone is looked for, which is quick
_LOGIC = re.compile(r"\{%-?[ \t]*+(?:assign|capture|case|elsif|for|if|set|unless|when)\b")
_OF_TAB = re.compile(r"\{[{%][<%]?-?[ \t]*+(?:tab|tab-?item|expand|details|accordion|collapse|spoiler|notice)[ \t]")
_NAME = re.compile(r"(?:(?<=\s)|(?<=\sname=))(?:\"(?P<double>[^\"{}<>\n]++)\"|'(?P<single>[^'{}<>\n]++)')")


def _titles(source: str, code: Code) -> Iterator[Replacement]:
    """Yield the lines of directives and tags with a title, nothing seen of them but that."""
    for line in _TITLED.finditer("\n" + source) if ":::" in source or _MAY_TITLE.search(source) else ():
        (first, last), text = line.span("line"), line.string
        title = line.span("title") if line["title"] else _label(text, first, last)
        if title and not code.holds(line.start()):
            yield first - 1, last - 1, titled(text, first, last, TITLE, *title)


def _label(source: str, first: int, last: int) -> tuple[int, int] | None:
    """Return where the longest of the labels of a tag stands."""
    found = [] if _LOGIC.match(source, first) else list(LABEL.finditer(source, first, last))
    if not found and _OF_TAB.match(source, first):
        found = list(_NAME.finditer(source, first, last))
    spans = [one.span(one.lastgroup or 0) for one in found]
    return max(spans, key=lambda span: span[1] - span[0], default=None)


# What stands in lines: images and names of DocFX, icons of MkDocs

_GIVEN = r"[\w-]++=(?:\"[^\"\n]*+\"|[^\s\":]++)"
_IN_LINE = re.compile(
    rf"(?P<directive>:::)(?:image|no-loc)(?:[ \t]++(?:(?:alt-)?text=\"(?P<alt>[^\"\n]*+)\"|{_GIVEN}))++[ \t]*+:::"
    r"|\[!(?:UICONTROL|DNL) ++(?P<name>[^\[\]\n]++)\](?:\{[^{}\n]*+\})?"
    r"|<xref:(?P<reference>[^\s<>?%]++)(?:[?%][^\s<>]*+)?>"
    r"|:(?:material|octicons|fontawesome)-[\w-]++:(?:\{[^{}\n]*+\})?"
)
_OF_COLONS = re.compile(r":(?:::(?:image|no-loc)|(?:material|octicons|fontawesome)-)")
_OF_ADOBE = re.compile(r"\[!(?:UICONTROL|DNL)")


def _in_lines(source: str, code: Code) -> Iterator[Replacement]:
    """Yield marks within lines, nothing seen of them but the words in them; a directive's own line is left."""
    some = "<xref:" in source or _OF_COLONS.search(source) or _OF_ADOBE.search(source)
    for found in _IN_LINE.finditer(source) if some else ():
        (first, last), line = found.span(), _line_before(source, found.start())
        own = found["directive"] and _ALONE_BEFORE.fullmatch(line)
        if not own and line.count("`") % 2 == 0 and not code.holds(first):
            group = next((name for name in ("alt", "name", "reference") if found[name]), "")
            yield first, last, titled(source, first, last, "", *(found.span(group) if group else (last, last)))
