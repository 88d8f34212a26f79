"""One chunk for each block between blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from webapp.core.chunking.base import strategies
from webapp.core.chunking.regions import regions
from webapp.core.documents.model import BlockKind, Section, Span

_COMMENT = BlockKind.COMMENT  # looked up once
_LINE_ENDS = re.compile(r"(?:\r\n|\n|\r(?!\n)).*(?:\r\n|\n|\r(?!\n))", re.DOTALL)  # two: a blank line


@strategies.register("paragraph", "Paragraphs: each block between blank lines")
def paragraph(section: Section, options: Any) -> Iterator[Span]:
    """Yield the blocks between blank lines; a code sample with blank lines in it stays whole."""
    for region in regions(section):
        start, end = region[0].start, region[0].end
        for block in region[1:]:
            if block.kind is _COMMENT:
                continue
            if _LINE_ENDS.search(section.text, end, block.start):
                yield Span(start, end)
                start = block.start
            end = block.end
        yield Span(start, end)
