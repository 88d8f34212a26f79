"""Shares with their intervals, and lines of pages, as the pages about evaluation show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.core.evaluation.metrics import Figure
from webapp.web.charts import Whisker, whisker
from webapp.web.i18n import percent

WHISKER_WIDTH = 90


@dataclass(frozen=True, slots=True)
class Share:
    """A share in the reader's digits; `value` is None where there was nothing to measure."""

    value: str | None
    low: str = ""
    high: str = ""
    whisker: Whisker | None = None


def share_of(figure: Figure | Mapping[str, float | None]) -> Share:
    """Return a figure, or the object that a run keeps of one, for the page."""
    if not isinstance(figure, Figure):
        figure = Figure(figure.get("value"), figure.get("low"), figure.get("high"))
    if figure.value is None or figure.low is None or figure.high is None:
        return Share(None)
    value, low, high = (percent(round(one, 2)) for one in (figure.value, figure.low, figure.high))
    return Share(value, low, high, whisker(figure.value, figure.low, figure.high, WHISKER_WIDTH))
