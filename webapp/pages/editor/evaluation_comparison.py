"""Two runs side by side, in the reader's words."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from webapp.core.evaluation.runs import Compared, Measure, compare_runs, outcome
from webapp.pages.editor.evaluation_view import outcome_words
from webapp.pages.editor.shares import Share, share_of
from webapp.store.runs import Run
from webapp.web.i18n import gettext as _
from webapp.web.i18n import ngettext, number
from webapp.web.printable import printable


@dataclass(frozen=True, slots=True)
class MeasureLine:
    """One measure of both runs, and what may be said of the difference."""

    name: str
    questions: int
    first: Share
    second: Share
    difference: str
    verdict: str
    better: bool | None  # None: too close to call


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question that came out differently."""

    id: str
    question: str
    lang: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """The older run first."""

    first: Run
    second: Run
    shared: str
    apart: str
    measures: tuple[MeasureLine, ...]
    changes: tuple[ChangedQuestion, ...]


def view_comparison(first: Run, second: Run, known: Set[str]) -> ComparisonView:
    """Compare two runs of one collection; of what changed, the questions with a `known` id are shown."""
    compared = compare_runs(first.rows, second.rows)
    apart = compared.only_first + compared.only_second
    return ComparisonView(
        first=first,
        second=second,
        shared=ngettext(
            "Compared on the %(count)s question that both runs asked in the same words.",
            "Compared on the %(count)s questions that both runs asked in the same words.",
            compared.shared,
        ),
        apart=_apart(apart) if apart else "",
        measures=tuple(_line(one) for one in compared.measures),
        changes=tuple(
            ChangedQuestion(
                one.second["id"],
                printable(one.second["question"]),
                one.second["lang"],
                outcome_words(outcome(one.first)),
                outcome_words(outcome(one.second)),
            )
            for one in compared.changes
            if one.second["id"] in known
        ),
    )


def _apart(questions: int) -> str:
    return ngettext(
        "%(count)s is left out: it was asked in one run only, in other words, or its label did not hold.",
        "%(count)s are left out: they were asked in one run only, in other words, or their labels did not hold.",
        questions,
    )


def _line(one: Compared) -> MeasureLine:
    better = None if one.too_close or one.difference is None else one.difference.value > 0
    return MeasureLine(
        name=measure_words(one.measure),
        questions=one.questions,
        first=share_of(one.first),
        second=share_of(one.second),
        difference=_difference(one),
        verdict=_verdict(one, better),
        better=better,
    )


def measure_words(measure: Measure) -> str:
    """Name what two runs are compared in."""
    return {
        Measure.GOOD: _("Went well: answered from the right place, or rightly refused"),
        Measure.FOUND_FIRST: _("Right section first"),
        Measure.FOUND: _("Right section among the first five"),
        Measure.ANSWERED: _("Answered when it should be"),
        Measure.REFUSED: _("Refused when it should be"),
    }[measure]


def _difference(one: Compared) -> str:
    if one.difference is None:
        return "–"
    if not one.better and not one.worse:
        return number(0)
    value, low, high = (
        number(f"{part * 100:+.1f}") for part in (one.difference.value, one.difference.low, one.difference.high)
    )
    return f"{value} [{low} – {high}]"


def _verdict(one: Compared, better: bool | None) -> str:
    if one.difference is None:
        return _("no such question")
    if not one.better and not one.worse:
        return _("no difference")
    words = _("%(better)s better, %(worse)s worse", better=number(one.better), worse=number(one.worse))
    if better is None:
        return _("too close to call: %(counts)s", counts=words)
    return _("clearly better: %(counts)s", counts=words) if better else _("clearly worse: %(counts)s", counts=words)
