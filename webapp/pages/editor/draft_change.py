"""What would a draft change? Asked for, waited for, read."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from webapp.pages.editor.change_view import AGREED, groups
from webapp.pages.editor.draft_view import me, own_draft
from webapp.pages.editor.hidden import hidden_questions, without
from webapp.services.change import ASKED
from webapp.services.desk import Desk
from webapp.store.drafts import Draft
from webapp.store.jobs import Job
from webapp.web.access import current_reader
from webapp.web.context import services, title
from webapp.web.htmx import page

blueprint = Blueprint("change", __name__)

MOST = 2000  # real questions


@blueprint.get("/admin/change")
def show() -> Response:
    """Show which answers a draft changes, as far as that was found out."""
    job = services().jobs.get(request.args.get("job", ""))
    desk, draft = own_draft(str(job.arguments.get("draft", "")) if job else request.args.get("draft", ""))
    return _page(desk, draft, _newest(draft) if job is None or job.kind != "change" else job)


@blueprint.post("/admin/change")
def ask() -> ResponseReturnValue:
    """Ask for it."""
    desk, draft = own_draft(request.form.get("draft", ""))
    typed = request.form.get("asked", "")
    asked = min(int(typed), MOST) if typed.isdecimal() and len(typed) < 9 else ASKED
    arguments = {"draft": draft.id, "author_id": me().id, "text": draft.text_hash, "asked": asked}
    job = services().jobs.ask(desk.name, "change", arguments, me())
    return redirect(url_for("change.show", job=job.id), 303)


def _newest(draft: Draft) -> Job | None:
    """Return the newest job about this draft."""
    job = services().jobs.latest(draft.collection, "change")
    return job if job and job.arguments.get("draft") == draft.id else None


def _page(desk: Desk, draft: Draft, job: Job | None) -> Response:
    if job and job.arguments["author_id"] != me().id:
        abort(404)
    result = job.result if job else None
    return page(
        "editor/draft_change.html",
        "content",
        draft=draft,
        job=job,
        result=result and {**result, "figures": without(result.get("figures", ()), hidden_questions(desk))},
        groups=groups(result, desk.name, desk.current_count(current_reader())) if result else [],
        stale=job is not None and job.arguments["text"] != draft.text_hash,
        agreed_words=AGREED,
        asked=job.arguments["asked"] if job else ASKED,
        most=MOST,
        golden_only=not services().store.asked.most_asked(desk.name, 1),
        collection=desk.name,
        site_title=title(desk.config),
    )
