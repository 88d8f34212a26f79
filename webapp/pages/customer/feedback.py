"""A reader's vote on an answer: kept by a form that needs no script, changed or taken back by the same form."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from webapp.pages.customer.wording import vote_reasons
from webapp.services.feedback import MAX_WORDS, InvalidVote
from webapp.services.model import Gone
from webapp.store.feedback import Vote
from webapp.web.access import current_reader
from webapp.web.asker import asker, lasting_asker
from webapp.web.context import services
from webapp.web.htmx import is_htmx
from webapp.web.i18n import gettext
from webapp.web.printable import printable

blueprint = Blueprint("feedback", __name__)

blueprint.add_app_template_global(vote_reasons)

VOTES = {"up": True, "down": False, "none": None}


@dataclass(frozen=True, slots=True)
class VoteBox:
    """Values of the block below an answer."""

    answer_id: str
    mine: Vote | None
    reasons: tuple[tuple[str, str], ...]
    max_words: int = MAX_WORDS
    said: str = ""  # what has just been done, for screen readers too


@blueprint.post("/answers/<answer_id>/feedback")
def vote(answer_id: str) -> Response:
    """Keep the vote and lead back to the answer; htmx gets the block."""
    given = request.form.get("vote", "")
    if given not in VOTES:
        abort(400)
    good = VOTES[given]
    mine = None if good is None else Vote(good, request.form.get("reason") or None, request.form.get("words"))
    opened = _cast(answer_id, mine)
    if opened is None:
        abort(404)
    if isinstance(opened, Gone):
        abort(410)
    if is_htmx():
        html = render_template("customer/_feedback.html", votes=vote_box(answer_id, _said(mine)))
        return Response(printable(html))
    return redirect(url_for("answer.show", answer_id=answer_id) + "#feedback", 303)


def vote_box(answer_id: str, said: str = "") -> VoteBox:
    """Return the block's values for the current reader."""
    return VoteBox(answer_id, my_vote(answer_id), vote_reasons(), said=said)


def my_vote(answer_id: str) -> Vote | None:
    """Return the current reader's vote."""
    return services().feedback.by(answer_id, asker())


def _cast(answer_id: str, mine: Vote | None) -> object:
    try:
        return services().feedback.cast(answer_id, current_reader(), lasting_asker(), mine)
    except InvalidVote:
        return abort(400)


def _said(mine: Vote | None) -> str:
    if mine is None:
        return gettext("Your vote has been taken back.")
    return gettext("Thank you, your editors can see it.") if mine.words or mine.reason else gettext("Thank you.")
