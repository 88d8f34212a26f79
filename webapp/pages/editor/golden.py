"""Golden questions: what the answers are measured by. Listed, brought in and out, proposed by readers and agents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from webapp.core.evaluation.labels import CheckedQuestion
from webapp.core.evaluation.questions_file import QuestionsFile
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.wording import language_name
from webapp.pages.editor.golden_view import Filters, Labeller, QuestionView, language_of, trouble_words
from webapp.pages.editor.paging import page_number, pages
from webapp.services.closed import closed_to
from webapp.services.desk import Desk
from webapp.services.golden import BroughtIn, GoldenProblem
from webapp.services.model import StoredAnswer
from webapp.store.proposals import Proposal
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.desk_page import desk_page
from webapp.web.i18n import gettext as _
from webapp.web.i18n import ngettext
from webapp.web.printable import printable

blueprint = Blueprint("golden", __name__)

_SIZE = 20  # on a page
_MOST_PROPOSALS = 10_000  # that are looked at
_NAMED = 20  # lines that can't be used and are named


@blueprint.get("/admin/evaluation/questions")
def show() -> Response:
    """List the questions, those whose labels no longer hold first and apart."""
    return _list(open_desk(request.args.get("collection")))


@blueprint.get("/admin/evaluation/questions/export")
def export() -> Response:
    """Give the golden file as it is, less the questions whose labels are in pages that are closed to the reader."""
    desk = open_desk(request.args.get("collection"))
    try:
        text = _open_part(services().golden.file(desk.name), desk).text
    except GoldenProblem as problem:
        return _list(desk, problem=problem)
    response = Response(text, mimetype="application/jsonl")
    response.headers["Content-Disposition"] = 'attachment; filename="golden.jsonl"'
    return response


def _open_part(file: QuestionsFile, desk: Desk) -> QuestionsFile:
    hidden = {one.id for one in services().golden.kept_from(desk.name, current_reader())}
    for line in reversed(file.lines):
        if line.question and line.question.id in hidden:
            file = file.without(line.number)
    return file


@blueprint.post("/admin/evaluation/questions/import")
def bring_in() -> ResponseReturnValue:
    """Add the questions of a file or of pasted lines: all of them, or none."""
    desk = open_desk(request.form.get("collection"))
    file, typed = request.files.get("file"), request.form.get("text", "")
    replace = request.form.get("known") == "replace"
    try:
        text = file.stream.read().decode("utf-8") if file and file.filename else typed
        done = services().golden.bring_in(desk.name, text, replace)
    except UnicodeDecodeError:
        return _list(desk, wrong=_("This file is not UTF-8 text. Save it as UTF-8 and bring it in again."))
    except GoldenProblem as problem:
        return _list(desk, problem=problem, typed=typed)
    if done == BroughtIn():
        return _list(desk, wrong=_("There was no question in it. Give a file, or paste lines of one."))
    said = {name: getattr(done, name) or None for name in ("added", "replaced", "same", "left")}
    return redirect(url_for("golden.show", collection=desk.name, **said), 303)


@blueprint.post("/admin/evaluation/questions/line")
def line() -> ResponseReturnValue:
    """Remove a line of the golden file, or put another one in its place."""
    desk = open_desk(request.form.get("collection"))
    given, mark = request.form.get("line", ""), request.form.get("mark", "")
    number = int(given) if given.isdecimal() and len(given) < 9 else 0
    mends = request.form.get("do") == "mend"
    try:
        if mends:
            services().golden.mend(desk.name, number, mark, request.form.get("text", ""))
        else:
            services().golden.remove(desk.name, number, mark)
    except GoldenProblem as problem:
        return _list(desk, problem=problem)
    return redirect(url_for("golden.show", collection=desk.name, removed=None if mends else 1), 303)


@blueprint.get("/admin/evaluation/proposals")
def proposals() -> Response:
    """List what readers, agents and gaps propose."""
    desk = open_desk(request.args.get("collection"))
    number = page_number()
    first = (number - 1) * _SIZE
    found = list(islice(_open_proposals(desk), first, first + _SIZE + 1))
    return golden_page(
        "editor/golden_proposals.html",
        desk,
        proposals=[replace(one, question=printable(one.question), note=printable(one.note)) for one in found[:_SIZE]],
        dismissed=services().golden.proposal(desk.name, request.args.get("dismissed", "")),
        pages=pages("golden.proposals", number, len(found) > _SIZE, {"collection": desk.name}),
    )


def _open_proposals(desk: Desk) -> Iterator[Proposal]:
    """Yield the proposals, newest first, less those about pages that the reader may not know of."""
    closed = closed_to(current_reader(), desk, services().store).ids
    for one in services().golden.proposals(desk.name, size=_MOST_PROPOSALS)[0]:
        about_closed = (one.label or {}).get("document") in closed
        answer = services().answer(one.answer_id, current_reader()) if one.answer_id else None
        if not about_closed and (not one.answer_id or isinstance(answer, StoredAnswer)):
            yield one


@blueprint.post("/admin/evaluation/proposals")
def settle() -> ResponseReturnValue:
    """Put a proposal aside, or bring it back."""
    desk = open_desk(request.form.get("collection"))
    found = services().golden.proposal(desk.name, request.form.get("proposal", ""))
    if found is None:
        abort(404)
    if request.form.get("back"):
        services().golden.reopen(found.id)
        return redirect(url_for("golden.proposals", collection=desk.name), 303)
    services().golden.dismiss(found.id)
    return redirect(url_for("golden.proposals", collection=desk.name, dismissed=found.id), 303)


def golden_page(template: str, desk: Desk, **values: Any) -> Response:
    """Render a page about golden questions."""
    return desk_page(template, desk, waiting=services().golden.waiting(desk.name), **values)


def _list(desk: Desk, problem: GoldenProblem | None = None, wrong: str = "", typed: str = "") -> Response:
    """Show the list; what was wrong with a form that was sent stands above it."""
    try:
        file = services().golden.file(desk.name)
        hidden = {one.id for one in services().golden.kept_from(desk.name, current_reader())}
        checked = [one for one in services().golden.checked(desk.name) if one.question.id not in hidden]
    except GoldenProblem as unreadable:
        return _answer(golden_page("editor/golden_unreadable.html", desk, words=trouble_words(unreadable)), 422)
    filters, number = Filters.from_query(request.args), page_number()
    wanted = filters.of(checked, desk.config)
    first = (number - 1) * _SIZE
    query = {"collection": desk.name, **filters.as_query()}
    response = golden_page(
        "editor/golden.html",
        desk,
        questions=_views(desk, file, wanted[first : first + _SIZE]),
        count=len(wanted),
        whole=len(checked),
        broken=sum(one.broken for one in checked),
        unusable=[(one, printable(one.text)) for one in file.problems[:_NAMED]],
        filters=filters,
        in_languages=_languages(desk, checked),
        done=_done_words(),
        removed="removed" in request.args,
        wrong=wrong or (trouble_words(problem) if problem else ""),
        wrong_lines=problem.lines[:_NAMED] if problem else (),
        typed=printable(typed),
        pages=pages("golden.show", number, len(wanted) > first + _SIZE, query),
    )
    return _answer(response, 422 if wrong or problem else 200)


def _views(desk: Desk, file: QuestionsFile, checked: Sequence[CheckedQuestion]) -> list[QuestionView]:
    labeller = Labeller(desk, services().golden.searcher(desk.name))
    marks = {line.question.id: line.mark for line in file.lines if line.question}
    return [labeller.question(one, marks[one.question.id]) for one in checked]


def _languages(desk: Desk, checked: Sequence[CheckedQuestion]) -> list[tuple[str, str]]:
    found = {language_of(one.question, desk.config) for one in checked}
    return [(lang, language_name(lang)) for lang in sorted(found)]


def _answer(response: Response, code: int) -> Response:
    response.status_code = code
    return response


def _done_words() -> list[str]:
    """Say what bringing in did, as the address tells it."""

    def count(name: str) -> int:
        given = request.args.get(name, "")
        return int(given) if given.isdecimal() and len(given) < 9 else 0

    said = [
        (count("added"), ngettext("%(count)s question is new.", "%(count)s questions are new.", count("added"))),
        (count("replaced"), ngettext("%(count)s was replaced.", "%(count)s were replaced.", count("replaced"))),
        (count("same"), ngettext("%(count)s was here already.", "%(count)s were here already.", count("same"))),
        (
            count("left"),
            ngettext(
                "%(count)s was left out: another question has its id.",
                "%(count)s were left out: other questions have their ids.",
                count("left"),
            ),
        ),
    ]
    return [words for number, words in said if number]
