"""By structure: headings, then blocks, then sentences, up to a size; nothing is broken that fits whole."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field

from webapp.core.chunking.base import strategies
from webapp.core.chunking.regions import regions
from webapp.core.documents.model import Block, BlockKind, Section, Span
from webapp.core.documents.pieces import pieces_in

_UNITS = (re.compile(r"[^\r\n]*[^\s][^\r\n]*"), re.compile(r"\S+"), re.compile(r"\S{1,70}"))  # lines, words, letters
_LETTERS_A_WORD = 7  # so that long addresses, and scripts without blanks, count for what they take


class StructureOptions(BaseModel, frozen=True, extra="forbid"):
    """How long a chunk may grow."""

    size: int = Field(110, ge=10, description="Words that a chunk may hold")


@strategies.register("structure", "By headings, then blocks, then sentences, up to a size", StructureOptions)
def structure(section: Section, options: Any) -> Iterator[Span]:
    """Yield chunks of at most `size` words that never cross a heading of any level."""
    for region in regions(section):
        parts = _bound(section, region, options.size)
        total = sum(weight(section.text[part.start : part.end]) for part in parts)
        fair = total / max(-(-total // options.size), 1)  # so that the last chunk is no scrap
        yield from _packed(section.text, parts, options.size, fair)


def weight(text: str) -> int:
    """Return the number of words, or what their letters amount to if that is more."""
    words = text.split()
    return max(len(words), sum(map(len, words)) // _LETTERS_A_WORD)


def _packed(text: str, parts: list[Span], size: int, fair: float) -> Iterator[Span]:
    """Yield the parts packed while they fit into `size`, and only up to about `fair` words each."""
    first, held = 0, 0
    for index, part in enumerate(parts):
        added = weight(text[part.start : part.end])
        if held and (held + added > size or held + added / 2 > fair):
            yield Span(parts[first].start, parts[index - 1].end)
            first, held = index, 0
        held += added
    yield Span(parts[first].start, parts[-1].end)


def _bound(section: Section, region: list[Block], size: int) -> list[Span]:
    """Return the region's parts; what leads in (a header row, a line with a colon) is one with what follows."""
    text = section.text
    parts: list[Span] = []
    leading = False
    for block in region:
        for part in _parts(section, block, size):
            joined = leading and weight(text[parts[-1].start : part.end]) <= size
            parts.append(Span(parts.pop().start, part.end) if joined else part)
            leading = _leads_in(text, block)
    return parts


def _leads_in(text: str, block: Block) -> bool:
    if block.kind is BlockKind.PARAGRAPH:
        return text[block.end - 1] in ":："
    return block.kind is BlockKind.TABLE_HEAD or (
        block.kind is BlockKind.OTHER and text[block.start] in "|:-" and block.group > 0
    )


def _parts(section: Section, block: Block, size: int) -> Iterator[Span]:
    """Yield the block whole if it fits, else its sentences; of what is longer still its lines, words or letters."""
    if block.kind is BlockKind.COMMENT:
        return
    if weight(section.text[block.start : block.end]) <= size:
        yield Span(block.start, block.end)
        return
    for piece in pieces_in(section, block):
        yield from _broken(section.text, Span(piece.start, piece.end), size, _UNITS)


def _broken(text: str, whole: Span, size: int, units: tuple[re.Pattern[str], ...]) -> Iterator[Span]:
    """Yield a stretch whole if it fits, else its units packed while they fit, broken further where need be."""
    if not units or weight(text[whole.start : whole.end]) <= size:
        yield whole
        return
    found = (Span(unit.start(), unit.end()) for unit in units[0].finditer(text, whole.start, whole.end))
    smaller = [part for unit in found for part in _broken(text, unit, size, units[1:])]
    yield from _packed(text, smaller, size, math.inf)
