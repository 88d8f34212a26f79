"""The geometry of small charts, drawn as SVG by the templates; every chart has a table that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rect:
    """A bar, in the units of the chart's view box."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Whisker:
    """A value and its interval on a line from 0 to the chart's width."""

    low: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Dot:
    """A point, in the units of the chart's view box; y is counted from the top."""

    x: float
    y: float


def bars(counts: Sequence[int], of: int, tallest: int, width: float, height: float) -> tuple[Rect, ...]:
    """Return a bar for each count on an axis with room for `of` bars, of which `tallest` would fill the height.

    Charts that are given the same `of` and `tallest` can be compared by eye. A count above zero is never invisible.
    """
    step = width / max(of, 1)
    heights = [max(1.0, height * count / tallest) if count else 0.0 for count in counts]
    return tuple(
        Rect(round(i * step, 2), round(height - tall, 2), round(step * 0.86, 2), round(tall, 2))
        for i, tall in enumerate(heights)
    )


def whisker(value: float, low: float, high: float, width: float) -> Whisker:
    """Return where a share of one and its interval stand."""
    return Whisker(*(round(width * share, 2) for share in (low, value, high)))


def line(points: Sequence[tuple[float, float]], tallest: float, width: float, height: float) -> tuple[Dot, ...]:
    """Return points of shares of one across, and values up to `tallest` upwards, as a line goes through them."""
    top = tallest or 1.0
    return tuple(Dot(round(x * width, 2), round(height * (1 - min(y, top) / top), 2)) for x, y in points)
