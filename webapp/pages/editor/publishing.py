"""Publishing a draft, or another status of a page: asked for here, done by a worker, and how it ended."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext as _l

from webapp.core.documents.model import Status
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.wording import status_words
from webapp.pages.editor.change_view import AGREED
from webapp.pages.editor.draft_view import me, own_draft, view_draft
from webapp.pages.editor.hidden import hidden_questions, without
from webapp.services.desk import Desk
from webapp.services.drafts import read_page, sha256
from webapp.services.model import Listed
from webapp.services.publishing import Act, Outcome
from webapp.store.jobs import Job
from webapp.web.access import current_reader
from webapp.web.context import home_url, services, title
from webapp.web.htmx import page
from webapp.web.i18n import gettext as _

blueprint = Blueprint("publish", __name__)

MOST_WORDS = 500  # characters of a message or a reason
ACTS = {
    Act.PUBLISH: _l("Publish"),
    Act.SUPERSEDE: _l("Supersede"),
    Act.WITHDRAW: _l("Withdraw"),
    Act.RESTORE: _l("Restore"),
}
POSSIBLE: Mapping[Status, tuple[Act, ...]] = {
    Status.CURRENT: (Act.SUPERSEDE, Act.WITHDRAW),
    Status.SUPERSEDED: (Act.RESTORE, Act.SUPERSEDE, Act.WITHDRAW),
    Status.WITHDRAWN: (Act.RESTORE,),
    Status.ARCHIVED: (Act.RESTORE, Act.WITHDRAW),
    Status.DRAFT: (Act.RESTORE,),
}


@blueprint.get("/admin/publish")
def show() -> Response:
    """Ask how to publish a draft; with a job, show how far it is or how it ended."""
    job = services().jobs.get(request.args.get("job", ""))
    if job and job.kind == "publish" and job.arguments["author_id"] == me().id:
        return _outcome(job)
    desk, draft = own_draft(request.args.get("draft", ""))
    return _form(desk, draft.id)


@blueprint.post("/admin/publish")
def ask() -> ResponseReturnValue:
    """Ask for a draft to be published."""
    desk, draft = own_draft(request.form.get("draft", ""))
    return _asked(desk, {"act": Act.PUBLISH.value, "draft": draft.id, "text": draft.text_hash})


@blueprint.get("/admin/pages/<path:document_id>")
def status(document_id: str) -> Response:
    """Offer what can be done with a page that is there."""
    desk = open_desk(request.args.get("collection"))
    return _status_form(desk, _listed(desk, document_id))


@blueprint.post("/admin/pages/<path:document_id>")
def change_status(document_id: str) -> ResponseReturnValue:
    """Ask for another status of a page."""
    desk = open_desk(request.form.get("collection"))
    listed = _listed(desk, document_id)
    act, successor = request.form.get("act", ""), request.form.get("successor", "")
    if act not in {one.value for one in POSSIBLE[listed.status]}:
        return _status_form(desk, listed, {"act": _("Choose what is to be done.")})
    if act == Act.SUPERSEDE and successor not in {one.id for one in _successors(desk, listed)}:
        return _status_form(desk, listed, {"successor": _("Name the page that counts from now on.")})
    arguments = {"act": act, "path": listed.path, "base": request.form.get("base", ""), "successor": successor or None}
    return _asked(desk, arguments)


def _asked(desk: Desk, arguments: Mapping[str, Any]) -> ResponseReturnValue:
    words = {name: request.form.get(name, "").strip()[:MOST_WORDS] for name in ("message", "reason")}
    words["message"] = words["message"] or _default_message(arguments)
    once = request.form.get("once", "")
    given = {"id": once if len(once) == 32 else secrets.token_hex(16), "author_id": me().id}
    job = services().jobs.ask(desk.name, "publish", {**arguments, **words, **given}, me())
    return redirect(url_for("publish.show", job=job.id), 303)


def _default_message(arguments: Mapping[str, Any]) -> str:
    """Say in English what was done, as commits do."""
    if draft_id := arguments.get("draft"):
        draft = services().drafts.get(draft_id, me())
        return f"{'Change' if draft and draft.base else 'Add'} {draft.path if draft else 'a page'}"
    successor = f" by {arguments['successor']}" if arguments.get("successor") else ""
    return f"{arguments['act'].capitalize()} {arguments['path']}{successor}"


def _form(desk: Desk, draft_id: str) -> Response:
    view = view_draft(*own_draft(draft_id))
    return page(
        "editor/draft_publish.html",
        "content",
        view=view,
        once=secrets.token_hex(16),
        job=_running(desk),
        collection=desk.name,
        site_title=title(desk.config),
    )


def _running(desk: Desk) -> Job | None:
    """Return the collection's publication that waits or runs, if it is the reader's own."""
    job = services().jobs.latest(desk.name, "publish")
    return job if job and job.active and job.arguments["author_id"] == me().id else None


def _status_form(desk: Desk, listed: Listed, problems: Mapping[str, str] | None = None) -> Response:
    now = read_page(desk.folder, listed.path)
    if now is None:
        abort(404)
    response = page(
        "editor/page_status.html",
        "content",
        listed=listed,
        state=status_words(listed.status),
        url=source_url(desk.name, listed.id),
        acts=[(act, ACTS[act]) for act in POSSIBLE[listed.status]],
        successors=[(one.id, f"{one.title} · {one.id}") for one in _successors(desk, listed)],
        problems=problems or {},
        typed=request.form,
        base=sha256(now),
        once=secrets.token_hex(16),
        collection=desk.name,
        site_title=title(desk.config),
    )
    response.status_code = 422 if problems else 200
    return response


def _listed(desk: Desk, document_id: str) -> Listed:
    found = desk.shelf(current_reader()).entry(document_id.removesuffix("/"))
    return found or abort(404)


def _successors(desk: Desk, listed: Listed) -> list[Listed]:
    """Return the pages that can take a page's place."""
    documents = desk.documents(current_reader())
    return [one for one in documents if one.status is Status.CURRENT and one.id != listed.id]


def _outcome(job: Job) -> Response:
    desk, result = open_desk(job.collection), job.result or {}
    draft_id = job.arguments["draft"]
    draft = services().drafts.get(draft_id, me()) if draft_id else None
    stored = desk.shelf(current_reader()).entry(result.get("document_id", ""))
    return page(
        "editor/publish_outcome.html",
        "content",
        job=job,
        act=ACTS[Act(job.arguments["act"])],
        outcome=Outcome(result["outcome"]) if result else None,
        result={**result, "figures": without(result.get("figures", ()), hidden_questions(desk))},
        draft=draft,
        listed=stored,
        url=source_url(desk.name, stored.id) if stored else "",
        box_url=home_url(desk.name),
        once=secrets.token_hex(16),
        agreed_words=AGREED,
        collection=desk.name,
        site_title=title(desk.config),
    )
