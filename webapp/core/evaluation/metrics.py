"""Figures with their uncertainty: rates, areas under a curve, differences between two runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

Z95 = 1.959963984540054
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its 95% interval; all None when there was nothing to measure."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    def as_dict(self) -> dict[str, float | None]:
        """Return it as the commands print it, rounded to four places."""
        return {key: None if value is None else round(value, 4) for key, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second of two runs was on the same questions, with its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def too_close(self) -> bool:
        """Tell whether the interval holds zero, so that no winner can be named."""
        return self.low <= 0 <= self.high


def rate(hits: int, of: int) -> Figure:
    """Return a share with its Wilson interval, which stays honest for few questions and near 0 and 1."""
    if of == 0:
        return Figure()
    share, z2 = hits / of, Z95 * Z95
    centre = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = Z95 / (1 + z2 / of) * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return Figure(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def mean(values: Sequence[float]) -> Figure:
    """Return a mean of values with its bootstrap interval (always the same one for the same values)."""
    if not values:
        return Figure()
    means = _resampled_means(np.asarray(values, dtype=float))
    return Figure(float(np.mean(values)), *_middle95(means))


def paired_difference(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Return mean(second - first) over the same questions, with its paired bootstrap interval.

    Raises ValueError when the two runs don't have the same, non-zero length.
    """
    if len(first) != len(second) or not first:
        raise ValueError("two runs can be compared only on the same questions, and on at least one")
    differences = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    return Difference(float(differences.mean()), *_middle95(_resampled_means(differences)))


def _resampled_means(values: np.ndarray) -> np.ndarray:
    draws = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    means: np.ndarray = values[draws].mean(axis=1)
    return means


def _middle95(samples: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(samples, (0.025, 0.975))
    return float(low), float(high)


def auc(positives: Sequence[float], negatives: Sequence[float]) -> Figure:
    """Return the chance that a positive scores above a negative (ties count half), with Newcombe's score interval.

    That interval keeps its width where the figure is 1, which few negatives reach easily.
    """
    if not positives or not negatives:
        return Figure()
    above = np.subtract.outer(np.asarray(positives, dtype=float), np.asarray(negatives, dtype=float))
    value = float(((above > 0) + 0.5 * (above == 0)).mean())
    return Figure(value, *_auc_interval(value, len(positives), len(negatives)))


def _auc_interval(value: float, m: int, n: int) -> tuple[float, float]:
    mixed = (m + n) / 2 - 1

    def outside(area: float) -> bool:
        spread = 1 + mixed * (1 - area) / (2 - area) + mixed * area / (1 + area)
        return abs(area - value) > Z95 * math.sqrt(area * (1 - area) * spread / (m * n))

    return _edge(0.0, value, outside), _edge(1.0, value, outside)


def _edge(far: float, near: float, outside: Callable[[float], bool]) -> float:
    """Bisect for the border between `near`, which is inside, and `far`."""
    for _ in range(50):
        middle = (far + near) / 2
        far, near = (middle, near) if outside(middle) else (far, middle)
    return near


def reciprocal_rank(hits: Sequence[bool]) -> float:
    """Return 1 / rank of the first hit, 0 when there is none."""
    return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)


def risk_coverage(probabilities: Sequence[float], right: Sequence[bool]) -> list[tuple[float, float, float]]:
    """Return (threshold, share answered, share of the answered that are not right) for every possible threshold.

    Thresholds fall from the strictest on; answering means a probability at or above the threshold.
    """
    order = sorted(range(len(probabilities)), key=lambda i: -probabilities[i])
    points: list[tuple[float, float, float]] = []
    wrong = 0
    for answered, i in enumerate(order, 1):
        wrong += not right[i]
        last = answered == len(order)
        if last or probabilities[order[answered]] != probabilities[i]:
            points.append((probabilities[i], answered / len(order), wrong / answered))
    return points
