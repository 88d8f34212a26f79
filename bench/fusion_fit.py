"""Learning the fusion weights: the right chunks of every question should stand out from its other candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webapp.core.retrieval.fusion import FEATURES

COSINES = ("meaning", "sentence", "document_meaning")  # their weights are scaled to add up to 1
FIXED = {"own_language": 0.012}  # stated, not learnt: too few questions are in another language than their page
PULL = 2.0  # towards weights of zero, in standardised features
STEPS, RATE = 600, 0.05

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """The candidates of one question: their features, (candidates, FEATURES), and which are right."""

    features: Array
    right: NDArray[np.bool_]


def learn(lessons: Sequence[Lesson]) -> dict[str, float]:
    """Return the weights that make the right candidates likeliest (softmax over each question's candidates).

    Scaled so that a score is a mean of cosines with additions for words: its size then means the same from one fit
    to the next, which sufficiency relies on.
    """
    taught = [lesson for lesson in lessons if lesson.right.any() and not lesson.right.all()]
    names = [name for name in FEATURES if name not in FIXED]
    columns = [FEATURES.index(name) for name in names]
    features, right, real = _padded(taught, columns)
    spread = np.sqrt(np.mean([lesson.features[:, columns].var(axis=0) for lesson in taught], axis=0)) + 1e-9
    weights = _ascended(features / spread, right, real) / spread
    learnt = dict(zip(names, weights.tolist(), strict=True))
    total = sum(learnt[name] for name in COSINES)
    return {name: weight / total for name, weight in learnt.items()} | FIXED


def _padded(taught: Sequence[Lesson], columns: Sequence[int]) -> tuple[Array, Array, Array]:
    """Return features (questions, most candidates, columns), right ones and real ones as 0 and 1."""
    most = max(len(lesson.right) for lesson in taught)
    features = np.zeros((len(taught), most, len(columns)))
    right, real = np.zeros((len(taught), most)), np.zeros((len(taught), most))
    for i, lesson in enumerate(taught):
        count = len(lesson.right)
        features[i, :count] = lesson.features[:, columns]
        right[i, :count], real[i, :count] = lesson.right, 1
    return features, right, real


def _ascended(features: Array, right: Array, real: Array) -> Array:
    """Adam on the mean log likelihood, with a smaller step towards the end."""
    weights = np.zeros(features.shape[2])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = features @ weights
        chance = np.exp(scores - scores.max(axis=1, keepdims=True)) * real
        wanted = chance * right
        push = wanted / wanted.sum(axis=1, keepdims=True) - chance / chance.sum(axis=1, keepdims=True)
        slope = (np.einsum("qc,qcf->f", push, features) - PULL * weights) / len(features)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        rate = RATE * min(1.0, 2 - 1.8 * step / STEPS)
        weights += rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
    return weights
