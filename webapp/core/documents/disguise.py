"""What the Markdown parser is given in place of blocks that only other tools know, so that it reads what is in them.

Comments of MDX, Liquid, Hugo and Jinja become HTML that is not shown, tags around a code sample fences, what opens the
admonitions and tabs of MkDocs and indented components of MDX list items. Each character is replaced by one, so nothing
moves. What no reader sees becomes FILL, which the plain text leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webapp.core.documents.asides import asides
from webapp.core.documents.samples import Code, tagged_samples
from webapp.core.documents.stand_ins import FILL, TITLE, Closings, Replacement, replaced, titled


def disguised(source: str) -> str:
    """Return the text as the parser is to read it."""
    code = Code(source)
    for rule in (tagged_samples, _comments, asides, _titles):
        source = replaced(source, rule(source, code))
    return source


# Comments

_COMMENT = re.compile(
    r"(?P<html><!--)|(?P<mdx>\{/\*)|(?P<jinja>\{#(?=-?\s))|(?P<liquid>\{%(?=-?[ \t]*+comment\b))"
    r"|(?P<hugo>\{\{(?=[<%][ \t]*+comment[ \t]*+[>%]\}\}))|(?P<go>\{\{-?[ \t]*+/\*)|(?P<kramdown>\{::comment\})"
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
        line = source[max(source.rfind("\n", 0, start) + 1, start - _LOOK_BACK) : start]
        if start < end or line.endswith(("\\", "{")) or line.count("`") % 2 or code.holds(start):
            continue
        begins = start + 2 if kind == "html" else opening.end()  # `<!-->` is a whole comment
        if closing := closings.after(begins, _COMMENT_CLOSINGS[kind]):
            end = closing.end()
            alone = _ALONE_BEFORE.fullmatch(line) and not line.endswith(" " * 4) and _ALONE_AFTER.match(source, end)
            if kind != "html":
                yield start, end, (FILL * (end - start - 4)).join(_INSTRUCTION) if alone else FILL * (end - start)


# Titles of directives

_DIRECTIVE = re.compile(
    r"^[ \t>]*+(?P<line>:::++[ \t]*+[\w-]++\[(?P<title>[^\n]+)\](?:\{[^{}\n]*\})?)[ \t]*\r?$", re.MULTILINE
)


def _titles(source: str, code: Code) -> Iterator[Replacement]:
    """Yield the lines of directives with a title in brackets, nothing seen of them but that."""
    for line in _DIRECTIVE.finditer(source) if ":::" in source else ():
        if not code.holds(line.start()):
            first, last = line.span("line")
            yield first, last, titled(source, first, last, TITLE, *line.span("title"))
