"""Building an index version: of the files as they are now, cut as the collection says or as was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from webapp.core.evaluation.paired import PairedFigure
from webapp.core.evaluation.questions import QuestionsError
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.index import BuildReport
from webapp.services.work.base import Progress, kinds

if TYPE_CHECKING:
    from webapp.services.desk import Desk, Judge
    from webapp.services.root import Services


class IndexArguments(BaseModel, frozen=True, extra="forbid"):
    """How to cut. Without a strategy: as the live version is, and only if the files have changed."""

    strategy: str | None = None
    options: dict[str, int] = {}
    author: str = ""
    reason: str = ""  # why the version may be served although a golden figure falls


class _Fell(Exception):
    """Ends a build whose version answers the golden questions worse than the live one."""


@kinds.register("index", "Build an index version and serve it", IndexArguments)
def run(services: Services, collection: str, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Build, and serve what was built. Raises as `Desk.index` does.

    Files are served as they are now, whatever the golden questions say: a page that was withdrawn must be out at once.
    Another way of cutting is served only if no golden figure falls, or there is a reason why it may. The result has the
    `outcome` (live, same, fell), the compared `figures` and, when something was built, its report.
    """
    desk, asked = services.desk(collection), IndexArguments.model_validate(arguments)
    if asked.strategy is None:
        return _outcome(_follow_files(desk, progress), [])
    progress("reading", 0, 0)
    figures: list[PairedFigure] = []
    approve = partial(_approve, desk, progress, figures, bool(asked.reason))
    try:
        report = desk.index(asked.strategy, asked.options, progress, approve, asked.author)
    except _Fell:
        return {"outcome": "fell", "figures": [one.as_dict() for one in figures]}
    return _outcome(report, figures)


def _follow_files(desk: Desk, progress: Progress) -> BuildReport | None:
    if desk.is_current():  # somebody was quicker
        return None
    desk.settle_files(progress)
    progress("reading", 0, 0)
    return desk.ensure_index(progress)


def _approve(
    desk: Desk, progress: Progress, figures: list[PairedFigure], anyway: bool, version: IndexVersion, judge: Judge
) -> None:
    """Ask the golden questions of the version and of the live one. Raises _Fell."""
    from webapp.services.change import compare_answers, golden_figures, to_try
    from webapp.services.measuring import golden_questions

    live = desk.served_version()
    try:
        tried = to_try(golden_questions(desk.folder))
    except QuestionsError:  # it checks nothing then, as it calibrates nothing
        tried = []
    if live is None or not tried:
        return
    compared = list(compare_answers(desk.asker(live), desk.asker(version, judge), tried, progress))
    figures += golden_figures(compared, live, version, "")
    if any(one.fell for one in figures) and not anyway:
        raise _Fell


def _outcome(report: BuildReport | None, figures: list[PairedFigure]) -> dict[str, Any]:
    built = asdict(report) | {"held_back": [one.model_dump() for one in report.held_back]} if report else {}
    outcome = "live" if report and report.built else "same"
    return {"outcome": outcome, "figures": [one.as_dict() for one in figures], **built}
