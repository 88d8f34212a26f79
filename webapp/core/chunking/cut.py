"""Spans → chunks: the one place where text, lines, headings and ids of chunks are made."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from webapp.core.chunking.base import strategies
from webapp.core.chunking.chunk_words import SectionWords, trimmed
from webapp.core.documents.lazy import on_first_use
from webapp.core.documents.lines import fold
from webapp.core.documents.model import Block, BlockKind, Chunk, Document, Location, Section, Span


def cut(document: Document, strategy: str, options: Mapping[str, Any]) -> tuple[Chunk, ...]:
    """Cut a document by a registered strategy. Raises UnknownPart and, before any work, ValueError for bad options."""
    part = strategies.get(strategy)
    parsed = part.parse(options)
    make = _chunk_of(document)
    chunks: list[Chunk] = []
    for section in document.sections:
        if section.text:
            cutter = _Cutter(document, section, make)
            chunks.extend(cutter.chunks(part.make(section, parsed), len(chunks)))
    return tuple(chunks)


def _chunk_of(document: Document) -> Callable[..., Chunk]:
    """Return what makes a chunk that says the same as its document of everything but its place and its words."""
    return partial(
        Chunk,
        document_id=document.id,
        title=document.title,
        version=document.version,
        status=document.status,
        lang=document.lang,
        audience=document.audience,
        updated=document.updated,
        valid_until=document.valid_until,
        attributes=document.attributes,
    )


class _Cutter:
    """Makes the chunks of one section."""

    def __init__(self, document: Document, section: Section, make: Callable[..., Chunk]) -> None:
        self._document, self._section, self._make = document, section, make
        self._block_starts = [block.start for block in section.blocks]
        self._words = SectionWords(document, section)

    def chunks(self, spans: Iterable[Span], first: int) -> Iterator[Chunk]:
        """Yield a chunk for each span that holds more than white space and comments."""
        number = first
        for span in spans:
            bare, block = self._without_comment(trimmed(self._section.text, span.start, span.end))
            if bare.end > bare.start:
                yield self._chunk(bare, block, number)
                number += 1

    def _without_comment(self, span: Span) -> tuple[Span, Block | None]:
        """Return the span, beginning after a comment that it would begin with or inside, and the block it begins in."""
        block = self._block_at(span.start)
        while block and block.kind is BlockKind.COMMENT and span.start < min(block.end, span.end):
            span = trimmed(self._section.text, min(block.end, span.end), span.end)
            block = self._block_at(span.start)
        return span, block

    def _block_at(self, offset: int) -> Block | None:
        """Return the last block that begins at or before `offset`."""
        index = bisect_right(self._block_starts, offset) - 1
        return self._section.blocks[index] if index >= 0 else None

    def _chunk(self, span: Span, block: Block | None, number: int) -> Chunk:
        start, words = self._section.start, self._words
        return self._make(
            id=f"{self._document.id}:c{number}",
            text=fold(self._section.text[span.start : span.end]),
            plain=on_first_use(partial(words.plain, span)),
            location=self._location(span, block),
            start=start + span.start,
            end=start + span.end,
            sentences=on_first_use(partial(words.sentences, span)),
            lead=on_first_use(partial(words.lead, block)),
        )

    def _location(self, span: Span, block: Block | None) -> Location:
        document, section = self._document, self._section
        path = section.heading_path + block.heading_path if block and block.heading_path else section.heading_path
        start = section.start + span.start
        return Location(
            heading=path[-1],
            first_line=document.line_at(start),
            last_line=document.line_at(section.start + span.end - 1),
            start=span.start,
            end=span.end,
            heading_path=path,
            page=_page_at(document, start) if document.pages else None,
        )


def _page_at(document: Document, offset: int) -> int | None:
    """Return the page of a converted PDF that holds the character at `offset`."""
    index = bisect_right(document.pages, (offset, 1 << 62)) - 1
    return document.pages[index][1] if index >= 0 else None
