"""Long texts made to slow patterns and parsers down: four times the text may take four times as long, not sixteen.

Part of `make soak`. Each short piece is repeated to a long text, which is read, cut, rendered, searched and checked.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

import click

from webapp.core.answering.model import Withheld
from webapp.core.answering.question import checked, needs_context
from webapp.core.answering.support import check_support
from webapp.core.chunking.base import strategies
from webapp.core.chunking.cut import cut
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Document
from webapp.core.documents.reading import document_from_bytes
from webapp.core.retrieval.words import terms
from webapp.web.rendered import render_markdown, web_link

PIECES = (
    *("a", "1", " ", "\t", "<", "(", "[", "{", "`", "*", "-", "=", "~", "_", "'", '"', ":", "@", "/", "।", "ক্", "১২"),
    *("1,", "1.", "1. ", "a.", "a-", "- ", "# ", "> ", "| a ", "<a", "<!--", "![", "](", "&#", "{{<", "https://a"),
    *("it is a ", "not ", "and ", "Tk. ", "in this page "),
)
SHORT, TIMES = 20_000, 4
MOST_GROWTH = 10  # between four and sixteen
TOO_QUICK = 0.5  # seconds that a long text may always take


@click.command(help=__doc__)
def main() -> None:
    """Print what grows faster than its text, and exit 1 when something does."""
    source = cut(_read("Bikes cost 9 euros."), "section", {})
    kinds: Mapping[str, Callable[[str], object]] = {
        "read and cut": _cut,
        "read and cut, as code": lambda text: _cut(f"```\na\n{text}\nb\n```"),
        "render": lambda text: render_markdown(text, [], web_link),
        "words": lambda text: [terms(text, lang) for lang in ("en", "bn")],
        "question": lambda text: needs_context(checked(f"a{text}"[:2000]), "en"),
        "support": lambda text: check_support(f"a{text}"[:8000], source, "en", None),
    }
    slow = [
        f"{kind}, {piece!r}: {why}" for kind, do in kinds.items() for piece in PIECES if (why := _growth(do, piece))
    ]
    click.echo("\n".join(slow) or f"{len(PIECES)} kinds of text of {SHORT * TIMES:,} characters: none grows too fast")
    sys.exit(bool(slow))


def _growth(do: Callable[[str], object], piece: str) -> str:
    long = _seconds(do, (piece * SHORT * TIMES)[: SHORT * TIMES])
    short = _seconds(do, (piece * SHORT)[:SHORT]) if long > TOO_QUICK else long
    return f"{short:.2f} s become {long:.2f} s" if long > MOST_GROWTH * short else ""


def _seconds(do: Callable[[str], object], text: str) -> float:
    """Return the processor's time, which other processes don't lengthen."""
    start = time.process_time()
    with suppress(Withheld):
        do(text)
    return time.process_time() - start


def _read(text: str) -> Document:
    return document_from_bytes(f"## A\n{text}\n".encode(), "a.md", CollectionConfig())


def _cut(text: str) -> None:
    document = _read(text)
    for part in strategies.all():
        cut(document, part.name, {})


if __name__ == "__main__":
    main()
