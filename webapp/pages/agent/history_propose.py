"""A question that readers were not content with becomes a proposal for the golden set, in one press."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, redirect, url_for
from werkzeug.wrappers import Response

from webapp.services.model import StoredAnswer
from webapp.store.feedback import Vote
from webapp.web.access import current_reader
from webapp.web.context import services

blueprint = Blueprint("history_propose", __name__)


@blueprint.post("/agent/answers/<answer_id>/propose")
def propose(answer_id: str) -> Response:
    """Propose the answer's question, with what readers said of the answer."""
    opened = services().answer(answer_id, current_reader())
    if not isinstance(opened, StoredAnswer):
        abort(404)
    votes = [vote for vote in services().feedback.on(answer_id, current_reader()) if not vote.good]
    answer = opened.answer
    origin = "reader" if votes else "agent"
    services().golden.propose(answer.collection, answer.question, origin, answer_id, note=_note(votes))
    return redirect(url_for("agent_answer.show", answer_id=answer_id, proposed=1) + "#votes", 303)


def _note(votes: Sequence[Vote]) -> str:
    """What was said, a line each."""
    said = (": ".join(filter(None, (vote.reason, vote.words))) for vote in votes)
    return "\n".join(line for line in said if line)
