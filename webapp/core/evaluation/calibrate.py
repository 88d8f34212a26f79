"""Fitting sufficiency: how the signals of retrieval become the probability that the evidence answers.

A collection's golden set teaches its own calibration. Where it has few questions that can't be answered, it makes its
own: each answerable question is asked again with the documents that answer it hidden. What is fitted is pulled
towards the calibration it starts from, the default one of the embedder, so that a handful of questions can't bend it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webapp.core.answering.sufficiency import Calibration, is_sound
from webapp.core.documents.config import MAX_WRONG
from webapp.core.documents.model import Document
from webapp.core.evaluation.metrics import Figure, auc, risk_coverage
from webapp.core.evaluation.questions import Question, places
from webapp.core.retrieval.model import Query, Retrieval

SURE_WRONG = 0.02  # above the limit for this share, an answer carries no caution
NO_EVIDENCE_ODDS = 0.1  # of the threshold's odds: under it nothing deals with the question at all
PULL = 3.0  # how strongly a collection's own fit is pulled towards the default
ENOUGH_UNANSWERABLE = 20  # from so many on, a golden set needs no made-up ones
MADE_UP = 0.5  # weight of a made-up example: another document may answer after all
PARTS = 10  # of cross-validation
ROUNDING = 1e-4  # of limits
LOWEST, HIGHEST = 0.4, 0.95  # a threshold outside would rest on too little

Array = NDArray[np.float64]


class TooFewQuestions(ValueError):
    """A golden set can't teach a calibration."""


