"""Paragraphs that say what another page says already, in nearly the same words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webapp.core.documents.model import BlockKind, Document

_KINDS = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_RUN = 5  # words in a row that count as one thing in common
_FEWEST = 12  # words of a paragraph: shorter ones are alike by chance
_SHARE = 0.8  # of a paragraph's runs that must stand together in one of another page

Runs = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A paragraph, and the one of another page that holds it; lines are the files'."""

    line: int
    document: Document
    other_line: int


def repeats(document: Document, others: Iterable[Document]) -> Iterator[Repeat]:
    """Yield the paragraphs of a document that another one has too, each with the page that has most of it."""
    mine = list(_paragraphs(document))
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, (_, runs) in enumerate(mine):
        for run in runs:
            holders[run].append(number)
    best: dict[int, tuple[float, Repeat]] = {}
    for other in others if mine else ():
        for line, runs in _paragraphs(other):
            common = Counter(number for run in runs & holders.keys() for number in holders[run])
            for number, count in common.items():
                share = count / len(mine[number][1])
                if share >= _SHARE and share > best.get(number, (0.0,))[0]:
                    best[number] = share, Repeat(mine[number][0], other, line)
    yield from (best[number][1] for number in sorted(best))


def _paragraphs(document: Document) -> Iterator[tuple[int, Runs]]:
    """Yield line and runs of words of every paragraph that is long enough."""
    for section in document.sections:
        for block in section.blocks:
            if block.kind in _KINDS:
                words = section.words_of(block).casefold().split()
                if len(words) >= _FEWEST:
                    runs = frozenset(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))
                    yield document.line_at(section.start + block.start), runs
