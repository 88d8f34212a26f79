"""One golden question: its words, whether it can be answered, and the lines that answer it, chosen in the source."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from pydantic import ValidationError

from webapp.core.documents.lines import fold
from webapp.core.documents.model import Document, Status
from webapp.core.evaluation.labels import check_label, check_questions, label_of
from webapp.core.evaluation.questions import Label, Question
from webapp.core.evaluation.questions_file import FileLine
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.wording import language_name
from webapp.pages.editor.chosen_text import pages as pages_for
from webapp.pages.editor.golden import golden_page
from webapp.pages.editor.golden_view import Labeller, new_id, trouble_words
from webapp.services.desk import Desk
from webapp.services.golden import GoldenProblem, GoldenTrouble
from webapp.store.proposals import Proposal
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.i18n import gettext as _
from webapp.web.printable import printable
from webapp.web.source_view import numbered_lines, window

blueprint = Blueprint("golden_edit", __name__)

WINDOW = 300  # lines of a page that are shown at once
MOST_LINES = 60  # of a label: the place that answers, not the page around it


@dataclass(frozen=True, slots=True)
class Typed:
    """A question as it stands in the form or the address. `id` "" is a new one; `mark` is of the line it replaces."""

    id: str = ""
    mark: str = ""
    question: str = ""
    lang: str = ""
    answerable: bool = True
    place: int = 0  # the label that is being chosen
    document: str = ""
    proposal: str = ""

    @classmethod
    def from_request(cls, given: Mapping[str, str]) -> Typed:
        """Read it from a form or an address."""
        place = given.get("place", "")
        names = ("id", "mark", "lang", "document", "proposal")
        return cls(
            **{name: given.get(name, "") for name in names},
            question=printable(fold(given.get("question", ""))),
            answerable=given.get("answerable", "yes") == "yes",
            place=int(place) if place.isdecimal() and len(place) < 4 else 0,
        )

    def as_query(self) -> dict[str, Any]:
        """Return what the page of lines needs to know, as its address and its form carry it."""
        names = ("id", "mark", "question", "lang", "place", "document", "proposal")
        return {name: value for name in names if (value := getattr(self, name)) != ""}


@blueprint.get("/admin/evaluation/questions/edit")
def show() -> Response:
    """Show a question, or an empty form; one that is proposed stands in it already."""
    desk = open_desk(request.args.get("collection"))
    if request.args.get("id"):
        try:
            line = _line(desk, request.args["id"])
        except GoldenProblem:
            abort(404)
        return _form(desk, _typed_from(line), line)
    proposal = services().golden.proposal(desk.name, request.args.get("proposal", ""))
    return _form(desk, _typed_from_proposal(proposal) if proposal else Typed.from_request(request.args))


@blueprint.post("/admin/evaluation/questions/edit")
def save() -> ResponseReturnValue:
    """Keep a question; or go on to choosing the lines of one of its places, or leave one of them out."""
    desk = open_desk(request.form.get("collection"))
    typed = Typed.from_request(request.form)
    try:
        line = _line(desk, typed.id) if typed.id else None
    except GoldenProblem as problem:
        return _gone(desk, typed, problem)
    if not typed.question:
        return _form(desk, typed, line, wrong=_("Type the question."))
    labels = line.question.labels if line and line.question else ()
    act, _colon, number = request.form.get("do", "save").partition(":")
    place = int(number) if number.isdecimal() and len(number) < 4 else len(labels)
    if act == "drop":
        labels = (*labels[:place], *labels[place + 1 :])
    if act == "pick" or (typed.answerable and not labels):
        query = replace(typed, place=place).as_query() | _known_lines(desk, typed, labels[place : place + 1])
        return redirect(url_for("golden_edit.lines", collection=desk.name, **query), 303)
    return _keep(desk, typed, labels if typed.answerable else (), line)


@blueprint.get("/admin/evaluation/questions/lines")
def lines() -> Response:
    """Show a page's lines, to choose those that answer the question."""
    desk = open_desk(request.args.get("collection"))
    return _lines(desk, Typed.from_request(request.args))


@blueprint.post("/admin/evaluation/questions/lines")
def label() -> ResponseReturnValue:
    """Keep the lines that were chosen as one of the question's places."""
    desk = open_desk(request.form.get("collection"))
    typed = Typed.from_request(request.form)
    try:
        line = _line(desk, typed.id) if typed.id else None
    except GoldenProblem as problem:
        return _gone(desk, typed, problem)
    try:
        chosen = _chosen(_page_of(desk, typed.document), request.form)
    except ValueError as problem:
        return _lines(desk, typed, str(problem))
    labels = line.question.labels if line and line.question else ()
    if line and line.question and not typed.question:
        typed = replace(typed, question=line.question.question, lang=line.question.lang or "")
    if not typed.question:
        return _form(desk, typed, wrong=_("Type the question."))
    return _keep(desk, typed, (*labels[: typed.place], chosen, *labels[typed.place + 1 :]), line)


def _keep(desk: Desk, typed: Typed, labels: tuple[Label, ...], line: FileLine | None) -> ResponseReturnValue:
    golden = services().golden
    try:
        taken = [one.id for one in golden.file(desk.name).questions]
        question = Question(
            id=typed.id or new_id(typed.question, taken),
            question=typed.question,
            answerable=bool(labels),
            labels=labels,
            lang=typed.lang or None,
        )
        golden.put(desk.name, question, typed.id or None, typed.mark)
    except GoldenProblem as problem:
        return _form(desk, typed, line, trouble=trouble_words(problem))
    if typed.proposal and golden.proposal(desk.name, typed.proposal):
        golden.take(typed.proposal)
    return redirect(url_for("golden_edit.show", collection=desk.name, id=question.id, kept=1), 303)


