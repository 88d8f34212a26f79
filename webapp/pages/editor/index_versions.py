"""The index versions of a collection: which one is served, serving another one again, building a new one."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from webapp.core.evaluation.compare import Setting
from webapp.core.retrieval.engine import KEPT, IndexProblem
from webapp.pages.customer.box import open_desk
from webapp.pages.editor.hidden import hidden_questions
from webapp.pages.editor.index_view import (
    FIGURES,
    NAMED,
    TROUBLES,
    failed_now,
    kinds_of_change,
    open_files,
    refused,
    versions,
)
from webapp.pages.editor.setting_form import Slot, from_form, from_settings, read_slot
from webapp.services.desk import Desk
from webapp.services.jobs import JobState
from webapp.web.access import current_account, current_reader
from webapp.web.context import services
from webapp.web.desk_page import desk_page
from webapp.web.i18n import gettext as _

blueprint = Blueprint("index", __name__)

KIND = "index"
KEY = "a"  # of the one setting in the form
_LONGEST_REASON = 500


@blueprint.get("/admin/index")
def show() -> Response:
    """List the versions that can be served, newest first, and what is being built."""
    desk = open_desk(request.args.get("collection"))
    job = services().jobs.get(request.args.get("job", ""))
    same = bool(job and job.collection == desk.name and job.result and job.result.get("outcome") == "same")
    return _page(desk, _as_served(desk), same=same)


@blueprint.post("/admin/index")
def serve() -> ResponseReturnValue:
    """Serve another version; the next question is answered from it."""
    desk = open_desk(request.form.get("collection"))
    try:
        desk.rollback(request.form.get("version", ""))
    except IndexProblem:
        return _page(desk, _as_served(desk), status=422, failed=True)
    return redirect(url_for("index.show", collection=desk.name), 303)


@blueprint.post("/admin/index/build")
def build() -> ResponseReturnValue:
    """Ask for a version cut as was chosen; the page then shows how far it is."""
    desk = open_desk(request.form.get("collection"))
    slot = read_slot(KEY, from_form(request.form)[0])
    if slot.setting is None:
        problem = slot.error or ("" if slot.wrong else _("Choose how to cut."))
        return _page(desk, slot, status=422, problem=problem)
    account = current_account()
    how = {"strategy": slot.setting.strategy, "options": dict(slot.setting.options)}
    who = {"author": account.email if account else ""}
    reason = " ".join(request.form.get("reason", "").split())[:_LONGEST_REASON]
    services().jobs.ask(desk.name, KIND, how | who | {"reason": reason}, account)
    return redirect(url_for("index.show", collection=desk.name), 303)


def _as_served(desk: Desk) -> Slot:
    """Return the form, filled in with how the version is cut that is served."""
    live = desk.served()
    made = live or desk.config
    return read_slot(KEY, from_settings([Setting(made.strategy, made.options)])[0])


def _page(desk: Desk, slot: Slot, status: int = 200, **values: Any) -> Response:
    live, last = desk.served(), services().jobs.latest(desk.name, KIND)
    trouble = desk.trouble()
    response = desk_page(
        "editor/index_versions.html",
        desk,
        slot=slot,
        versions=versions(desk, current_reader(), services().store.runs),
        kinds_of_change=kinds_of_change,
        named=NAMED,
        kept=KEPT,
        jobs=services().jobs.active(desk.name),
        trouble=TROUBLES[trouble] if trouble else "",
        refused=refused(last, live, hidden_questions(desk)),
        held_back=lambda made: open_files(made, desk),
        figure_names=FIGURES,
        failure=services().jobs.latest(desk.name, KIND, JobState.FAILED),
        failed_now=failed_now(last, live),
        **values,
    )
    response.status_code = status
    return response
