"""A section's smallest parts: what is packed into chunks, quoted, and highlighted."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.core.documents.model import Block, BlockKind, Piece, Section, Span
from webapp.core.documents.plain import PARTED
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
    spans = _sentences(section, block)
    if len(spans) < 2:
        yield Piece(block.start, block.end, *section.plain.of_leaf(block.leaf), block)
        return
    start = block.start
    for span in spans[:-1]:
        following = max(section.plain.raw_start(_next_seen(section, span.end)), start)
        end = start + len(section.text[start:following].rstrip())
        yield Piece(start, end, span.start, span.end, block)
        start = following
    yield Piece(start, block.end, spans[-1].start, spans[-1].end, block)


def _next_seen(section: Section, index: int) -> int:
    """Return the first plain character from `index` on that is not white space."""
    text = section.plain.text
    while text[index].isspace():
        index += 1
    return index


def _sentences(section: Section, block: Block) -> list[Span]:
    """Return the sentences of a block that has any, in the section's plain text; none ends inside a link or code."""
    start, end = section.plain.of_leaf(block.leaf)
    titled = section.plain.text.find(PARTED, start, end) >= 0
    if block.kind not in _WITH_SENTENCES and not (
        block.kind is BlockKind.LIST_ITEM and (titled or end - start > _LONG_ITEM)
    ):
        return []
    spans: list[Span] = []
    for span in sentence_spans(section.plain.text[start:end], section.lang):
        found = Span(span.start + start, span.end + start)
        if spans and section.plain.is_fixed(spans[-1].end, found.start):
            spans[-1] = Span(spans[-1].start, found.end)
        else:
            spans.append(found)
    return spans
