"""Spans → chunks: the one place where text, lines, headings, sentences and ids of chunks are made."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from webapp.core.chunking.base import strategies
from webapp.core.documents.lazy import on_first_use
from webapp.core.documents.lines import fold
from webapp.core.documents.model import (
    Block,
    BlockKind,
    Chunk,
    Document,
    Location,
    Piece,
    Section,
    Sentence,
    Span,
)


def cut(document: Document, strategy: str, options: Mapping[str, Any]) -> tuple[Chunk, ...]:
    """Cut a document by a registered strategy. Raises UnknownPart and, before any work, ValueError for bad options."""
    part = strategies.get(strategy)
    parsed = part.parse(options)
    chunks: list[Chunk] = []
    for section in document.sections:
        if section.text:
            cutter = _Cutter(document, section)
            chunks.extend(cutter.chunks(part.make(section, parsed), len(chunks)))
    return tuple(chunks)


def trimmed(text: str, start: int, end: int) -> Span:
    """Return the range without white space at its ends."""
    kept = text[start:end]
    bare = kept.strip()
    if not bare:
        return Span(start, start)
    start += len(kept) - len(kept.lstrip())
    return Span(start, start + len(bare))


class _Cutter:
    """Makes the chunks of one section."""

    def __init__(self, document: Document, section: Section) -> None:
        self.document, self.section = document, section
        self.block_starts = [block.start for block in section.blocks]
        self.whole: dict[int, Sentence | None] = {}

    @cached_property
    def pieces(self) -> list[Piece]:
        """The section's pieces that a reader sees something of."""
        return [piece for piece in self.section.pieces if piece.plain_end > piece.plain_start]

    @cached_property
    def piece_starts(self) -> list[int]:
        """Where they begin in the section's plain text."""
        return [piece.plain_start for piece in self.pieces]

    def chunks(self, spans: Iterable[Span], first: int) -> Iterator[Chunk]:
        """Yield a chunk for each span that holds more than white space and comments."""
        number = first
        for span in spans:
            bare, block = self._without_comment(trimmed(self.section.text, span.start, span.end))
            if bare.end > bare.start:
                yield self._chunk(bare, block, number)
                number += 1

    def _without_comment(self, span: Span) -> tuple[Span, Block | None]:
        """Return the span, beginning after a comment that it would begin with or inside, and the block it begins in."""
        block = self._block_at(span.start)
        while block and block.kind is BlockKind.COMMENT and span.start < min(block.end, span.end):
            span = trimmed(self.section.text, min(block.end, span.end), span.end)
            block = self._block_at(span.start)
        return span, block

    def _block_at(self, offset: int) -> Block | None:
        """Return the last block that begins at or before `offset`."""
        index = bisect_right(self.block_starts, offset) - 1
        return self.section.blocks[index] if index >= 0 else None

    def _chunk(self, span: Span, block: Block | None, number: int) -> Chunk:
        document, section = self.document, self.section
        return Chunk(
            id=f"{document.id}:c{number}",
            document_id=document.id,
            title=document.title,
            text=fold(section.text[span.start : span.end]),
            plain=on_first_use(lambda: fold(section.plain.text[slice(*self._plain_range(span))])),
            location=self._location(span, block),
            version=document.version,
            status=document.status,
            lang=document.lang,
            start=section.start + span.start,
            end=section.start + span.end,
            sentences=on_first_use(lambda: tuple(self._sentences(span, *self._plain_range(span)))),
            lead=block.lead if block else "",
            audience=document.audience,
            updated=document.updated,
            valid_until=document.valid_until,
            attributes=document.attributes,
        )

    def _plain_range(self, span: Span) -> tuple[int, int]:
        plain = self.section.plain
        return plain.index_at(span.start), plain.index_at(span.end)

    def _location(self, span: Span, block: Block | None) -> Location:
        document, section = self.document, self.section
        path = section.heading_path + (block.heading_path if block else ())
        start, end = section.start + span.start, section.start + span.end
        page = bisect_right(document.pages, (start, 1 << 62)) - 1
        return Location(
            heading=path[-1],
            first_line=document.line_at(start),
            last_line=document.line_at(end - 1),
            start=span.start,
            end=span.end,
            heading_path=path,
            page=document.pages[page][1] if page >= 0 else None,
        )

    def _sentences(self, span: Span, plain_start: int, plain_end: int) -> Iterator[Sentence]:
        """Yield the sentences that stand in the span; of one that its borders cut, the part inside."""
        index = max(bisect_right(self.piece_starts, plain_start) - 1, 0)
        last = bisect_left(self.piece_starts, plain_end)
        for number in range(index, last):
            piece = self.pieces[number]
            if piece.plain_start >= plain_start and piece.plain_end <= plain_end and piece.end <= span.end:
                sentence = self._whole(number, piece)
            else:
                sentence = self._part(piece, max(piece.plain_start, plain_start), min(piece.plain_end, plain_end), span)
            if sentence:
                yield sentence

    def _whole(self, number: int, piece: Piece) -> Sentence | None:
        if number not in self.whole:
            self.whole[number] = self._part(piece, piece.plain_start, piece.plain_end, None)
        return self.whole[number]

    def _part(self, piece: Piece, start: int, end: int, span: Span | None) -> Sentence | None:
        """Return the sentence made of the plain characters `start` to `end`, none if they are blank."""
        plain, document = self.section.plain, self.document
        text = plain.text
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if start >= end:
            return None
        first, last = plain.raw_start(start), plain.raw_end(end - 1)
        if span and first < span.start:
            first = max(plain.raw_start(start, outer=False), span.start)
        if span and last > span.end:
            last = min(plain.raw_end(end - 1, outer=False), span.end)
        first, last = first + self.section.start, last + self.section.start
        lines = document.line_at(first), document.line_at(last - 1)
        return Sentence(fold(text[start:end]), first, last, *lines, piece.block.lead)
