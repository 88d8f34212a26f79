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

_COMMENT = BlockKind.COMMENT  # looked up once


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
        self._document, self._section = document, section
        self._last_line = document.line_at(section.end)
        words = self._words = SectionWords(document, section)
        self._make = partial(
            make,
            plain=on_first_use(words.plain),
            sentences=on_first_use(words.sentences),
            lead=on_first_use(words.lead),
        )

    def chunks(self, spans: Iterable[Span], first: int) -> Iterator[Chunk]:
        """Yield a chunk for each span that holds more than white space and comments."""
        number = first
        for span in spans:
            start, end, block = self._bare(span)
            if end > start:
                yield self._chunk(start, end, block, number)
                number += 1

    def _bare(self, span: Span) -> tuple[int, int, Block | None]:
        """Return the span trimmed, beginning after a comment it would begin with or inside, and the block there."""
        start, end = trimmed(self._section.text, span.start, span.end)
        block = self._words.block_at(start)
        while block and block.kind is _COMMENT and start < min(block.end, end):
            start, end = trimmed(self._section.text, min(block.end, end), end)
            block = self._words.block_at(start)
        return start, end, block

    def _chunk(self, start: int, end: int, block: Block | None, number: int) -> Chunk:
        document, section = self._document, self._section
        first, last, line_starts = section.start + start, section.start + end, document.line_starts
        first_line = bisect_right(line_starts, first, section.first_line - 1, self._last_line)
        last_line = bisect_right(line_starts, last - 1, first_line, self._last_line)
        path = section.heading_path + block.heading_path if block and block.heading_path else section.heading_path
        page = _page_at(document, first) if document.pages else None
        return self._make(
            id=f"{document.id}:c{number}",
            text=fold(section.text[start:end]),
            location=Location(path[-1], first_line, last_line, start, end, path, page),
            start=first,
            end=last,
        )


def _page_at(document: Document, offset: int) -> int | None:
    """Return the page of a converted PDF that holds the character at `offset`."""
    index = bisect_right(document.pages, (offset, 1 << 62)) - 1
    return document.pages[index][1] if index >= 0 else None
