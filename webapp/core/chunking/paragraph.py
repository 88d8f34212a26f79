"""One chunk for each block between blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from webapp.core.chunking.base import strategies
from webapp.core.chunking.regions import regions
from webapp.core.documents.model import BlockKind, Section, Span

_COMMENT, _OTHER = BlockKind.COMMENT, BlockKind.OTHER  # looked up once
_LINE_ENDS = re.compile(r"(?:\r\n|\n|\r(?!\n)).*(?:\r\n|\n|\r(?!\n))", re.DOTALL)  # two: a blank line


@strategies.register("paragraph", "Paragraphs: each block between blank lines")
def paragraph(section: Section, options: Any) -> Iterator[Span]:
    """Yield the blocks between blank lines; a code sample with blank lines in it stays whole.

    What no reader sees (tags, rules, link definitions) stays with the block before it, or with the first one.
    """
    for region in regions(section):
        start, end, seen, apart = region[0].start, region[0].end, False, False
        for block in region:
            kind = block.kind
            if kind is _COMMENT:
                apart = True
                continue
            if seen and (apart or kind is not _OTHER) and _LINE_ENDS.search(section.text, end, block.start):
                yield Span(start, end)
                start, seen = block.start, False
            end, seen, apart = block.end, seen or kind is not _OTHER, False
        yield Span(start, end)
