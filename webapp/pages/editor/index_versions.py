"""The index versions of a collection: which one is served, and serving another one again."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from webapp.core.evaluation.compare import Setting
from webapp.core.retrieval.engine import IndexProblem, Manifest
from webapp.pages.customer.box import open_desk
from webapp.pages.editor.strategy_words import label
from webapp.services.desk import Desk
from webapp.web.context import services, title
from webapp.web.htmx import page

blueprint = Blueprint("index", __name__)


@dataclass(frozen=True, slots=True)
class Version:
    """One version in the list."""

    manifest: Manifest
    setting: str
    live: bool


@blueprint.get("/admin/index")
def show() -> Response:
    """List the versions that can be served, newest first."""
    return _page(open_desk(request.args.get("collection")))


@blueprint.post("/admin/index")
def serve() -> ResponseReturnValue:
    """Serve another version; the next question is answered from it."""
    desk = open_desk(request.form.get("collection"))
    try:
        desk.rollback(request.form.get("version", ""))
    except IndexProblem:
        response = _page(desk, failed=True)
        response.status_code = 422
        return response
    return redirect(url_for("index.show", collection=desk.name), 303)


def _page(desk: Desk, failed: bool = False) -> Response:
    live = desk.live().manifest.id
    return page(
        "editor/index_versions.html",
        "content",
        versions=[Version(one, label(Setting(one.strategy, one.options)), one.id == live) for one in desk.versions()],
        problem=desk.problem(),
        failed=failed,
        collection=desk.name,
        collections=[(card.name, title(card.config)) for card in services().collections()],
        site_title=title(desk.config),
    )
