"""The same golden questions before and after a change: which figures fell, and through which questions.

Three figures are agreed; each is a yes or no for every question, so that a change is compared question by question.
One fell if the changed page itself loses more of its questions than it gains: that is no chance. Of the other
questions, whose answers move a little with every change, more must be lost than chance explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from webapp.core.evaluation.evaluate import Row
from webapp.core.evaluation.questions import Question
from webapp.core.evaluation.verdict import CHANCE, chance

FOUND_WITHIN = 5  # sections


class Agreed(StrEnum):
    """The figures that a publication may not lower."""

    FOUND = "found"  # the right section is among the first five
    ANSWERED = "answered"  # answered from a right place
    REFUSED = "refused"  # not answered, because nothing answers it


@dataclass(frozen=True, slots=True)
class Pair:
    """One question's rows before and after."""

    question: Question
    before: Row
    after: Row

    def outcome(self, figure: Agreed) -> tuple[bool, bool] | None:
        """Return whether it went well before and after; None where the figure is not about it."""
        if self.before.label_broken or self.question.answerable == (figure is Agreed.REFUSED):
            return None
        return _well(self.before, figure), _well(self.after, figure)

    def is_about(self, document_id: str) -> bool:
        """Tell whether its right place is in that document or, if it has none, the answer came from there."""
        if self.question.answerable:
            return any(label.document == document_id for label in self.question.labels)
        return any(found.document_id == document_id for found in self.after.citations)


@dataclass(frozen=True, slots=True)
class PairedFigure:
    """One figure before and after: counts of questions that went well, and those that differ."""

    figure: Agreed
    questions: int
    before: int
    after: int
    lost: tuple[str, ...]  # the questions' words
    gained: tuple[str, ...]
    fell: bool

    def as_dict(self) -> dict[str, Any]:
        """Return it as it is kept."""
        counts = {"questions": self.questions, "before": self.before, "after": self.after}
        changes = {"lost": list(self.lost), "gained": list(self.gained), "fell": self.fell}
        return {"figure": self.figure.value, **counts, **changes}


def paired_figures(pairs: Sequence[Pair], document_id: str) -> tuple[PairedFigure, ...]:
    """Return the agreed figures over the questions, where the document of that id is the one that changed."""
    return tuple(_paired(figure, pairs, document_id) for figure in Agreed)


def _paired(figure: Agreed, pairs: Sequence[Pair], document_id: str) -> PairedFigure:
    outcomes = [(pair, outcome) for pair in pairs if (outcome := pair.outcome(figure))]
    lost = [pair for pair, (before, after) in outcomes if before and not after]
    gained = [pair for pair, (before, after) in outcomes if after and not before]
    return PairedFigure(
        figure,
        questions=len(outcomes),
        before=sum(before for _, (before, _) in outcomes),
        after=sum(after for _, (_, after) in outcomes),
        lost=tuple(pair.question.question for pair in lost),
        gained=tuple(pair.question.question for pair in gained),
        fell=_fell(lost, gained, document_id),
    )


def _fell(lost: Sequence[Pair], gained: Sequence[Pair], document_id: str) -> bool:
    own_lost, own_gained = (sum(pair.is_about(document_id) for pair in side) for side in (lost, gained))
    beyond_chance = len(lost) > len(gained) and chance(len(gained), len(lost)) < CHANCE
    return own_lost > own_gained or beyond_chance


def _well(row: Row, figure: Agreed) -> bool:
    match figure:
        case Agreed.FOUND:
            return 0 < row.section_rank <= FOUND_WITHIN
        case Agreed.ANSWERED:
            return not row.abstained and row.right_source
        case Agreed.REFUSED:
            return row.abstained
