"""Compare chunking: a page or a draft cut by two to four settings, side by side, and what each does to questions.

Nothing that is typed, uploaded or measured here touches the live index; a draft is kept for its author.
"""

from __future__ import annotations

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from webapp.core.evaluation.compare import settings_of
from webapp.pages.customer.box import open_desk
from webapp.pages.editor.chosen_text import Chosen, draft_of, first_page, kept_draft, page_of, pages
from webapp.pages.editor.comparison_view import Asked, compare_chosen
from webapp.pages.editor.draft_view import me, own_draft
from webapp.pages.editor.draft_words import limit_words
from webapp.pages.editor.figures_view import BARS_SIZE, WHISKER_WIDTH
from webapp.pages.editor.labels import read_labels
from webapp.pages.editor.setting_form import KEYS, Slot, Typed, code, from_codes, from_form, from_settings, read_slot
from webapp.services.desk import Desk
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.desk_page import desk_page

blueprint = Blueprint("chunking", __name__)


@blueprint.get("/admin/chunking")
def show() -> Response:
    """Compare settings on a page of the collection; the address says which, so it can be passed on."""
    desk = open_desk(request.args.get("collection"))
    codes = request.args.getlist("setting")
    if draft_id := request.args.get("draft"):
        desk, draft = own_draft(draft_id)
        chosen = draft_of(draft, desk)
    else:
        listed = pages(desk.files(), current_reader())
        chosen = page_of(listed, request.args.get("page") or first_page(listed, read_labels(desk.folder)))
    return _respond(desk, chosen, from_codes(codes) if codes else from_settings(settings_of(desk.config)))


@blueprint.post("/admin/chunking")
def compare() -> ResponseReturnValue:
    """Keep a draft that was sent, and go to the address that compares what was chosen."""
    desk = open_desk(request.form.get("collection"))
    typed = from_form(request.form)
    if request.form.get("source") == "draft":
        before = services().drafts.get(request.form.get("draft", ""), me())
        chosen = kept_draft(request.form.get("text", ""), request.files.get("file"), desk, before)
    else:
        chosen = page_of(pages(desk.files(), current_reader()), request.form.get("page", ""))
    slots = _slots(typed)
    if chosen.document and (chosen.page or chosen.draft) and not any(slot.wrong for slot in slots):
        return redirect(_address(desk, chosen, slots, Asked.from_request(request.form)), 303)
    return _respond(desk, chosen, typed)


def _respond(desk: Desk, chosen: Chosen, typed: tuple[Typed, ...]) -> Response:
    slots = _slots(typed)
    asked = Asked.from_request(request.values)
    view = compare_chosen(desk, chosen, slots, asked)
    response = desk_page(
        "editor/chunking.html",
        desk,
        "figures",
        view=view,
        listed=[(one.id, f"{one.title} · {one.id}") for one in pages(desk.files(), current_reader())],
        drafts=services().drafts.of(me(), desk),
        limits=limit_words(),
        measuring=_measuring(desk, chosen, slots),
        bars_size=BARS_SIZE,
        whisker_width=WHISKER_WIDTH,
    )
    response.status_code = 200 if view.compared else 422
    return response


def _slots(typed: tuple[Typed, ...]) -> tuple[Slot, ...]:
    return tuple(read_slot(key, one) for key, one in zip(KEYS, typed, strict=True))


def _measuring(desk: Desk, chosen: Chosen, slots: tuple[Slot, ...]) -> dict[str, str]:
    """Return the attributes by which htmx fetches the figures again, with recall."""
    if chosen.is_draft and not chosen.draft:
        return {}
    return {"hx-get": _address(desk, chosen, slots, Asked(measure=True))}


def _address(desk: Desk, chosen: Chosen, slots: tuple[Slot, ...], asked: Asked) -> str:
    return url_for(
        "chunking.show",
        collection=None if desk.name == services().default else desk.name,
        page=chosen.page or None,
        draft=chosen.draft_id or None,
        setting=[code(slot.setting) for slot in slots if slot.setting],
        line=asked.line,
        measure=1 if asked.measure else None,
    )
