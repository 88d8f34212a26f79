"""By structure: headings, then blocks, then sentences, up to a size; nothing is broken that fits whole."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field

from webapp.core.chunking.base import strategies
from webapp.core.chunking.regions import regions
from webapp.core.documents.model import Block, BlockKind, Piece, Section, Span

_UNITS = (re.compile(r"[^\r\n]*[^\s][^\r\n]*"), re.compile(r"\S+"), re.compile(r"\S{1,70}"))  # lines, words, letters
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
    parts = _bound(section.text, region, pieces, size)
    weights = [weight(section.text[part.start : part.end]) for part in parts]
    total = sum(weights)
    fair = total / max(-(-total // size), 1)  # so that the last chunk is no scrap
    first, held = 0, 0
    for index, added in enumerate(weights):
        if held and (held + added > size or held + added / 2 > fair):
            yield Span(parts[first].start, parts[index - 1].end)
            first, held = index, 0
        held += added
    yield Span(parts[first].start, parts[-1].end)


def _bound(text: str, region: list[Block], pieces: dict[int, list[Piece]], size: int) -> list[Span]:
    """Return the region's parts; what leads in (a header row, a line with a colon) is one with what follows."""
    parts: list[Span] = []
    leading = False
    for block in region:
        for part in _parts(text, block, pieces[id(block)], size):
            if leading and weight(text[parts[-1].start : part.end]) <= size:
                part = Span(parts.pop().start, part.end)  # noqa: PLW2901
            parts.append(part)
            leading = _leads_in(text, block)
    return parts


def _leads_in(text: str, block: Block) -> bool:
    if block.kind is BlockKind.PARAGRAPH:
        return text[block.end - 1] in ":："
    return block.kind is BlockKind.TABLE_HEAD or (
        block.kind is BlockKind.OTHER and text[block.start] in "|:-" and block.group > 0
    )


def _parts(text: str, block: Block, pieces: list[Piece], size: int) -> Iterator[Span]:
    """Yield the block whole if it fits, else its sentences; of what is longer still its lines, words or letters."""
    if pieces and weight(text[block.start : block.end]) <= size:
        yield Span(block.start, block.end)
        return
    for piece in pieces:
        yield from _broken(text, Span(piece.start, piece.end), size, _UNITS)


def _broken(text: str, whole: Span, size: int, units: tuple[re.Pattern[str], ...]) -> Iterator[Span]:
    """Yield a stretch whole if it fits, else its units packed while they fit, broken further where need be."""
    if not units or weight(text[whole.start : whole.end]) <= size:
        yield whole
        return
    found = (Span(unit.start(), unit.end()) for unit in units[0].finditer(text, whole.start, whole.end))
    smaller = [part for unit in found for part in _broken(text, unit, size, units[1:])]
    first, held = 0, 0
    for index, part in enumerate(smaller):
        added = weight(text[part.start : part.end])
        if held and held + added > size:
            yield Span(smaller[first].start, smaller[index - 1].end)
            first, held = index, 0
        held += added
    yield Span(smaller[first].start, smaller[-1].end)
