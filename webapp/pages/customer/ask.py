"""Asking: the question box of each collection, and the one place that takes questions."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.answering.question import MAX_CHARACTERS, InvalidQuestion, QuestionProblem
from webapp.pages.customer.answer import answer_block
from webapp.pages.customer.box import open_desk, question_box
from webapp.services.desk import Desk
from webapp.services.model import AskOptions
from webapp.web.access import current_reader
from webapp.web.context import home_url, title
from webapp.web.htmx import is_htmx, page
from webapp.web.i18n import current_language, gettext, number

blueprint = Blueprint("ask", __name__)


@blueprint.get("/")
@blueprint.get("/c/<collection>/")
def box(collection: str | None = None) -> Response:
    """Show the question box."""
    return _box_page(open_desk(collection))


@blueprint.post("/ask")
def ask() -> BaseResponse:
    """Answer the question and lead to the answer's own page; htmx gets its block at once."""
    desk = open_desk(request.form.get("collection") or None)
    question = request.form.get("question", "")
    options = AskOptions(lang=current_language(), once=request.form.get("once") or None)
    try:
        answer = desk.ask(question, current_reader(), options)
    except InvalidQuestion as problem:
        response = _box_page(desk, question, _problem(problem))
        response.status_code = 422
        return response
    address = url_for("answer.show", answer_id=answer.id)
    return answer_block(answer.id, address) if is_htmx() else redirect(address, 303)


def _box_page(desk: Desk, question: str = "", error: str = "") -> Response:
    return page(
        "customer/ask.html",
        "content",
        box=question_box(desk),
        question=question,
        error=error,
        site_title=title(desk.config),
        home_url=home_url(desk.name),
    )


def _problem(problem: InvalidQuestion) -> str:
    if problem.code is QuestionProblem.EMPTY:
        return gettext("Please type a question.")
    if problem.code is QuestionProblem.NO_WORDS:
        return gettext("Please ask in words: there is no letter or digit in what you typed.")
    most = number(MAX_CHARACTERS)
    return gettext("Please shorten the question to %(most)s characters.", most=most)
