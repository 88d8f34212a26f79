"""What a walk over a file's Markdown gives: its leaf blocks in order."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.documents.model import BlockKind

TAB_LEVEL = 7  # of the headings of DocFX's tabs: they are below every other, and end at a rule


@dataclass(slots=True)
class Leaf:
    """One leaf block and its place in the file."""

    kind: BlockKind
    start: int
    end: int
    group: int = 0  # leaves of one outermost list, table or quote share a number > 0
    lead: int = -1  # the number of what may lead into it: a table's header, a list's line before; -1: none
    within: tuple[str, ...] = ()  # words of the headings inside lists and quotes in force here
    nested: bool = False  # stands inside a list, a quote or the like
    level: int = 0  # of a heading
    words: str = ""  # of a heading
