"""Voting on an answer for programs: JSON in, the vote as it is kept out."""

from __future__ import annotations

from typing import Literal

from flask import Blueprint, abort, jsonify
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, Field
from werkzeug.exceptions import Unauthorized

from webapp.pages.api.ask import body
from webapp.services.feedback import MAX_WORDS
from webapp.services.model import Gone
from webapp.store.feedback import Vote
from webapp.web.access import current_reader
from webapp.web.asker import asker, hashed
from webapp.web.context import services
from webapp.web.security import csrf

blueprint = Blueprint("api_feedback", __name__, url_prefix="/api/v1")
csrf.exempt(blueprint)  # as for asking: nothing but JSON is taken


class Ballot(BaseModel, extra="forbid"):
    """What somebody thinks of an answer. The last vote of each reader counts."""

    vote: Literal["up", "down"] | None = Field(description="null takes the vote back")
    reason: Literal["wrong", "outdated", "incomplete", "not_mine", "other"] | None = Field(
        None, description="What is the matter; kept beside a vote down alone"
    )
    words: str | None = Field(None, max_length=MAX_WORDS, description="In the reader's words")
    reader: str | None = Field(
        None, min_length=1, max_length=200, description="The program's own name for whoever votes; only a hash is kept"
    )


class KeptVote(BaseModel):
    """The vote of a reader as it is kept; all null: there is none."""

    vote: Literal["up", "down"] | None = None
    reason: str | None = None
    words: str | None = None


@blueprint.post("/answers/<answer_id>/feedback")
def vote(answer_id: str) -> ResponseReturnValue:
    """Keep a vote."""
    ballot = body(Ballot)
    given = Vote(ballot.vote == "up", ballot.reason, ballot.words) if ballot.vote else None
    opened = services().feedback.cast(answer_id, current_reader(), _voter(ballot), given)
    if opened is None:
        abort(404, "there is no such answer")
    if isinstance(opened, Gone):
        abort(410, "this answer is no longer kept")
    kept = services().feedback.by(answer_id, _voter(ballot))
    said = KeptVote(vote="up" if kept.good else "down", reason=kept.reason, words=kept.words) if kept else KeptVote()
    return jsonify(said.model_dump())


def _voter(ballot: Ballot) -> str:
    """Whoever the program names, else the account or browser that the request comes from."""
    voter = hashed(f"program {ballot.reader}") if ballot.reader else asker()
    if voter is None:
        raise Unauthorized("reader: say who votes, in words of your own, so that each counts once")
    return voter
