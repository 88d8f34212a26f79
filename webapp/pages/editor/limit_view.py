"""The limit below which questions go unanswered: what each choice of it costs, and the curve of risk and coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from webapp.core.evaluation.metrics import risk_coverage
from webapp.core.evaluation.runs import LimitCost, Rows, limit_cost, limits_by_cost
from webapp.pages.editor.shares import Share, share_of
from webapp.web.charts import Dot, line
from webapp.web.i18n import number, percent

CURVE_SIZE = (480, 200)
_MOST_COSTS = 8  # lines of the table of costs
_STEPS = 10  # lines of the curve's table
_LOW_RISK = 0.1  # the curve's scale is never finer than this

Point = tuple[float, float, float]  # limit, share answered, share wrong of the answered


@dataclass(frozen=True, slots=True)
class CostLine:
    """One limit, with what it costs."""

    limit: str
    value: float
    cost: LimitCost
    answered: Share
    wrong: Share


@dataclass(frozen=True, slots=True)
class Curve:
    """Share answered across, share wrong of the answered upwards up to `tallest`; the dot is the chosen limit's."""

    path: str
    dot: Dot | None
    tallest: str
    words: str  # the ends of the curve, for whoever doesn't see it
    table: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class LimitView:
    """The chosen limit, the curve, and the limits to choose from."""

    chosen: CostLine
    current: float
    curve: Curve
    costs: tuple[CostLine, ...]
    max_wrong: float | None  # the cost that this limit stands for; None where nothing unanswerable was asked


def view_limit(rows: Rows, current: float, asked: str) -> LimitView:
    """Return what a limit costs: the one asked for, else the current one. What can't be read counts as not asked."""
    limit = _read(asked)
    chosen = _cost_line(limit_cost(rows, current if limit is None else limit))
    return LimitView(
        chosen=chosen,
        current=current,
        curve=_curve(rows, chosen.cost.limit),
        costs=tuple(_cost_line(one) for one in limits_by_cost(rows)[:_MOST_COSTS]),
        max_wrong=chosen.cost.wrong_share.value,
    )


def _read(asked: str) -> float | None:
    try:
        limit = float(asked.replace(",", "."))
    except ValueError:
        return None
    return limit if 0 <= limit <= 1 else None


def _cost_line(cost: LimitCost) -> CostLine:
    shown = number(f"{cost.limit:.2f}")
    return CostLine(shown, cost.limit, cost, share_of(cost.answered_share), share_of(cost.wrong_share))


def _curve(rows: Sequence[Mapping[str, Any]], limit: float) -> Curve:
    scored = [row for row in rows if not row["label_broken"]]
    points = risk_coverage([row["probability"] for row in scored], [row["answerable"] for row in scored])
    tallest = max([_LOW_RISK, *(wrong for _, _, wrong in points)])
    dots = line([(answered, wrong) for _, answered, wrong in points], tallest, *CURVE_SIZE)
    passed = [dot for dot, (at, _, _) in zip(dots, points, strict=True) if at >= limit]
    table = tuple(_in_words(point) for point in _tenths(points))
    return Curve(
        path=" ".join(f"{dot.x},{dot.y}" for dot in dots),
        dot=passed[-1] if passed else None,
        tallest=percent(round(tallest, 2)),
        words="; ".join(f"{answered}: {wrong}" for _, answered, wrong in table),
        table=table,
    )


def _tenths(points: Sequence[Point]) -> list[Point]:
    """Return about one point for each tenth of the questions answered."""
    shown = [after for before, after in pairwise([(1.0, 0.0, 0.0), *points])
             if int(after[1] * _STEPS) > int(before[1] * _STEPS)]  # fmt: skip
    return shown or list(points[-1:])


def _in_words(point: Point) -> tuple[str, str, str]:
    limit, answered, wrong = point
    return number(f"{limit:.2f}"), percent(round(answered, 2)), percent(round(wrong, 2))
