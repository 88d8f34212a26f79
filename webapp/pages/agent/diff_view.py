"""Differences of two texts as pages show them: in one column, or side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from webapp.core.documents.differences import DiffLine, Row, folded
from webapp.web.i18n import number
from webapp.web.source_view import Piece, pieces


@dataclass(frozen=True, slots=True)
class Side:
    """A line on one side, with its number in the reader's digits, its changed words marked."""

    number: str
    pieces: tuple[Piece, ...]
    cited: bool = False


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A line before and after. `kind`: same, or changed."""

    kind: str
    old: Side | None
    new: Side | None


@dataclass(frozen=True, slots=True)
class Part:
    """Rows in a run. `folded`: they are the same on both sides, and far from every change."""

    rows: tuple[ShownRow, ...]
    folded: bool

    @property
    def count(self) -> int:
        """How many lines it has."""
        return len(self.rows)

    @property
    def runs(self) -> Iterator[ShownRow]:
        """The rows for one column: of each changed stretch all that was, then all that is."""
        waiting: list[ShownRow] = []
        for row in self.rows:
            if row.kind == "same":
                yield from (ShownRow("new", None, one.new) for one in waiting if one.new)
                waiting.clear()
                yield row
                continue
            if row.old:
                yield ShownRow("old", row.old, None)
            waiting.append(row)
        yield from (ShownRow("new", None, one.new) for one in waiting if one.new)


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two texts; `more`: so many further changed lines are not shown."""

    parts: tuple[Part, ...]
    changed: int
    more: int = 0


def view_difference(rows: Sequence[Row], cited: Collection[int] = (), most: int | None = None) -> Difference:
    """Prepare rows for the page. `cited` are old line numbers; of more than `most` changed rows only so many show."""
    changed = sum(not row.same for row in rows)
    left, parts = changed if most is None else most, []
    for stretch in folded(rows):
        if left <= 0:
            break
        kept = stretch.rows[: left + sum(row.same for row in stretch.rows)]
        left -= sum(not row.same for row in kept)
        parts.append(Part(tuple(_row(row, cited) for row in kept), stretch.folded))
    return Difference(tuple(parts), changed, max(0, changed - most) if most is not None else 0)


def _row(row: Row, cited: Collection[int]) -> ShownRow:
    is_cited = row.old is not None and row.old.number in cited
    old, new = (_side(line) for line in (row.old, row.new))
    if old and is_cited:
        old = Side(old.number, old.pieces, cited=True)
    return ShownRow("same" if row.same else "changed", old, new)


def _side(line: DiffLine | None) -> Side | None:
    return Side(number(line.number), pieces(line.text, 0, line.marks)) if line else None
