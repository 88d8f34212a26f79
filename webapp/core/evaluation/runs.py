"""What kept rows of an evaluation say: how each question came out, what two runs differ in, what a limit would cost.

Rows are JSON objects as `Row.as_dict` gives them, so that runs of any age can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from webapp.core.answering.model import Reason
from webapp.core.evaluation.metrics import Difference, Figure, paired_difference, rate
from webapp.core.evaluation.verdict import CHANCE, chance

Rows = Sequence[Mapping[str, Any]]
_TOO_LITTLE = {Reason.NO_EVIDENCE.value, Reason.WEAK_EVIDENCE.value}


class Outcome(StrEnum):
    """How one question came out."""

    RIGHT = "right"  # answered from a right place
    REFUSED = "refused"  # rightly: nothing answers it
    ABSTAINED = "abstained"  # though something answers it
    WRONG_SOURCE = "wrong_source"  # answered from elsewhere
    WRONG_ANSWER = "wrong_answer"  # answered, though nothing does
    BROKEN = "broken"  # its label no longer held


GOOD = {Outcome.RIGHT, Outcome.REFUSED}
MISSES = (Outcome.WRONG_ANSWER, Outcome.WRONG_SOURCE, Outcome.ABSTAINED, Outcome.BROKEN)  # the worst first


def outcome(row: Mapping[str, Any]) -> Outcome:
    """Return how a question came out."""
    if row["label_broken"]:
        return Outcome.BROKEN
    if not row["answerable"]:
        return Outcome.REFUSED if row["abstained"] else Outcome.WRONG_ANSWER
    if row["abstained"]:
        return Outcome.ABSTAINED
    return Outcome.RIGHT if row["right_source"] else Outcome.WRONG_SOURCE


def misses(rows: Rows) -> list[Mapping[str, Any]]:
    """Return the rows that didn't go well, the worst kind first."""
    kinds = {kind: number for number, kind in enumerate(MISSES)}
    return sorted((row for row in rows if outcome(row) in kinds), key=lambda row: kinds[outcome(row)])


class Measure(StrEnum):
    """What two runs are compared in; each is a share of questions, and more is better."""

    GOOD = "good"  # answered from a right place, or rightly refused
    FOUND_FIRST = "found_first"  # the right section came first
    FOUND = "found"  # it came among the first five
    ANSWERED = "answered"  # of the answerable
    REFUSED = "refused"  # of the others


_VALUES: Mapping[Measure, Callable[[Mapping[str, Any]], bool | None]] = {  # None: the question doesn't count
    Measure.GOOD: lambda row: outcome(row) in GOOD,
    Measure.FOUND_FIRST: lambda row: row["section_rank"] == 1 if row["answerable"] else None,
    Measure.FOUND: lambda row: 0 < row["section_rank"] <= 5 if row["answerable"] else None,
    Measure.ANSWERED: lambda row: not row["abstained"] if row["answerable"] else None,
    Measure.REFUSED: lambda row: None if row["answerable"] else row["abstained"],
}


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of two runs on the questions that both asked. `difference` is None where there are none."""

    measure: Measure
    questions: int
    first: Figure
    second: Figure
    better: int = 0  # questions that only the second run got right
    worse: int = 0  # questions that only the first did
    difference: Difference | None = None

    @property
    def too_close(self) -> bool:
        """Tell whether chance explains the difference: by the paired bootstrap, or by the sign test, which knows how
        little a handful of questions says."""
        return self.difference is None or self.difference.too_close or chance(self.better, self.worse) >= CHANCE


@dataclass(frozen=True, slots=True)
class Change:
    """A question that came out differently."""

    first: Mapping[str, Any]
    second: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs on the questions that both asked in the same words, and whose labels held in both."""

    measures: tuple[Compared, ...]
    changes: tuple[Change, ...]
    shared: int
    only_first: int  # questions that can't be compared
    only_second: int


def compare_runs(first: Rows, second: Rows) -> RunComparison:
    """Compare two runs, question by question."""
    before, after = _comparable(first), _comparable(second)
    pairs = [(before[key], after[key]) for key in after if key in before]
    return RunComparison(
        measures=tuple(_compared(measure, pairs) for measure in Measure),
        changes=tuple(Change(a, b) for a, b in pairs if outcome(a) != outcome(b)),
        shared=len(pairs),
        only_first=len(first) - len(pairs),
        only_second=len(second) - len(pairs),
    )


def comparison_as_dict(compared: RunComparison) -> dict[str, Any]:
    """Return a comparison as the command prints it: `first` is the earlier run."""
    return {
        "shared": compared.shared,
        "measures": {one.measure.value: _measure_as_dict(one) for one in compared.measures},
        "changes": [
            {"id": one.second["id"], "first": outcome(one.first).value, "second": outcome(one.second).value}
            for one in compared.changes
        ],
    }


def _measure_as_dict(one: Compared) -> dict[str, Any]:
    difference = asdict(one.difference) if one.difference else {}
    return {
        "questions": one.questions,
        "first": one.first.as_dict(),
        "second": one.second.as_dict(),
        "difference": {name: round(value, 4) for name, value in difference.items()} or None,
        "too_close": one.too_close,
    }


def _comparable(rows: Rows) -> dict[tuple[str, str, bool], Mapping[str, Any]]:
    return {(row["id"], row["question"], row["answerable"]): row for row in rows if not row["label_broken"]}


def _compared(measure: Measure, pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> Compared:
    value = _VALUES[measure]
    both = [(a, b) for one, other in pairs if (a := value(one)) is not None and (b := value(other)) is not None]
    firsts, seconds = [a for a, _ in both], [b for _, b in both]
    return Compared(
        measure=measure,
        questions=len(both),
        first=rate(sum(firsts), len(both)),
        second=rate(sum(seconds), len(both)),
        better=sum(b and not a for a, b in both),
        worse=sum(a and not b for a, b in both),
        difference=paired_difference(firsts, seconds) if both else None,
    )


@dataclass(frozen=True, slots=True)
class LimitCost:
    """What a limit would mean for the questions of a run, as far as the limit decides."""

    limit: float
    answered: int  # of the answerable
    answerable: int
    wrong: int  # unanswerable ones answered
    unanswerable: int

    @property
    def answered_share(self) -> Figure:
        """Share of the answerable that are answered."""
        return rate(self.answered, self.answerable)

    @property
    def wrong_share(self) -> Figure:
        """Share of the unanswerable that are answered: what the limit costs."""
        return rate(self.wrong, self.unanswerable)


def limit_cost(rows: Rows, limit: float) -> LimitCost:
    """Return what a limit would cost. A reply that a later check withheld counts as withheld whatever the limit; one
    that was never asked for, because the limit was higher, counts as given."""
    scored = [row for row in rows if not row["label_broken"]]
    given = [row for row in scored if row["probability"] >= limit and not _withheld(row)]
    answerable = sum(row["answerable"] for row in scored)
    answered = sum(row["answerable"] for row in given)
    return LimitCost(limit, answered, answerable, len(given) - answered, len(scored) - answerable)


def limits_by_cost(rows: Rows) -> list[LimitCost]:
    """Return the lowest limit for each number of unanswerable questions that it lets through, from none on."""
    passing = sorted({row["probability"] for row in rows if not row["answerable"] and not _withheld(row)}, reverse=True)
    limits = [min(1.0, value + 0.0001) for value in passing] + [0.0]  # just above each that is to be stopped
    return [limit_cost(rows, round(limit, 4)) for limit in limits]


def _withheld(row: Mapping[str, Any]) -> bool:
    return bool(row["abstained"]) and row["reason"] not in _TOO_LITTLE
