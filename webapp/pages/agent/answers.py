"""The latest questions with their answers: where agents begin."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, request, url_for

from webapp.core.answering.model import Answer
from webapp.pages.customer.wording import why_words
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.htmx import page
from webapp.web.i18n import gettext

blueprint = Blueprint("agent", __name__)


@dataclass(frozen=True, slots=True)
class Row:
    """One answer in the list."""

    answer: Answer
    url: str
    outcome: str


@blueprint.get("/agent/")
@blueprint.get("/agent/answers")
def answers() -> Response:
    """List the answers that this reader may open, newest first."""
    number = _page_number(request.args.get("page", ""))
    found, more = services().latest(current_reader(), number)
    return page(
        "agent/answers.html",
        "content",
        rows=[_row(answer) for answer in found],
        later=url_for("agent.answers", page=number - 1) if number > 1 else "",
        earlier=url_for("agent.answers", page=number + 1) if more else "",
    )


def _page_number(given: str) -> int:
    """Read the number in the address; what can't be read is the first page."""
    return max(1, int(given)) if given.isdecimal() and len(given) < 7 else 1


def _row(answer: Answer) -> Row:
    return Row(answer, url_for("answer.show", answer_id=answer.id), _outcome(answer))


def _outcome(answer: Answer) -> str:
    if not answer.abstained:
        return gettext("answered")
    pages = services().desk(answer.collection).current_count(current_reader())
    return gettext("no answer: %(reason)s", reason=why_words(answer, pages))
