"""The answers that were given: looked through and searched. Where agents begin."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, request, url_for

from webapp.core.answering.model import Answer
from webapp.pages.agent.history_form import form, read_search, search_address
from webapp.pages.customer.wording import why_words
from webapp.store.finding import Found
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
    cited: tuple[tuple[str, str], ...]  # titles and languages of the documents
    up: int
    down: int


@blueprint.get("/agent/")
@blueprint.get("/agent/answers")
def answers() -> Response:
    """List the answers that are looked for and that this reader may open."""
    search, reader = read_search(request.args), current_reader()
    beyond, back = _place(request.args.get("from", "")), "back" in request.args
    found = services().history.page(search, reader, beyond, back)
    here = search_address(request.args)
    return page(
        "agent/answers.html",
        "content",
        rows=[_row(one) for one in found.found],
        form=form(request.args),
        searched=bool(here),
        before=url_for("agent.answers", **here | {"from": found.before, "back": 1}) if found.before else "",
        after=url_for("agent.answers", **here | {"from": found.after}) if found.after else "",
        as_csv=url_for("history_export.csv_file", **here),
        as_lines=url_for("history_export.lines_file", **here),
    )


def _place(given: str) -> int | None:
    """Read the place in the address; what can't be read is the begin of the list."""
    return int(given) if given.isdecimal() and len(given) < 19 else None


def _row(one: Found) -> Row:
    answer = one.answer
    return Row(
        answer,
        url_for("agent_answer.show", answer_id=answer.id),
        _outcome(answer),
        tuple(dict.fromkeys((citation.title, citation.lang) for citation in answer.citations)),
        one.up,
        one.down,
    )


def _outcome(answer: Answer) -> str:
    if not answer.abstained:
        return gettext("answered")
    pages = services().desk(answer.collection).current_count(current_reader())
    return gettext("no answer: %(reason)s", reason=why_words(answer, pages).rstrip(".।"))  # more follows on the line
