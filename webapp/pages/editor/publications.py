"""What was published: by whom, why, and the index versions before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from flask import Blueprint, Response, request
from flask_babel.speaklater import LazyString

from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.box import open_desk
from webapp.pages.editor.paging import page_number, pages
from webapp.pages.editor.publishing import ACTS
from webapp.services.closed import Closed, closed_to
from webapp.services.desk import Desk
from webapp.services.publishing import Act
from webapp.store.publications import Publication
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.desk_page import desk_page
from webapp.web.i18n import current_language, gettext

blueprint = Blueprint("publications", __name__)

SIZE = 30


@dataclass(frozen=True, slots=True)
class Shown:
    """One publication in the list."""

    kept: Publication
    act: LazyString
    title: str
    lang: str  # of the title
    url: str  # "" when there is no page of that id any more
    live: bool  # what it made is served now
    back: str  # the version to go back to; "" when it is no longer kept


@blueprint.get("/admin/publications")
def show() -> Response:
    """List the publications, newest first; of pages that the reader may not see, none."""
    desk = open_desk(request.args.get("collection"))
    number = page_number()
    found = services().store.publications.latest(desk.name, SIZE + 1, (number - 1) * SIZE)
    closed = closed_to(current_reader(), desk, services().store)
    known = [one for one in found[:SIZE] if one.document_id not in closed.ids and one.path not in closed.paths]
    return desk_page(
        "editor/publications.html",
        desk,
        shown=list(_shown(known, desk, closed)),
        pages=pages("publications.show", number, len(found) > SIZE, {"collection": desk.name}),
    )


def _shown(found: Iterable[Publication], desk: Desk, closed: Closed) -> Iterator[Shown]:
    live, kept = desk.live().manifest.id, {one.id for one in desk.versions()}
    shelf = desk.shelf(current_reader())
    for one in found:
        entry = shelf.entry(one.document_id)
        back = one.before if one.before in kept and one.after == live else ""
        name = entry.title if entry else one.path
        told = one
        if one.document_id not in closed.open:  # long gone: nobody knows any more who could see it
            name, told = gettext("a page that is no longer there"), replace(one, path="", message="", override=None)
        url = source_url(desk.name, one.document_id) if entry else ""
        lang = entry.lang if entry else current_language()
        yield Shown(told, ACTS[Act(one.act)], name, lang, url, one.after == live, back or "")
