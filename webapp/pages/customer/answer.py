"""An answer's own page: statements with their numbers, sources as they were, or why there is no answer."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from datetime import date

from flask import Blueprint, Response, abort, current_app, make_response, request, url_for
from flask_wtf.csrf import generate_csrf

from webapp.core.answering.question import standing
from webapp.pages.customer.answer_view import view_answer
from webapp.pages.customer.box import examples, fresh_token, open_desk, question_box
from webapp.pages.customer.feedback import VoteBox, my_vote, vote_box
from webapp.services.desk import Desk
from webapp.services.model import Gone, StoredAnswer
from webapp.web.access import current_account, current_reader
from webapp.web.asker import is_known_to_nobody
from webapp.web.context import home_url, services, title
from webapp.web.htmx import is_htmx, page
from webapp.web.i18n import current_language
from webapp.web.kept_pages import KeptPages
from webapp.web.security import csp_nonce

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
    votes = not stored.withheld and not is_known_to_nobody()
    once = fresh_token()

    def made() -> Response:
        return _made(stored, desk, vote_box(stored.answer.id) if votes else None, once)

    if not _is_for_everybody(stored) or (votes and my_vote(stored.answer.id)):
        return made()
    pages: KeptPages = current_app.extensions.setdefault("evidencedesk.answer_pages", KeptPages())
    key, words = _all_that_shows(stored, desk, votes), (csp_nonce(), generate_csrf(), once)
    response = make_response(pages.get(key, words, lambda: made().get_data(as_text=True)))
    response.vary.add("HX-Request")
    return response


def _is_for_everybody(stored: StoredAnswer) -> bool:
    """Tell whether the whole page is the same for all who are not signed in and have not voted, as long as nothing
    about it changes."""
    alone = stored.answer.follows is None  # else the earlier answer may be erased meanwhile
    return current_account() is None and alone and not is_htmx() and not request.query_string


def _all_that_shows(stored: StoredAnswer, desk: Desk, votes: bool) -> Hashable:
    """An answer never changes; its documents, the collection's settings and the box do with the version and the day."""
    live = desk.live().manifest.id, date.today()
    reader = current_language(), request.script_root, votes
    return stored.answer.id, stored.withheld, frozenset(stored.today.items()), live, reader, examples(desk)


def _made(stored: StoredAnswer, desk: Desk, votes: VoteBox | None, once: str) -> Response:
    earlier = None if stored.withheld or stored.answer.leans else standing(stored.answer)
    return page(
        "customer/answer.html",
        "content",
        view=view_answer(stored, desk),
        votes=votes,
        box=replace(question_box(desk, stored.answer.filters), once=once, earlier=earlier),
        site_title=title(desk.config),
        home_url=home_url(desk.name),
    )


def _gone(gone: Gone) -> Response:
    response = page("customer/gone.html", "content", why=gone.why, at=gone.at, box=question_box(open_desk(None)))
    response.status_code = 410
    return response