@dataclass(frozen=True, slots=True)
class Example:
    """One retrieval, whether its evidence answers, and the group that must not be split when testing."""

    signals: Mapping[str, float]
    answerable: bool
    group: str
    weight: float = 1.0
    easy: bool = False  # teaches the model, but no limit is chosen by it: it would make every limit look safe


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted calibration with what it is worth, measured on examples that its model had not seen."""

    calibration: Calibration
    auc: Figure
    answered: float  # share of the answerable that pass the threshold
    wrong: float  # share of the unanswerable, but for easy ones, that do
    curve: tuple[tuple[float, float, float], ...]  # threshold, share answered, share wrong of the answered

    def as_dict(self) -> dict[str, Any]:
        """Return it as the command prints it."""
        return {
            "calibration": self.calibration.model_dump(),
            "auc": self.auc.as_dict(),
            "answered": round(self.answered, 4),
            "wrong": round(self.wrong, 4),
            "curve": [[round(value, 4) for value in point] for point in self.curve],
        }


def examples(
    questions: Sequence[Question],
    documents: Sequence[Document],
    query: Callable[[Question], Query],
    retrieve: Callable[[Query], Retrieval],
) -> list[Example]:
    """Return what the questions teach, and where few can't be answered, what hiding their documents teaches.

    Where nothing at all is retrieved there is nothing to learn: that is never evidence.
    """
    make_up = sum(not question.answerable for question in questions) < ENOUGH_UNANSWERABLE
    made = []
    for question in questions:
        right = frozenset(place.document_id for place in places(question, documents))
        if question.answerable and not right:
            continue  # its label is broken
        group = group_of(question, documents)
        asked = [(query(question), question.answerable, 1.0)]
        if right and make_up:
            asked.append((replace(asked[0][0], without=right), False, MADE_UP))
        for one, answerable, weight in asked:
            retrieval = retrieve(one)
            if retrieval.hits and is_sound(retrieval):
                made.append(Example(retrieval.signals, answerable, group, weight))
    return made


def group_of(question: Question, documents: Sequence[Document]) -> str:
    """Return what a question must not be parted from in testing: others about the same document."""
    return min((place.document_id for place in places(question, documents)), default=question.id)


def fit_apart(
    given: Sequence[Example], start: Calibration, fitted_on: str, *, max_wrong: float = MAX_WRONG
) -> dict[str, Calibration]:
    """Return for each group a calibration that has seen neither it nor its part, with limits of its own: `start` where
    the other parts teach too little."""
    parts = _parts(one.group for one in given)
    taught: dict[int, Calibration] = {}
    for part in set(parts.values()):
        try:
            others = [one for one in given if parts[one.group] != part]
            taught[part] = fit(others, start, fitted_on, max_wrong=max_wrong).calibration
        except TooFewQuestions:
            taught[part] = start
    return {group: taught[part] for group, part in parts.items()}


def _parts(groups: Iterable[str]) -> dict[str, int]:
    """Deal the groups out to the parts of cross-validation."""
    return {group: number % PARTS for number, group in enumerate(sorted(set(groups)))}


def fit(
    given: Sequence[Example],
    start: Calibration,
    fitted_on: str,
    *,
    pull: float = PULL,
    max_wrong: float = MAX_WRONG,
) -> Fit:
    """Fit a calibration, pulled towards `start`, with limits for at most `max_wrong` wrong answers.

    Raises TooFewQuestions.
    """
    answerable = np.array([one.answerable for one in given], dtype=bool)
    if not answerable.any() or all(one.answerable or one.easy for one in given):
        raise TooFewQuestions("a calibration needs a question that the documents answer and one that they don't")
    data = _Data(given, start, pull)
    model = data.fitted(np.ones(len(given), dtype=bool))
    tested = data.cross_validated()
    wanted = data.nearest(tested, data.limit(tested, max_wrong), start.threshold)
    threshold = _kept(float(np.clip(wanted, LOWEST, HIGHEST)))
    sure = max(threshold, data.limit(tested, min(max_wrong, SURE_WRONG)))
    odds = NO_EVIDENCE_ODDS * threshold / (1 - threshold)
    calibration = Calibration(
        weights=dict(zip(data.names, np.round(model[:-1], 4).tolist(), strict=True)),
        bias=round(float(model[-1]), 4),
        scales=dict(zip(data.names, np.round(data.scales, 6).tolist(), strict=True)),
        threshold=threshold,
        sure=_kept(min(sure, 1.0)),
        floor=round(odds / (1 + odds), 4),
        fitted_on=fitted_on,
    )
    return Fit(
        calibration=calibration,
        auc=auc(tested[answerable].tolist(), tested[~answerable].tolist()),
        answered=float((tested[answerable] >= threshold).mean()),
        wrong=float((tested[data.limiting] >= threshold).mean()),
        curve=tuple(risk_coverage(tested.tolist(), answerable.tolist())),
    )


class _Data:
    """Examples as arrays: a row each, signals in the order of `names`, a one at the end for the bias."""

    def __init__(self, given: Sequence[Example], start: Calibration, pull: float) -> None:
        self.names = tuple(start.weights)
        self.pull = pull
        self.signals = np.array([[one.signals.get(name, 0.0) for name in self.names] + [1.0] for one in given])
        self.answerable = np.array([one.answerable for one in given], dtype=bool)
        self.groups = [one.group for one in given]
        self.weights = self._balanced(np.array([one.weight for one in given]))
        self.limiting = np.array([not one.answerable and not one.easy for one in given], dtype=bool)
        spread = self.signals[:, :-1].std(axis=0)
        self.scales = np.array([start.scales.get(name, 0.0) for name in self.names])
        self.scales = np.where(self.scales > 0, self.scales, np.where(spread > 0, spread, 1.0))
        self.start = np.array([*start.weights.values(), start.bias])

    def _balanced(self, weights: Array) -> Array:
        """Let both kinds weigh the same, so that the probability doesn't depend on how many of each were collected."""
        yes = weights[self.answerable].sum()
        return np.where(self.answerable, weights, weights * yes / weights[~self.answerable].sum())

    def fitted(self, rows: NDArray[np.bool_]) -> Array:
        """Return weights and bias that fit those rows best, by Newton's method on the pulled logistic loss."""
        signals, answerable, weights = self.signals[rows], self.answerable[rows], self.weights[rows]
        pull = self.pull * np.array([*self.scales**2, 1e-6])
        model = self.start.copy()
        for _ in range(50):
            chance = _logistic(signals @ model)
            slope = signals.T @ (weights * (chance - answerable)) + pull * (model - self.start)
            curve = (signals * (weights * chance * (1 - chance))[:, None]).T @ signals + np.diag(pull)
            step = np.linalg.solve(curve, slope)
            model = model - step
            if np.abs(step * [*self.scales, 1.0]).max() < 1e-6:
                break
        return model

    def cross_validated(self) -> Array:
        """Return for each example the probability by a model that has not seen its group."""
        parts = _parts(self.groups)
        part = np.array([parts[group] for group in self.groups])
        tested = np.zeros(len(self.groups))
        for number in np.unique(part):
            inside = part == number
            tested[inside] = _logistic(self.signals[inside] @ self.fitted(~inside))
        return tested

    def limit(self, tested: Array, max_wrong: float) -> float:
        """Return the lowest threshold at which at most `max_wrong` of the unanswerable pass, easy ones left out."""
        wrong, weights = tested[self.limiting], self.weights[self.limiting]
        allowed = max_wrong * weights.sum()
        for value in sorted(wrong):
            if weights[wrong > value].sum() <= allowed:
                return float(np.nextafter(value, 2.0))
        return 1.0

    def nearest(self, tested: Array, limit: float, usual: float) -> float:
        """Return the threshold nearest to the `usual` one that answers as much as `limit` does: between two examples
        any will do, and a handful of them should not move it further than they must."""
        passing = tested[self.answerable & (tested >= limit)]
        highest = max(limit, float(passing.min()) - ROUNDING) if passing.size else limit
        return min(max(limit, usual), highest)


def _kept(limit: float) -> float:
    """Return a limit to four places, never under it: rounded down, it would let pass what it was chosen to stop."""
    return float(np.ceil(limit / ROUNDING) * ROUNDING)


def _logistic(score: Array) -> Array:
    chance: Array = 1 / (1 + np.exp(-np.clip(score, -30, 30)))
    return chance
