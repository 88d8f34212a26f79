"""What a walk over a file's Markdown gives: its leaf blocks in order, and its plain text."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.documents.model import BlockKind
from webapp.core.documents.plain import Runs


@dataclass(slots=True)
class Leaf:
    """One leaf block: its place in the file and in the document's plain text."""

    kind: BlockKind
    start: int
    end: int
    group: int
    lead: str
    level: int  # of a heading, else 0
    nested: bool  # stands inside a list, a quote or the like
    first_run: int
    plain_start: int
    plain_end: int = 0
    fixed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What a walk gives: leaves in the order of the file, the plain text, and the runs that link both."""

    leaves: list[Leaf]
    plain: str
    runs: Runs
