"""Erasing an answer, or all that whoever asked for it has asked: for admins, who are asked once."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.services.model import StoredAnswer
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.htmx import page

blueprint = Blueprint("history_erase", __name__)


@blueprint.get("/agent/answers/<answer_id>/erase")
def show(answer_id: str) -> Response:
    """Ask what is to be erased."""
    opened = _opened(answer_id)
    asker = services().history.asker_of(answer_id, current_reader())
    return page(
        "agent/erase.html",
        "content",
        answer=opened.answer,
        url=url_for("agent_answer.show", answer_id=answer_id),
        count=services().history.count_asked_by(asker) if asker else 0,
    )


@blueprint.post("/agent/answers/<answer_id>/erase")
def erase(answer_id: str) -> BaseResponse:
    """Erase it, or with `all` everything by the same asker; the answer's own page then says that it is gone."""
    _opened(answer_id)
    asker = services().history.asker_of(answer_id, current_reader()) if "all" in request.form else None
    if asker:
        services().history.erase_all_of(asker)
    else:
        services().history.erase(answer_id)
    return redirect(url_for("answer.show", answer_id=answer_id), 303)


def _opened(answer_id: str) -> StoredAnswer:
    opened = services().answer(answer_id, current_reader())
    return opened if isinstance(opened, StoredAnswer) else abort(404)
