"""One chunk for each block between blank lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webapp.core.chunking.base import strategies
from webapp.core.chunking.regions import regions
from webapp.core.documents.lines import line_starts
from webapp.core.documents.model import Section, Span


@strategies.register("paragraph", "Paragraphs: each block between blank lines")
def paragraph(section: Section, options: Any) -> Iterator[Span]:
    """Yield the blocks between blank lines; a code sample with blank lines in it stays whole."""
    for region in regions(section):
        start, end = region[0].start, region[0].end
        for block in region[1:]:
            if len(line_starts(section.text[end : block.start])) > 2:
                yield Span(start, end)
                start = block.start
            end = max(end, block.end)
        yield Span(start, end)