def _chosen(document: Document, form: Mapping[str, str]) -> Label:
    """Return the label of the lines that were chosen. Raises ValueError, in the reader's words."""
    first, last = (form.get(name, "").strip() for name in ("first", "last"))
    last = last or first
    if not (first.isdecimal() and last.isdecimal()) or len(first + last) > 16:
        raise ValueError(_("Give the first line and the last, as numbers."))
    if not 0 <= int(last) - int(first) < MOST_LINES:
        raise ValueError(_("Choose up to 60 lines, the first one first: those that answer, not the page around them."))
    try:
        return label_of(document, int(first), int(last), form.get("fact", ""))
    except ValueError:
        words = _("These words don't stand in these lines.") if form.get("fact", "").strip() else ""
        raise ValueError(
            words or _("These lines say nothing: choose lines of the text, below the page's head.")
        ) from None


def _known_lines(desk: Desk, typed: Typed, label: tuple[Label, ...]) -> dict[str, Any]:
    """Return what is known already of the lines to be chosen: where the label points, or what was proposed."""
    if label:
        document = next((one for one in desk.files().documents if one.id == label[0].document), None)
        place = check_label(label[0], document).place
        return {"document": place.document_id, "first": place.first_line, "last": place.last_line} if place else {}
    proposal = services().golden.proposal(desk.name, typed.proposal)
    known = (proposal.label if proposal else None) or {}
    with suppress(ValidationError):  # what is proposed may be known by half
        proposed = Label.model_validate({name: known.get(name) for name in ("document", "lines")})
        if proposed.document == typed.document and proposed.lines:
            return {"first": proposed.lines[0], "last": proposed.lines[1]}
    return {}


def _line(desk: Desk, question_id: str) -> FileLine:
    """Return the line that is the question. Raises GoldenProblem."""
    found = services().golden.file(desk.name).find(question_id)
    hidden = services().golden.kept_from(desk.name, current_reader())
    if found is None or found.question in hidden:
        raise GoldenProblem(GoldenTrouble.GONE)
    return found


def _gone(desk: Desk, typed: Typed, problem: GoldenProblem) -> Response:
    """Say that the question which was open is there no more; what was typed may become a new one."""
    return _form(desk, replace(typed, id="", mark=""), trouble=trouble_words(problem))


def _typed_from(line: FileLine) -> Typed:
    question = line.question
    assert question
    return Typed(question.id, line.mark, printable(question.question), question.lang or "", question.answerable)


def _typed_from_proposal(proposal: Proposal) -> Typed:
    label = proposal.label or {}
    document = label.get("document")
    return Typed(
        question=proposal.question, proposal=proposal.id, document=document if isinstance(document, str) else ""
    )


def _form(desk: Desk, typed: Typed, line: FileLine | None = None, wrong: str = "", trouble: str = "") -> Response:
    golden = services().golden
    view = None
    if line and line.question:
        [checked] = check_questions([line.question], desk.files().documents)
        view = Labeller(desk, golden.searcher(desk.name)).question(checked, line.mark)
    response = golden_page(
        "editor/golden_edit.html",
        desk,
        typed=typed,
        view=view,
        line=line,
        wrong=wrong,
        trouble=trouble,
        kept="kept" in request.args and not (wrong or trouble),
        listed=_listed(desk),
        in_languages=[(lang, language_name(lang)) for lang in desk.config.languages],
    )
    response.status_code = 422 if wrong or trouble else 200
    return response


def _listed(desk: Desk) -> list[tuple[str, str]]:
    """The pages that can answer, for a list to choose from."""
    current = (one for one in pages_for(desk.files(), current_reader()) if one.status is Status.CURRENT)
    return [(one.id, f"{one.title} · {one.id}") for one in current]


def _page_of(desk: Desk, document_id: str) -> Document:
    """The page of that id; one the reader may not see counts as none. Raises ValueError, in the reader's words."""
    seen = pages_for(desk.files(), current_reader())
    found = next((one for one in seen if one.id == document_id and one.status is Status.CURRENT), None)
    if found is None:
        raise ValueError(_("There is no such current page; choose one from the list."))
    return found


def _lines(desk: Desk, typed: Typed, wrong: str = "") -> Response:
    given = {name: request.values.get(name, "") for name in ("first", "last", "fact", "from")}
    document = None
    try:
        document = _page_of(desk, typed.document) if typed.document else None
    except ValueError as problem:
        wrong = str(problem)
    chosen = _range(given["first"], given["last"])
    shown = window(_start(given["from"], chosen), len(document.line_starts), WINDOW) if document else None
    response = golden_page(
        "editor/golden_lines.html",
        desk,
        typed=typed,
        document=document,
        shown=numbered_lines(document.text, [chosen] if chosen else [], (), shown) if document else (),
        window=shown,
        given=given,
        wrong=wrong,
        listed=_listed(desk),
    )
    response.status_code = 422 if wrong else 200
    return response


def _range(first: str, last: str) -> tuple[int, int] | None:
    if not first.isdecimal() or len(first) > 8:
        return None
    end = int(last) if last.isdecimal() and len(last) <= 8 else int(first)
    return (int(first), end) if int(first) <= end else None


def _start(given: str, chosen: tuple[int, int] | None) -> int:
    """The first line shown: the one asked for, else one from which those chosen can be seen."""
    if given.isdecimal() and len(given) <= 8:
        return int(given)
    return chosen[0] - 20 if chosen and chosen[0] > WINDOW else 1
