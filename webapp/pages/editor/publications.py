"""What was published: by whom, why, and the index versions before and after."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, request
from flask_babel.speaklater import LazyString

from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.box import open_desk
from webapp.pages.editor.paging import page_number, pages
from webapp.pages.editor.publishing import ACTS
from webapp.services.publishing import Act
from webapp.store.publications import Publication
from webapp.web.access import current_reader
from webapp.web.context import services, title
from webapp.web.htmx import page

blueprint = Blueprint("publications", __name__)

SIZE = 30


@dataclass(frozen=True, slots=True)
class Shown:
    """One publication in the list."""

    kept: Publication
    act: LazyString
    title: str
    url: str  # "" when there is no page of that id any more
    live: bool  # what it made is served now
    back: str  # the version to go back to; "" when it is no longer kept


@blueprint.get("/admin/publications")
def show() -> Response:
    """List the publications, newest first; of pages that the reader may not see, none."""
    desk = open_desk(request.args.get("collection"))
    number = page_number()
    found = services().store.publications.latest(desk.name, SIZE + 1, (number - 1) * SIZE)
    live, kept = desk.live().manifest.id, {one.id for one in desk.versions()}
    shelf = desk.shelf(current_reader())
    shown = []
    for one in found[:SIZE]:
        entry = shelf.entry(one.document_id)
        if entry is None and one.document_id in desk.live().documents():
            continue
        back = one.before if one.before in kept and one.after == live else ""
        url = source_url(desk.name, one.document_id) if entry else ""
        shown.append(
            Shown(one, ACTS[Act(one.act)], entry.title if entry else one.path, url, one.after == live, back or "")
        )
    return page(
        "editor/publications.html",
        "content",
        shown=shown,
        pages=pages("publications.show", number, len(found) > SIZE, {"collection": desk.name}),
        collection=desk.name,
        collections=[(card.name, title(card.config)) for card in services().collections()],
        site_title=title(desk.config),
    )
