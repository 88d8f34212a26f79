"""Drafts: pages that their author writes, looks over and tries before anybody else sees them."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from webapp.core.documents.errors import DocumentError
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.source_page import Asked, Banner, view_source
from webapp.pages.editor.draft_view import me, own_draft, view_draft
from webapp.pages.editor.draft_words import PATH_PROBLEMS, limit_words, problem_words
from webapp.services.desk import Desk
from webapp.services.drafts import DraftError
from webapp.services.model import Source, Today
from webapp.store.drafts import Draft
from webapp.web.access import current_reader
from webapp.web.context import services, title
from webapp.web.desk_page import desk_page
from webapp.web.htmx import page
from webapp.web.i18n import gettext as _

blueprint = Blueprint("drafts", __name__)

Problem = DraftError | DocumentError
_NEW_PAGE = "---\ntitle: \nstatus: current\nlang: {lang}\n---\n\n## \n"


@blueprint.get("/admin/drafts")
def show() -> Response:
    """List the reader's own drafts, and offer to begin one."""
    return _list(open_desk(request.args.get("collection")), done=request.args.get("done", ""))


@blueprint.post("/admin/drafts")
def begin() -> ResponseReturnValue:
    """Begin a draft: of a page that is there, of an uploaded file, or of what was typed."""
    desk = open_desk(request.form.get("collection"))
    try:
        draft = _begun(desk)
    except (DraftError, DocumentError) as problem:
        return _list(desk, problem)
    return redirect(url_for("drafts.edit", draft_id=draft.id), 303)


@blueprint.get("/admin/drafts/<draft_id>")
def edit(draft_id: str) -> Response:
    """Show a draft to be written on, and what is to be looked at."""
    desk, draft = own_draft(draft_id)
    return _page(desk, draft)


@blueprint.post("/admin/drafts/<draft_id>")
def save(draft_id: str) -> ResponseReturnValue:
    """Keep what was written; with the button `seen`, also that the author knows of the file's changes."""
    desk, draft = own_draft(draft_id)
    if "seen" in request.form:
        services().drafts.rebase(draft, desk)
        return redirect(url_for("drafts.edit", draft_id=draft.id), 303)
    typed = replace(draft, text=request.form.get("text", ""), path=request.form.get("path", ""))
    try:
        services().drafts.change(draft, desk, typed.text, typed.path)
    except DraftError as problem:
        return _page(desk, draft, typed, problem)
    return redirect(url_for("drafts.edit", draft_id=draft.id, saved=1), 303)


@blueprint.post("/admin/drafts/<draft_id>/discard")
def discard(draft_id: str) -> ResponseReturnValue:
    """Remove a draft for good; the page has asked."""
    desk, draft = own_draft(draft_id)
    services().drafts.discard(draft.id, draft.author_id)
    return redirect(url_for("drafts.show", collection=desk.name, done="discarded"), 303)


@blueprint.get("/admin/drafts/<draft_id>/preview")
def preview(draft_id: str) -> ResponseReturnValue:
    """Show the draft as its source page will look."""
    desk, draft = own_draft(draft_id)
    document = view_draft(desk, draft).document
    if document is None:  # the page of the draft says why it can't be read
        return redirect(url_for("drafts.edit", draft_id=draft.id), 303)
    asked = Asked.from_query(request.args)
    asked = replace(asked, view="text" if asked.view == "file" else asked.view, answer_id=None, snapshot=None)
    view = view_source(desk, Source(document, Today(document.status, changed=False)), asked)
    views = tuple(
        (name, words, url_for("drafts.preview", draft_id=draft.id, view=name)) for name, words, _ in view.views[:2]
    )
    private = Banner(_("This is how the page will look. Nobody else sees it yet."), kind="info")
    view = replace(view, views=views, banners=(private, *view.banners))
    return page("editor/draft_preview.html", "content", view=view, draft=draft, site_title=title(desk.config))


def _begun(desk: Desk) -> Draft:
    drafts, form = services().drafts, request.form
    if form.get("source") == "page":
        return drafts.begin_from(me(), desk, _path_of(desk, form.get("page", "")))
    file = request.files.get("file")
    if form.get("source") == "upload" and file and file.filename:
        return drafts.begin(me(), desk, drafts.uploaded(file.stream.read()), form.get("path", ""))
    return drafts.begin(me(), desk, form.get("text", ""), form.get("path", ""))


def _path_of(desk: Desk, document_id: str) -> str:
    """Return the path of a page that the reader may see; "" when there is none."""
    return next((one.path for one in desk.documents(current_reader()) if one.id == document_id), "")


def _list(desk: Desk, problem: Problem | None = None, done: str = "") -> Response:
    response = desk_page(
        "editor/drafts.html",
        desk,
        drafts=services().drafts.of(me(), desk),
        listed=[(one.id, f"{one.title} · {one.path}") for one in desk.documents(current_reader())],
        typed=request.form,
        skeleton=_NEW_PAGE.format(lang=desk.config.languages[0]),
        problems=_by_field(problem, request.form.get("source", "")),
        limits=limit_words(),
        done=done,
    )
    response.status_code = 422 if problem else 200
    return response


def _page(desk: Desk, draft: Draft, typed: Draft | None = None, problem: DraftError | None = None) -> Response:
    """Show the draft as it is kept; with a problem, what was typed stands in the fields."""
    response = desk_page(
        "editor/draft.html",
        desk,
        view=view_draft(desk, draft),
        typed=typed or draft,
        problems=_by_field(problem, "text"),
        limits=limit_words(),
        saved="saved" in request.args,
    )
    response.status_code = 422 if problem else 200
    return response


def _by_field(problem: Problem | None, source: str) -> dict[str, str]:
    """Return the words for a problem, by the field that it stands beside."""
    if problem is None:
        return {}
    if isinstance(problem, DraftError) and problem.code in PATH_PROBLEMS and source != "page":
        return {"path": problem_words(problem)}
    return {{"page": "page", "upload": "file"}.get(source, "text"): problem_words(problem)}
