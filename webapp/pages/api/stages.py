"""Asking, and hearing how far it is: server-sent events for pages and programs. No word of an answer before all of it
is checked."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from flask import Blueprint, Response, abort, stream_with_context, url_for
from flask_babel import lazy_gettext as _l

from webapp.core.answering.model import Answer
from webapp.core.answering.question import InvalidQuestion, checked
from webapp.pages.api.ask import Question, body, wished, written
from webapp.pages.customer.answer_view import wording
from webapp.pages.customer.wording import caution_words, why_words
from webapp.services.aside import in_the_same_place
from webapp.services.desk import Desk
from webapp.services.model import InvalidWish, UnknownCollection
from webapp.web.access import current_reader
from webapp.web.asker import asker, lasting_asker
from webapp.web.context import services
from webapp.web.keys import current_key
from webapp.web.security import csrf

log = logging.getLogger(__name__)

blueprint = Blueprint("stages", __name__, url_prefix="/api/v1")
csrf.exempt(blueprint)  # as for asking: nothing but JSON is taken

Event = tuple[str, Any]  # its name, and what it tells
_MARGIN = 5.0  # seconds before a silent worker would be started afresh
_LATE = _l("No answer came in time. Please try again.")
_OURS = _l("Something went wrong, and the mistake is ours. Please try again.")


@blueprint.post("/ask/stages")
def show() -> Response:
    """Answer a question; the reply begins at once, and says each stage as it begins."""
    asked, reader = body(Question), current_reader()
    try:
        checked(asked.question)
        desk, options = wished(asked, asker() if current_key() else lasting_asker())
    except (UnknownCollection, InvalidWish) as error:
        abort(404, str(error.args[0]))
    except InvalidQuestion as error:
        abort(400, error.message)
    pages = desk.current_count(reader)

    @in_the_same_place
    def work(told: Callable[[str], None]) -> Answer:
        return desk.ask(asked.question, reader, replace(options, told=told))

    def lines() -> Iterator[str]:
        for name, data in told(work, seconds):
            match name:
                case "retrieving":
                    yield _line(name, {"pages": pages})
                case "done":
                    yield _line(name, _done(data, desk, pages))
                case "failed":
                    yield _line(name, {"message": str(data["message"])})
                case _:
                    yield _line(name, data)

    seconds = max(services().settings.request_seconds - _MARGIN, 1.0)
    events = stream_with_context(lines())
    return Response(events, mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})


def _done(answer: Answer, desk: Desk, pages: int) -> dict[str, Any]:
    """An answer, and what is said beside it in the language of whoever asks."""
    return {
        "url": url_for("answer.show", answer_id=answer.id),
        "answer": written(answer, current_reader()),
        "caution": caution_words(answer.caution, answer) if answer.caution else "",
        "why": why_words(answer, pages) if answer.abstained else "",
        "fallback": asdict(wording(desk, "fallback")),
        "contact": asdict(wording(desk, "contact")),
    }


def told(work: Callable[[Callable[[str], None]], Any], seconds: float) -> Iterator[Event]:
    """Yield each stage that the work tells of, then `done` with what it returns, or `failed` and why; within so many
    seconds, whatever the work does."""
    events: SimpleQueue[Event] = SimpleQueue()
    Thread(target=partial(_work, work, events), daemon=True).start()
    until, name = time.monotonic() + seconds, ""
    while name not in ("done", "failed"):
        try:
            name, data = events.get(timeout=max(until - time.monotonic(), 0))
        except Empty:
            name, data = "failed", {"message": _LATE}
        yield name, data


def _work(work: Callable[[Callable[[str], None]], Any], events: SimpleQueue[Event]) -> None:
    try:
        events.put(("done", work(lambda stage: events.put((stage, {})))))
    except InvalidWish as problem:
        events.put(("failed", {"message": str(problem)}))
    except Exception:
        log.exception("a question could not be answered")
        events.put(("failed", {"message": _OURS}))


def _line(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
