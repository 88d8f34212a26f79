"""An answer's own page: statements with their numbers, sources as they were, or why there is no answer."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, abort, url_for

from webapp.core.answering.question import standing
from webapp.pages.customer.answer_view import view_answer
from webapp.pages.customer.box import open_desk, question_box
from webapp.pages.customer.feedback import vote_box
from webapp.services.model import Gone, StoredAnswer
from webapp.web.access import current_reader
from webapp.web.asker import is_known_to_nobody
from webapp.web.context import home_url, services, title
from webapp.web.htmx import is_htmx, page

blueprint = Blueprint("answer", __name__)


@blueprint.get("/answers/<answer_id>")
def show(answer_id: str) -> Response:
    """Show an answer to whoever may see every document it cites."""
    return answer_block(answer_id, url_for("answer.show", answer_id=answer_id)) if is_htmx() else _page(answer_id)


def answer_block(answer_id: str, address: str) -> Response:
    """Return the answer for htmx to put in the place of the question box, under the answer's own address."""
    response = _page(answer_id)
    response.headers["HX-Push-Url"] = address
    return response


def _page(answer_id: str) -> Response:
    stored = services().answer(answer_id, current_reader())
    if stored is None:
        abort(404)
    response = _gone(stored) if isinstance(stored, Gone) else _kept(stored)
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _kept(stored: StoredAnswer) -> Response:
    desk = open_desk(stored.answer.collection)
    earlier = None if stored.withheld or stored.answer.leans else standing(stored.answer)
    return page(
        "customer/answer.html",
        "content",
        view=view_answer(stored, desk),
        votes=None if stored.withheld or is_known_to_nobody() else vote_box(stored.answer.id),
        box=replace(question_box(desk, stored.answer.filters), earlier=earlier),
        site_title=title(desk.config),
        home_url=home_url(desk.name),
    )


def _gone(gone: Gone) -> Response:
    response = page("customer/gone.html", "content", why=gone.why, at=gone.at, box=question_box(open_desk(None)))
    response.status_code = 410
    return response
