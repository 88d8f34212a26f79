"""Asking: the question box of each collection, and the one place that takes questions."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.answering.model import Followed
from webapp.core.answering.question import MAX_CHARACTERS, InvalidQuestion, QuestionProblem
from webapp.pages.customer.answer import answer_block
from webapp.pages.customer.box import open_desk, question_box
from webapp.services.desk import NO_OPTIONS, Desk
from webapp.services.model import AskOptions, InvalidWish
from webapp.web.access import current_reader
from webapp.web.asker import lasting_asker
from webapp.web.context import home_url, services, title
from webapp.web.htmx import is_htmx, page
from webapp.web.i18n import current_language, gettext, number

blueprint = Blueprint("ask", __name__)

FILTER = "filter-"  # before the name of a filter, in the form


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
    options = _options()
    try:
        options = replace(options, follows=_followed(desk))
        answer = desk.ask(question, current_reader(), options)
    except (InvalidQuestion, InvalidWish) as problem:
        response = _box_page(desk, question, _problem(problem), options)
        response.status_code = 422
        return response
    address = url_for("answer.show", answer_id=answer.id)
    return answer_block(answer.id, address) if is_htmx() else redirect(address, 303)


def _options() -> AskOptions:
    """What the form says beside the question."""
    chosen = {name: value for name, value in request.form.items() if name.startswith(FILTER) and value}
    return AskOptions(
        lang=current_language(),
        once=request.form.get("once") or None,
        asker=lasting_asker(),
        only_lang=request.form.get("only_lang") or None,
        attributes={name.removeprefix(FILTER): value for name, value in chosen.items()},
    )


def _followed(desk: Desk) -> Followed | None:
    answer_id = request.form.get("follows")
    return services().followed(answer_id, desk, current_reader()) if answer_id else None


def _box_page(desk: Desk, question: str = "", error: str = "", options: AskOptions = NO_OPTIONS) -> Response:
    box = question_box(desk, options.attributes)
    return page(
        "customer/ask.html",
        "content",
        box=replace(box, earlier=options.follows, follow=True),
        question=question,
        error=error,
        site_title=title(desk.config),
        home_url=home_url(desk.name),
    )


def _problem(problem: InvalidQuestion | InvalidWish) -> str:
    if isinstance(problem, InvalidWish):
        return gettext("What you chose is not there any more. Please choose again.")
    if problem.code is QuestionProblem.EMPTY:
        return gettext("Please type a question.")
    if problem.code is QuestionProblem.NO_WORDS:
        return gettext("Please ask in words: there is no letter or digit in what you typed.")
    most = number(MAX_CHARACTERS)
    return gettext("Please shorten the question to %(most)s characters.", most=most)
