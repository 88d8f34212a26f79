"""The source page: a document as it was cited or as it is, its cited lines told apart, in three views."""

from __future__ import annotations

from urllib.parse import quote

from flask import Blueprint, Response, abort, request, url_for

from webapp.core.retrieval.model import Role
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.source_page import Asked, view_source
from webapp.services.model import Source
from webapp.web.access import current_reader
from webapp.web.context import home_url, title
from webapp.web.htmx import page
from webapp.web.source_view import keep_danda

blueprint = Blueprint("source", __name__)
blueprint.add_app_template_filter(keep_danda, "keep")


@blueprint.get("/sources/<path:document_id>")
@blueprint.get("/c/<collection>/sources/<path:document_id>")
def show(document_id: str, collection: str | None = None) -> Response:
    """Show a document; unknown ones and those closed to the reader look the same."""
    desk = open_desk(collection)
    asked = Asked.from_query(request.args)
    wanted = document_id.removesuffix("/")  # a trailing slash changes nothing, here as elsewhere
    source = desk.source(wanted, current_reader(), answer_id=asked.answer_id, at=asked.snapshot)
    if source is None:
        abort(404)
    if asked.view == "file" and not source.closed:
        return _file(source)
    return page(
        "customer/source.html",
        "content",
        view=view_source(desk, source, asked),
        cited_url=_cited_url(desk.name, wanted, asked),
        site_title=title(desk.config),
        home_url=home_url(desk.name),
    )


def _cited_url(collection: str, document_id: str, asked: Asked) -> str:
    """Where staff find the answers that cite this page, or these lines of it; "" for customers."""
    if current_reader().role is Role.CUSTOMER:
        return ""
    return url_for("agent.answers", collection=collection, document=document_id, lines=asked.lines or None)


def _file(source: Source) -> Response:
    """The bare file, to be saved: never shown by the browser as a page of ours."""
    name = source.document.path.rpartition("/")[2]
    response = Response(source.document.text, mimetype="text/plain")
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
