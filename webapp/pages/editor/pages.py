"""The pages of a collection, whatever their status: found by words, changed from here."""

from __future__ import annotations

from flask import Blueprint, Response, request

from webapp.core.documents.model import Status
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.wording import status_words
from webapp.pages.editor.paging import page_number, pages
from webapp.services.model import Listed
from webapp.web.access import current_reader
from webapp.web.desk_page import desk_page

blueprint = Blueprint("pages", __name__)

SIZE = 50


@blueprint.get("/admin/pages")
def show() -> Response:
    """List the pages that the reader may see, by title."""
    desk = open_desk(request.args.get("collection"))
    words, status = request.args.get("words", "").strip(), request.args.get("status", "")
    listed = [one for one in desk.documents(current_reader()) if _fits(one, words, status)]
    number = page_number()
    shown = listed[(number - 1) * SIZE : number * SIZE]
    rest = {"collection": desk.name, "words": words or None, "status": status or None}
    return desk_page(
        "editor/pages.html",
        desk,
        listed=[(one, status_words(one.status), source_url(desk.name, one.id)) for one in shown],
        count=len(listed),
        words=words,
        status=status,
        statuses=[(one.value, status_words(one)) for one in Status],
        pages=pages("pages.show", number, len(listed) > number * SIZE, rest),
    )


def _fits(one: Listed, words: str, status: str) -> bool:
    text = f"{one.title} {one.id} {one.path}".casefold()
    return status in ("", one.status.value) and all(word in text for word in words.casefold().split())
