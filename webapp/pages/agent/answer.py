"""One answer, verified: what the customer saw, its sources then and now, how it was made, the same question today."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, abort, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.answering.model import Answer, Citation
from webapp.core.documents.differences import compare_words
from webapp.core.documents.language import detect_language
from webapp.pages.agent.answer_journey import Journey, view_journey
from webapp.pages.agent.answer_sources import StaffSource, view_sources
from webapp.pages.agent.answer_words import difference_words, lines_digits, place_words, role_words, share
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.answer_view import AnswerView, view_answer
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.wording import why_words
from webapp.services.again import Again, Difference, ask_again
from webapp.services.desk import Desk
from webapp.services.editions import cited_pages
from webapp.services.model import Gone, Record, StoredAnswer
from webapp.store.feedback import Vote
from webapp.web.access import current_reader
from webapp.web.context import home_url, services, title
from webapp.web.htmx import page
from webapp.web.i18n import gettext
from webapp.web.source_view import Piece, pieces

log = logging.getLogger(__name__)
blueprint = Blueprint("agent_answer", __name__)
blueprint.add_app_template_filter(share, "share")
blueprint.add_app_template_global(lines_digits)
blueprint.add_app_template_global(place_words)

_MOST_WORDS = 2_000  # characters of a note


@dataclass(frozen=True, slots=True)
class StaffView:
    """All that the page shows. `view` is the customer's."""

    view: AnswerView
    record: Record
    collection: str
    asker: str
    sources: tuple[StaffSource, ...]
    journey: Journey
    copy: str  # every citation as text


@dataclass(frozen=True, slots=True)
class TodaysSource:
    """A source of today's answer."""

    citation: Citation
    url: str


@dataclass(frozen=True, slots=True)
class AgainView:
    """The same question today, beside what was said then. Pieces that are marked are what differs."""

    words: str
    same: bool
    closed: bool
    answer: Answer
    lang: str
    then: tuple[Piece, ...]
    now: tuple[Piece, ...]
    sources: tuple[TodaysSource, ...]


@blueprint.get("/agent/answers/<answer_id>")
def show(answer_id: str) -> Response:
    """Show all that is kept about an answer to staff who may see every document it cites."""
    stored = _opened(answer_id)
    return _page(stored) if isinstance(stored, StoredAnswer) else _gone(stored)


@blueprint.post("/agent/answers/<answer_id>/again")
def again(answer_id: str) -> Response:
    """Ask the question again on the live index, keep nothing, and show what differs."""
    stored = _opened(answer_id)
    if isinstance(stored, Gone):
        return _gone(stored)
    desk, record = open_desk(stored.answer.collection), _record(answer_id)
    return _page(stored, _again_view(desk, stored.answer, ask_again(desk, record, current_reader())))


@blueprint.post("/agent/answers/<answer_id>/golden")
def golden(answer_id: str) -> BaseResponse:
    """Propose the question for the golden set: the first cited lines as its label, what readers minded in its note."""
    answer = _answer(answer_id)
    first = answer.citations[0] if answer.citations else None
    against = [vote for vote in services().feedback.on(answer_id, current_reader()) if not vote.good]
    note = "\n".join(filter(None, (_note(), *map(_minded, against))))
    return _proposed(answer, _label(first) if first else None, note, "golden", "reader" if against else "agent")


@blueprint.post("/agent/answers/<answer_id>/report")
def report(answer_id: str) -> BaseResponse:
    """Tell the editors which of the cited pages is wrong."""
    answer = _answer(answer_id)
    wrong = next((one for one in answer.citations if str(one.marker) == request.form.get("marker")), None)
    if wrong is None:
        abort(400)
    place = f"{wrong.title} ({wrong.document_id}), {wrong.heading}, {place_words(wrong.first_line, wrong.last_line)}"
    note = gettext("Reported as wrong: %(place)s", place=place)
    return _proposed(answer, None, "\n".join(filter(None, (note, _note()))), "report")


def _opened(answer_id: str) -> StoredAnswer | Gone:
    stored = services().answer(answer_id, current_reader())
    if stored is None:
        abort(404)
    return stored


def _answer(answer_id: str) -> Answer:
    stored = _opened(answer_id)
    if isinstance(stored, Gone):
        abort(410)
    return stored.answer


def _record(answer_id: str) -> Record:
    record = services().record(answer_id, current_reader())
    if record is None:  # erased a moment ago
        abort(404)
    return record


def _label(cited: Citation) -> dict[str, object]:
    return {"document": cited.document_id, "lines": [cited.first_line, cited.last_line]}


def _note() -> str:
    return request.form.get("note", "").strip()[:_MOST_WORDS]


def _minded(vote: Vote) -> str:
    return ": ".join(filter(None, (vote.reason, vote.words)))


def _proposed(
    answer: Answer, label: dict[str, object] | None, note: str, done: str, origin: str = "agent"
) -> BaseResponse:
    services().golden.propose(answer.collection, answer.question, origin, answer.id, label, note)
    return redirect(url_for("agent_answer.show", answer_id=answer.id, done=done), 303)


def _page(stored: StoredAnswer, today: AgainView | None = None) -> Response:
    desk = open_desk(stored.answer.collection)
    response = page(
        "agent/answer.html",
        "again" if today else "content",
        staff=_staff_view(stored, desk),
        again=today,
        done=request.args.get("done", ""),
        votes=services().feedback.on(stored.answer.id, current_reader()),
        answer_id=stored.answer.id,
        site_title=title(desk.config),
        home_url=home_url(desk.name),
    )
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _gone(gone: Gone) -> Response:
    response = page("agent/answer_gone.html", "content", why=gone.why, at=gone.at)
    response.status_code = 410
    return response


def _staff_view(stored: StoredAnswer, desk: Desk) -> StaffView:
    view = view_answer(stored, desk)
    record = view.record or _record(stored.answer.id)
    sources = view_sources(desk, stored.answer, view.cards, cited_pages(desk, services().store, record))
    return StaffView(
        view=view,
        record=record,
        collection=title(desk.config),
        asker=_asker_words(record),
        sources=sources,
        journey=view_journey(desk, record),
        copy="\n\n".join(source.copy for source in sources),
    )


def _asker_words(record: Record) -> str:
    words = role_words(record.reader_role)
    if not record.reader_groups:
        return words
    return gettext("%(role)s of %(groups)s", role=words, groups=", ".join(sorted(record.reader_groups)))


def _again_view(desk: Desk, given: Answer, found: Again) -> AgainView:
    now = found.answer
    old, new = _said(desk, given), "" if found.closed else _said(desk, now)
    marks = compare_words(old, new) if new else ((), ())
    return AgainView(
        words=difference_words(found.differs),
        same=found.differs is Difference.SAME,
        closed=found.closed,
        answer=now,
        lang=detect_language(new, (now.lang, *desk.config.languages)) if new else now.lang,
        then=pieces(old, 0, marks[0]),
        now=pieces(new, 0, marks[1]),
        sources=tuple(_todays(desk, now.citations)),
    )


def _said(desk: Desk, answer: Answer) -> str:
    """The answer's words, or why there was none."""
    return why_words(answer, desk.current_count(current_reader())) if answer.abstained else answer.answer


def _todays(desk: Desk, citations: Sequence[Citation]) -> list[TodaysSource]:
    found = []
    for one in citations:
        lines = f"{one.first_line}-{one.last_line}" if one.last_line > one.first_line else f"{one.first_line}"
        url = f"{source_url(desk.name, one.document_id, lines=lines)}#L{one.first_line}"
        found.append(TodaysSource(one, url))
    return found
