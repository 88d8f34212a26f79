"""By structure: headings, then blocks, then sentences, up to a size; nothing is broken that fits whole."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from webapp.core.chunking.base import strategies
from webapp.core.chunking.regions import regions
from webapp.core.documents.model import Block, BlockKind, Section, Span
from webapp.core.documents.pieces import pieces_in

_UNITS = (re.compile(r"[^\r\n]+"), re.compile(r"\S+"), re.compile(r"\S{1,70}"))  # lines, words, letters
_COMMENT, _OTHER = BlockKind.COMMENT, BlockKind.OTHER  # looked up once
_PARAGRAPH, _TABLE_HEAD = BlockKind.PARAGRAPH, BlockKind.TABLE_HEAD
_LETTERS_A_WORD = 7  # so that long addresses, and scripts without blanks, count for what they take


class StructureOptions(BaseModel, frozen=True, extra="forbid"):
    """How long a chunk may grow."""

    size: int = Field(110, ge=10, description="Words that a chunk may hold")


class _Part(NamedTuple):
    """A stretch that is not broken further, and its weight in words."""

    start: int
    end: int
    weight: int


@strategies.register("structure", "By headings, then blocks, then sentences, up to a size", StructureOptions)
def structure(section: Section, options: Any) -> Iterator[Span]:
    """Yield chunks of at most `size` words that never cross a heading of any level."""
    for region in regions(section):
        parts = _bound(section, region, options.size)
        total = sum(part.weight for part in parts)
        fair = total / max(-(-total // options.size), 1)  # so that the last chunk is no scrap
        for part in _packed(parts, options.size, fair):
            yield Span(part.start, part.end)


def weight(text: str) -> int:
    """Return the number of words, or what their letters amount to if that is more."""
    words = text.split()
    return max(len(words), len("".join(words)) // _LETTERS_A_WORD)


def _packed(parts: list[_Part], size: int, fair: float) -> Iterator[_Part]:
    """Yield the parts packed while they fit into `size`, and only up to about `fair` words each."""
    start, held = parts[0].start, 0
    end = start
    for part in parts:
        if held and (held + part.weight > size or held + part.weight / 2 > fair):
            yield _Part(start, end, held)
            start, held = part.start, 0
        held += part.weight
        end = part.end
    yield _Part(start, end, held)


def _bound(section: Section, region: list[Block], size: int) -> list[_Part]:
    """Return the region's parts; what leads in (a header row, a line with a colon) is one with what follows."""
    text = section.text
    parts: list[_Part] = []
    leading = False
    for block in region:
        for part in _parts(section, block, size):
            if leading and (both := _part(text, parts[-1].start, part.end)).weight <= size:
                parts[-1] = both
            else:
                parts.append(part)
            leading = _leads_in(text, block)
    return parts


def _leads_in(text: str, block: Block) -> bool:
    if block.kind is _PARAGRAPH:
        return text[block.end - 1] in ":："
    return block.kind is _TABLE_HEAD or (block.kind is _OTHER and text[block.start] in "|:-" and block.group > 0)


def _parts(section: Section, block: Block, size: int) -> Iterator[_Part]:
    """Yield the block whole if it fits, else its sentences; of what is longer still its lines, words or letters."""
    if block.kind is _COMMENT:
        return
    whole = _part(section.text, block.start, block.end)
    if whole.weight <= size:
        yield whole
        return
    for piece in pieces_in(section, block):
        yield from _broken(section.text, _part(section.text, piece.start, piece.end), size, _UNITS)


def _broken(text: str, whole: _Part, size: int, units: tuple[re.Pattern[str], ...]) -> Iterator[_Part]:
    """Yield a stretch whole if it fits, else its units packed while they fit, broken further where need be."""
    if not units or whole.weight <= size:
        yield whole
        return
    words = (unit for unit in units[0].finditer(text, whole.start, whole.end) if not unit[0].isspace())
    found = (_part(text, unit.start(), unit.end()) for unit in words)
    smaller = [part for unit in found for part in _broken(text, unit, size, units[1:])]
    yield from _packed(smaller, size, math.inf)


def _part(text: str, start: int, end: int) -> _Part:
    return _Part(start, end, weight(text[start:end]))
