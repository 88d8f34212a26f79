"""The runs of a collection in a row: a table, and a line that shows where the figures went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.pages.editor.shares import Share, share_of
from webapp.store.runs import Run
from webapp.web.charts import Dot, line

HISTORY_SIZE = (480, 120)
_FEWEST = 2  # runs that make a line


@dataclass(frozen=True, slots=True)
class ListedRun:
    """One run in the table."""

    run: Run
    live: bool  # of the index version that is served
    found: Share
    answered: Share
    refused: Share


@dataclass(frozen=True, slots=True)
class Bar:
    """One run in the chart: the interval from top to bottom, and the share."""

    x: float
    low: float
    high: float
    value: float


@dataclass(frozen=True, slots=True)
class History:
    """The share of right sections found first, run by run from the oldest, with its interval."""

    path: str
    bars: tuple[Bar, ...]


def listed_runs(runs: Sequence[Run], live: str) -> list[ListedRun]:
    """Return runs for the table."""
    return [
        ListedRun(
            run=run,
            live=run.index_version == live,
            found=share_of(run.figures["retrieval"]["section_recall"]["1"]),
            answered=share_of(run.figures["abstention"]["answered_when_answerable"]),
            refused=share_of(run.figures["abstention"]["abstained_when_unanswerable"]),
        )
        for run in runs
    ]


def view_history(runs: Sequence[Run]) -> History | None:
    """Return the chart of runs, given newest first; None where there are too few."""
    figures = [run.figures["retrieval"]["section_recall"]["1"] for run in reversed(runs)]
    measured = [one for one in figures if one["value"] is not None]
    if len(measured) < _FEWEST:
        return None
    places = [(number + 0.5) / len(measured) for number in range(len(measured))]

    def at(key: str) -> tuple[Dot, ...]:
        return line([(x, one[key]) for x, one in zip(places, measured, strict=True)], 1.0, *HISTORY_SIZE)

    value, low, high = at("value"), at("low"), at("high")
    return History(
        " ".join(f"{dot.x},{dot.y}" for dot in value),
        tuple(Bar(v.x, a.y, b.y, v.y) for v, a, b in zip(value, low, high, strict=True)),
    )
