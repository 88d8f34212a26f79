"""What the pages leave open, by meaning: put aside, proposed for the golden set, or the begin of a page."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.box import open_desk
from webapp.services.desk import Desk
from webapp.services.gaps import Gap, Overview
from webapp.store.jobs import Job
from webapp.web.access import current_account, current_reader
from webapp.web.context import services
from webapp.web.desk_page import desk_page
from webapp.web.i18n import gettext

blueprint = Blueprint("gaps", __name__)

SIZE = 20
WORDINGS = 5  # shown of a gap, the most asked


@dataclass(frozen=True, slots=True)
class Shown:
    """One gap in the list."""

    gap: Gap
    answers: tuple[tuple[str, str, int, str], ...]  # wording, language, how often, address of its newest answer
    more: int  # wordings that are not shown
    nearest_url: str


@blueprint.get("/admin/gaps")
def show() -> Response:
    """List the gaps of a collection, the most asked first."""
    desk = open_desk(request.args.get("collection"))
    number, aside = _page_number(request.args.get("page", "")), "aside" in request.args
    found = services().gaps.overview(desk.name, current_reader(), number, SIZE, aside)
    return desk_page(
        "editor/gaps.html",
        desk,
        gaps=[_shown(desk, gap) for gap in found.gaps],
        found=found,
        aside=aside,
        job=_reading(desk, found),
        said=_said(request.args.get("done", "")),
        previous=_page(desk, number - 1, aside) if number > 1 else "",
        next=_page(desk, number + 1, aside) if found.count > number * SIZE else "",
    )


@blueprint.post("/admin/gaps/aside")
def put_aside() -> BaseResponse:
    """Take a gap off the list, or bring it back."""
    desk, gap = _chosen()
    back = "back" in request.form
    services().gaps.put_aside(gap, not back)
    return redirect(url_for("gaps.show", collection=desk.name, done="back" if back else "aside"), 303)


@blueprint.post("/admin/gaps/propose")
def propose() -> BaseResponse:
    """Propose a gap's questions for the golden set."""
    desk, gap = _chosen()
    services().gaps.propose(desk.name, gap)
    return redirect(url_for("gaps.show", collection=desk.name, done="proposed"), 303)


@blueprint.post("/admin/gaps/draft")
def write() -> BaseResponse:
    """Begin a page that answers a gap; its questions come along."""
    desk, gap = _chosen()
    account = current_account() or abort(403)
    draft = services().gaps.write(gap, desk, account)
    return redirect(url_for("drafts.edit", draft_id=draft.id), 303)


def _chosen() -> tuple[Desk, Gap]:
    desk = open_desk(request.form.get("collection"))
    gap = services().gaps.gap(desk.name, current_reader(), request.form.get("gap", ""))
    return desk, gap or abort(404)


def _shown(desk: Desk, gap: Gap) -> Shown:
    answers = tuple(
        (one.question, one.lang, len(one.answer_ids), url_for("agent_answer.show", answer_id=one.answer_ids[0]))
        for one in gap.wordings[:WORDINGS]
    )
    nearest_url = source_url(desk.name, gap.nearest.id) if gap.nearest else ""
    return Shown(gap, answers, len(gap.wordings) - len(answers), nearest_url)


def _reading(desk: Desk, found: Overview) -> Job | None:
    """The job that finds out what the remaining questions mean."""
    return services().jobs.ask(desk.name, "gaps", account=current_account()) if found.unread else None


def _said(done: str) -> str:
    return {
        "aside": gettext("Put aside. What is asked like that from now on goes with it."),
        "back": gettext("Back on the list."),
        "proposed": gettext("The questions have been proposed for the golden set."),
    }.get(done, "")


def _page(desk: Desk, number: int, aside: bool) -> str:
    return url_for("gaps.show", collection=desk.name, page=number, aside=1 if aside else None)


def _page_number(given: str) -> int:
    """Read the number in the address; what can't be read is the first page."""
    return max(1, int(given)) if given.isdecimal() and len(given) < 7 else 1
