"""Pages that disagree: pairs of sentences that give different numbers for the same thing, for editors to mend."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, request

from webapp.core.answering.conflicts import Claim
from webapp.core.answering.wording import spoken
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.box import open_desk
from webapp.web.access import current_reader
from webapp.web.desk_page import desk_page

blueprint = Blueprint("conflicts", __name__)


@dataclass(frozen=True, slots=True)
class Side:
    """One sentence of a pair, and where it stands."""

    title: str
    lang: str
    heading: str
    first_line: int
    last_line: int
    page: int | None
    text: str
    url: str


@blueprint.get("/admin/conflicts")
def show() -> Response:
    """List the pairs among the current pages that this reader may see."""
    desk = open_desk(request.args.get("collection"))
    found = desk.conflicts(current_reader())
    return desk_page(
        "editor/conflicts.html",
        desk,
        pairs=[(_side(desk.name, one.one), _side(desk.name, one.other)) for one in found],
        count=len(found),
    )


def _side(collection: str, claim: Claim) -> Side:
    chunk, sentence = claim.chunk, claim.sentence
    first, last = sentence.first_line, sentence.last_line
    lines = f"{first}-{last}" if last > first else f"{first}"
    return Side(
        title=chunk.title,
        lang=chunk.lang,
        heading=chunk.location.heading,
        first_line=first,
        last_line=last,
        page=chunk.location.page,
        text=spoken(sentence),
        url=f"{source_url(collection, chunk.document_id, lines=lines)}#L{first}",
    )
