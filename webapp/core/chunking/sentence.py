"""Whole sentences, packed while they fit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from pydantic import BaseModel, Field

from webapp.core.chunking.base import strategies
from webapp.core.chunking.regions import regions
from webapp.core.documents.lines import width
from webapp.core.documents.model import Section, Span


class SentenceOptions(BaseModel, frozen=True, extra="forbid"):
    """How long a chunk may grow."""

    max_chars: int = Field(300, ge=1, description="Characters that sentences are packed into; a longer one stays whole")


@strategies.register("sentence", "Whole sentences, packed while they fit", SentenceOptions)
def sentence(section: Section, options: Any) -> Iterator[Span]:
    """Yield packed sentences; they never cross a heading."""
    blocks = [(block, number) for number, region in enumerate(regions(section)) for block in region]
    region_of = {id(block): number for block, number in blocks}
    pieces = [piece for piece in section.pieces if id(piece.block) in region_of]
    for _, group in groupby(pieces, key=lambda piece: region_of[id(piece.block)]):
        yield from _packed(section.text, [Span(piece.start, piece.end) for piece in group], options.max_chars)


def _packed(text: str, sentences: list[Span], limit: int) -> Iterator[Span]:
    start, end = sentences[0].start, sentences[0].end
    for sentence in sentences[1:]:
        if width(text, start, sentence.end) > limit:
            yield Span(start, end)
            start = sentence.start
        end = sentence.end
    yield Span(start, end)
