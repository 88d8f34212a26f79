"""The operating contract: what answers come from, when there is none, how good they are, whom to ask; as of now."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date

from flask import Blueprint, Response, request

from webapp.core.answering.sufficiency import Calibration, calibration_of
from webapp.core.documents.model import Status
from webapp.core.retrieval.engine import IndexVersion, StoredDocument
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.wording import language_name, status_words
from webapp.pages.editor.figures_page import figures_page
from webapp.pages.editor.index_view import open_files
from webapp.pages.editor.spending_view import spending_view
from webapp.services.copies import current_on
from webapp.web.context import services
from webapp.web.i18n import current_language, number

blueprint = Blueprint("contract", __name__)

_NAMED = 20  # files held back that are named


@dataclass(frozen=True, slots=True)
class Covered:
    """What answers can come from."""

    documents: int
    evidence: int  # current and not past their time
    statuses: tuple[tuple[str, int], ...]
    languages: tuple[tuple[str, int], ...]
    newest: date | None
    oldest: date | None
    undated: int
    over: int  # current, but past their time


@dataclass(frozen=True, slots=True)
class Limit:
    """When the desk refuses."""

    threshold: str
    own: bool  # learnt from this collection's golden set
    max_wrong: float


@blueprint.get("/admin/contract")
def show() -> Response:
    """Show the contract of a collection, from the live index version and the newest evaluation."""
    desk = open_desk(request.args.get("collection"))
    live = desk.live()
    runs = services().store.runs.latest(desk.name)
    newest = runs[0] if runs else None
    return figures_page(
        "editor/contract.html",
        desk,
        version=live.manifest,
        today=date.today(),
        covered=covered(live, date.today()),
        held_back=open_files(live.manifest, desk),
        named=_NAMED,
        limit=_limit(calibration_of(live.manifest), live),
        spending=spending_view(desk),
        run=newest,
        stale=newest is not None and newest.index_version != live.manifest.id,
        problem=desk.problem(),
        contact=desk.config.wording("contact", current_language()),
    )


def covered(version: IndexVersion, today: date) -> Covered:
    """Return what an index version holds, as of a day."""
    documents = list(version.documents().values())
    evidence = [one for one in documents if current_on(one, today)]
    dates = [one.updated for one in evidence if one.updated]
    counted = Counter(Status(one.status) for one in documents)
    return Covered(
        documents=len(documents),
        evidence=len(evidence),
        statuses=tuple((status_words(status), counted[status]) for status in Status if counted[status]),
        languages=_by_language(evidence),
        newest=max(dates, default=None),
        oldest=min(dates, default=None),
        undated=len(evidence) - len(dates),
        over=counted[Status.CURRENT] - len(evidence),
    )


def _by_language(documents: list[StoredDocument]) -> tuple[tuple[str, int], ...]:
    counted = Counter(one.lang for one in documents)
    return tuple((language_name(lang), count) for lang, count in sorted(counted.items(), key=lambda pair: -pair[1]))


def _limit(calibration: Calibration, live: IndexVersion) -> Limit:
    own = live.manifest.calibration is not None
    return Limit(number(f"{calibration.threshold:.2f}"), own, live.manifest.config.max_wrong)
