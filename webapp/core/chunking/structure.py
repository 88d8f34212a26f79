"""By structure: headings, then blocks, then sentences, up to a size; nothing is broken that fits whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field

from webapp.core.chunking.base import strategies
from webapp.core.chunking.regions import regions
from webapp.core.documents.model import Block, Piece, Section, Span

_LETTERS_A_WORD = 7  # so that long addresses, and scripts without blanks, count for what they take


class StructureOptions(BaseModel, frozen=True, extra="forbid"):
    """How long a chunk may grow."""

    size: int = Field(110, ge=10, description="Words that a chunk may hold")


@strategies.register("structure", "By headings, then blocks, then sentences, up to a size", StructureOptions)
def structure(section: Section, options: Any) -> Iterator[Span]:
    """Yield chunks of at most `size` words that never cross a heading of any level."""
    pieces: defaultdict[int, list[Piece]] = defaultdict(list)
    for piece in section.pieces:
        pieces[id(piece.block)].append(piece)
    for region in regions(section):
        yield from _packed(section, region, pieces, options.size)


def weight(text: str) -> int:
    """Return the number of words, or what their letters amount to if that is more."""
    words = text.split()
    return max(len(words), sum(map(len, words)) // _LETTERS_A_WORD)


def _packed(section: Section, region: list[Block], pieces: dict[int, list[Piece]], size: int) -> Iterator[Span]:
    """Yield the region's parts packed while they fit, and evenly."""
    parts = [part for block in region for part in _parts(section, block, pieces[id(block)], size)]
    if not parts:
        return
    weights = [weight(section.text[part.start : part.end]) for part in parts]
    total = sum(weights)
    fair = total / -(-total // size)  # so that the last chunk is no scrap
    start, held = 0, weights[0]
    for index in range(1, len(parts)):
        if held + weights[index] > size or held + weights[index] / 2 > fair:
            yield Span(parts[start].start, parts[index - 1].end)
            start, held = index, 0
        held += weights[index]
    yield Span(parts[start].start, parts[-1].end)


def _parts(section: Section, block: Block, pieces: list[Piece], size: int) -> Iterator[Span]:
    """Yield the block whole if it fits, else its sentences; the lines of code that does not fit."""
    if not pieces:  # a comment between two blocks
        return
    if weight(section.text[block.start : block.end]) <= size:
        yield Span(block.start, block.end)
        return
    for piece in pieces:
        yield Span(piece.start, piece.end)
