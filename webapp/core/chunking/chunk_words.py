"""What a reader sees of a chunk: its plain text, its sentences and what leads into it, found when first asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property

from webapp.core.documents.lines import fold
from webapp.core.documents.model import Block, BlockKind, Chunk, Document, Location, Piece, Section, Sentence

_OF_LISTS = frozenset({BlockKind.LIST_ITEM, BlockKind.CODE})  # samples stand in lists as well


class SectionWords:
    """Finds them for the chunks of one section."""

    def __init__(self, document: Document, section: Section) -> None:
        self._document, self._section = document, section
        self._block_starts = [block.start for block in section.blocks]
        self._found: dict[int, Sentence | None] = {}

    def block_at(self, offset: int) -> Block | None:
        """Return the last block that begins at or before `offset` of the section."""
        index = bisect_right(self._block_starts, offset) - 1
        return self._section.blocks[index] if index >= 0 else None

    def plain(self, chunk: Chunk) -> str:
        """Return what a reader sees, white space folded."""
        start, end = self._plain_range(chunk.location)
        return fold(self._section.plain.text[start:end])

    def lead(self, chunk: Chunk) -> str:
        """Return the words that lead into the block that the chunk begins in."""
        block = self.block_at(chunk.location.start)
        return self._section.plain.lead(block.lead) if block else ""

    def sentences(self, chunk: Chunk) -> tuple[Sentence, ...]:
        """Return the sentences that stand in the chunk; of one that its borders cut, the part inside."""
        return tuple(self._sentences(chunk.location, *self._plain_range(chunk.location)))

    def _plain_range(self, place: Location) -> tuple[int, int]:
        plain = self._section.plain
        return plain.index_at(place.start), plain.index_at(place.end)

    @cached_property
    def _pieces(self) -> list[Piece]:
        """The section's pieces that a reader sees something of."""
        return [piece for piece in self._section.pieces if piece.plain_end > piece.plain_start]

    @cached_property
    def _piece_starts(self) -> list[int]:
        """Where they begin in the section's plain text."""
        return [piece.plain_start for piece in self._pieces]

    def _sentences(self, place: Location, plain_start: int, plain_end: int) -> Iterator[Sentence]:
        first = max(bisect_right(self._piece_starts, plain_start) - 1, 0)
        last = bisect_left(self._piece_starts, plain_end)
        for number in range(first, last):
            piece = self._pieces[number]
            inside = place.start <= piece.start and piece.end <= place.end
            if inside and piece.plain_start >= plain_start and piece.plain_end <= plain_end:
                sentence = self._whole(number, piece)
            else:
                sentence = self._part(
                    piece, max(piece.plain_start, plain_start), min(piece.plain_end, plain_end), place
                )
            if sentence:
                yield sentence

    def _whole(self, number: int, piece: Piece) -> Sentence | None:
        if number not in self._found:
            self._found[number] = self._part(piece, piece.plain_start, piece.plain_end, None)
        return self._found[number]

    def _part(self, piece: Piece, start: int, end: int, place: Location | None) -> Sentence | None:
        """Return the sentence made of the plain characters `start` to `end`, none if they are blank."""
        plain, document, section = self._section.plain, self._document, self._section
        start, end = trimmed(plain.text, start, end)
        if start >= end:
            return None
        first, last = plain.raw_start(start), plain.raw_end(end - 1)
        if place and first < place.start:
            first = max(plain.raw_start(start, outer=False), place.start)
        if place and last > place.end:
            last = min(plain.raw_end(end - 1, outer=False), place.end)
        first, last = first + section.start, last + section.start
        lines = document.line_at(first), document.line_at(last - 1)
        block = piece.block
        listed = block.group if block.kind in _OF_LISTS else 0
        return Sentence(fold(plain.text[start:end]), first, last, *lines, plain.lead(block.lead), listed)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range without white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
