"""Evaluation: how good the answers are, how that changed, what went wrong, and what another limit would cost."""

from __future__ import annotations

import math
from collections.abc import Set

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from webapp.pages.customer.box import open_desk
from webapp.pages.editor.evaluation_comparison import view_comparison
from webapp.pages.editor.evaluation_view import asked, missed, open_rows
from webapp.pages.editor.figures_page import figures_page
from webapp.pages.editor.history_view import HISTORY_SIZE, listed_runs, view_history
from webapp.pages.editor.limit_view import CURVE_SIZE, view_limit
from webapp.pages.editor.paging import page_number, pages
from webapp.services.desk import Desk
from webapp.services.golden import GoldenProblem
from webapp.store.runs import Run
from webapp.web.access import current_account, current_reader
from webapp.web.context import services
from webapp.web.i18n import gettext as _

blueprint = Blueprint("evaluation", __name__)

KIND = "evaluate"
_RUNS, _MISSES = 20, 20  # on a page
_MOST_WRONG = 0.5  # a cost above which refusing would mean nothing


@blueprint.get("/admin/evaluation")
def show() -> ResponseReturnValue:
    """Show the newest run and those before it; after a job, go to what it gave."""
    desk = open_desk(request.args.get("collection"))
    job = services().jobs.get(request.args.get("job", ""))
    if job and job.collection == desk.name and job.result and "run" in job.result:
        return redirect(url_for("evaluation.run", collection=desk.name, run_id=job.result["run"]), 303)
    return _overview(desk)


@blueprint.post("/admin/evaluation")
def start() -> ResponseReturnValue:
    """Ask for a run; the page then shows how far it is."""
    desk = open_desk(request.form.get("collection"))
    account = current_account()
    services().jobs.ask(desk.name, KIND, {"author": account.email if account else ""}, account)
    return redirect(url_for("evaluation.show", collection=desk.name), 303)


@blueprint.get("/admin/evaluation/runs/<run_id>")
def run(run_id: str) -> Response:
    """Show one run: its figures, what went wrong, what the limit costs."""
    desk = open_desk(request.args.get("collection"))
    return _run_page(desk, _run(desk, run_id))


@blueprint.get("/admin/evaluation/compare")
def compare() -> Response:
    """Compare two runs on the questions that both asked."""
    desk = open_desk(request.args.get("collection"))
    given = [request.args.get(name, "") for name in ("first", "second")]
    found = [services().store.runs.get(one, desk.name) for one in given]
    first, second = found
    if first is None or second is None or first.id == second.id:
        return _overview(desk, _("Choose two different runs to compare."))
    before, after = sorted((first, second), key=lambda one: one.created_at)
    known = {row["id"] for one in (before, after) for row in open_rows(one, desk, _questions(desk) or set())}
    return figures_page("editor/evaluation_compare.html", desk, view=view_comparison(before, after, known))


@blueprint.post("/admin/evaluation/limit")
def limit() -> ResponseReturnValue:
    """Keep what wrong answers may cost here; the index is built anew with the limit that follows."""
    desk = open_desk(request.form.get("collection"))
    chosen = _run(desk, request.form.get("run", ""))
    try:
        share = float(request.form.get("max_wrong", ""))
        if not 0 <= share <= _MOST_WRONG:
            raise ValueError
    except ValueError:
        return _run_page(desk, chosen, _("Choose a limit that lets through at most half of the questions."))
    try:
        services().golden.allow_wrong(desk.name, math.ceil(share * 1e4) / 1e4)
    except (GoldenProblem, ValueError) as problem:
        return _run_page(
            desk, chosen, _("The settings of the collection could not be changed: %(problem)s.", problem=problem)
        )
    return redirect(url_for("evaluation.run", collection=desk.name, run_id=chosen.id, saved=1), 303)


def _run(desk: Desk, run_id: str) -> Run:
    found = services().store.runs.get(run_id, desk.name)
    if found is None:
        abort(404)
    return found


def _overview(desk: Desk, problem: str = "") -> Response:
    number = page_number()
    found = services().store.runs.latest(desk.name, _RUNS + 1, (number - 1) * _RUNS)
    newest = services().store.runs.latest(desk.name)
    live = desk.served()
    response = figures_page(
        "editor/evaluation.html",
        desk,
        problem=problem,
        questions=None if (ids := _questions(desk)) is None else len(ids),
        waiting=services().golden.waiting(desk.name),
        job=services().jobs.latest(desk.name, KIND),
        newest=newest[0] if newest else None,
        runs=listed_runs(found[:_RUNS], live.id if live else ""),
        history=view_history(found[:_RUNS]),
        history_size=HISTORY_SIZE,
        pages=pages("evaluation.show", number, len(found) > _RUNS, {"collection": desk.name}),
    )
    response.status_code = 422 if problem else 200
    return response


def _questions(desk: Desk) -> Set[str] | None:
    """The ids of the questions that can be asked and that the reader may know of; None when the file can't be read."""
    try:
        hidden = services().golden.kept_from(desk.name, current_reader())
        return {one.id for one in services().golden.file(desk.name).questions} - {one.id for one in hidden}
    except GoldenProblem:
        return None


def _run_page(desk: Desk, shown: Run, problem: str = "") -> Response:
    number, question, kept = page_number(), request.args.get("question", ""), _questions(desk) or set()
    found, count = missed(shown, desk, kept, (number - 1) * _MISSES, _MISSES)
    live = desk.served()
    response = figures_page(
        "editor/evaluation_run.html",
        desk,
        run=shown,
        stale=live is not None and live.id != shown.index_version,
        misses=found,
        asked=asked(shown, desk, kept, question) if question else [],
        count=count,
        limit=view_limit(shown.rows, shown.figures["threshold"], request.args.get("limit", "")),
        max_wrong=desk.config.max_wrong,
        curve_size=CURVE_SIZE,
        saved="saved" in request.args,
        problem=problem,
        pages=pages("evaluation.run", number, count > number * _MISSES, {"collection": desk.name, "run_id": shown.id}),
    )
    response.status_code = 422 if problem else 200
    return response
