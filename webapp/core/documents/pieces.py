"""A section's smallest parts: what is packed into chunks, quoted, and highlighted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from webapp.core.documents.model import Block, BlockKind, Piece, Section, Span
from webapp.core.documents.sentences import sentence_spans

_WITH_SENTENCES = frozenset({BlockKind.PARAGRAPH, BlockKind.HTML})
_LONG_ITEM = 160  # plain characters: a longer list item is read sentence by sentence, a shorter one as a whole
_NOT_TEXT = frozenset({BlockKind.HEADING, BlockKind.COMMENT})


def pieces_of(section: Section) -> tuple[Piece, ...]:
    """Return the pieces in order: sentences of paragraphs and long items, else whole blocks; of headings none."""
    return tuple(
        piece for block in section.blocks if block.kind not in _NOT_TEXT for piece in pieces_in(section, block)
    )


def pieces_in(section: Section, block: Block) -> Iterator[Piece]:
    """Yield the pieces of one block; together they cover it."""
    spans = _sentences(section, block) if _has_sentences(block) else []
    if len(spans) < 2:
        yield Piece(block.start, block.end, block.plain_start, block.plain_end, block)
        return
    start = block.start
    for span in spans[:-1]:
        following = max(section.plain.raw_start(_next_seen(section, span.end)), start)
        end = start + len(section.text[start:following].rstrip())
        yield Piece(start, end, span.start, span.end, block)
        start = following
    yield Piece(start, block.end, spans[-1].start, spans[-1].end, block)


def _has_sentences(block: Block) -> bool:
    long_item = block.kind is BlockKind.LIST_ITEM and block.plain_end - block.plain_start > _LONG_ITEM
    return long_item or block.kind in _WITH_SENTENCES


def _next_seen(section: Section, index: int) -> int:
    """Return the first plain character from `index` on that is not white space."""
    text = section.plain.text
    while text[index].isspace():
        index += 1
    return index


def _sentences(section: Section, block: Block) -> list[Span]:
    """Return the block's sentences in the section's plain text; none ends inside a link or a code span."""
    text = section.plain.text[block.plain_start : block.plain_end]
    base = block.plain_start
    spans: list[Span] = []
    stretches = _apart(block.fixed)
    for span in sentence_spans(text, section.lang):
        found = Span(span.start + base, span.end + base)
        if spans and _in_one(stretches, spans[-1].end, found.start):
            spans[-1] = Span(spans[-1].start, found.end)
        else:
            spans.append(found)
    return spans


def _apart(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the stretches in order, those that lie in another one left out."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def _in_one(stretches: list[tuple[int, int]], end: int, start: int) -> bool:
    """Say whether a sentence's end and the next one's start both lie inside one stretch."""
    index = bisect_left(stretches, (end,)) - 1
    return index >= 0 and stretches[index][0] < end and start < stretches[index][1]
