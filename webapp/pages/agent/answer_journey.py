"""The stages an answer went through, each with its verdict, its time and its detail: for staff."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from webapp.core.answering.model import Check, ModelRequest, RetrievedChunk
from webapp.core.documents.model import Status
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.engine import IndexProblem
from webapp.core.retrieval.model import Query, Reader, Role
from webapp.pages.agent.answer_words import (
    check_words,
    left_out_words,
    lines_digits,
    passed_over_words,
    place_words,
    share,
    signal_words,
    verdict_words,
)
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.wording import status_words
from webapp.services.desk import Desk
from webapp.services.model import Record
from webapp.services.search import Passed, passed_over
from webapp.web.access import current_reader
from webapp.web.i18n import gettext, ngettext, number

_TIMES = {
    "found": ("read", "retrieve"),
    "enough": ("sufficiency",),
    "prompt": ("prompt",),
    "reply": ("model",),
    "checks": ("reply", "citations", "support"),
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage in one line. `outcome`: passed, failed, or not_reached."""

    name: str
    title: str
    outcome: str
    verdict: str
    milliseconds: float | None


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A retrieved passage: its place, what each search thought of it, and whether it was sent (else why not)."""

    rank: str
    chunk: RetrievedChunk
    lang: str  # "" where the page is no longer there
    lines: str
    url: str
    sent: bool
    why: str


@dataclass(frozen=True, slots=True)
class PassedPage:
    """A page or passage that was left out, and why."""

    title: str
    lang: str
    lines: str
    url: str
    why: str


@dataclass(frozen=True, slots=True)
class ShownCheck:
    """A check and how it came out."""

    words: str
    outcome: str
    verdict: str
    detail: str


@dataclass(frozen=True, slots=True)
class Journey:
    """All stages, with what their details show."""

    stages: tuple[Stage, ...]
    passages: tuple[FoundPassage, ...]
    duplicates: tuple[PassedPage, ...]
    passed_over: tuple[PassedPage, ...]
    figures: tuple[tuple[str, str], ...]  # what the probability was judged from
    prompt: ModelRequest | None
    prompt_hash: str
    raw_reply: str
    tokens: str
    checks: tuple[ShownCheck, ...]
    total: float  # milliseconds
    same_as: str  # the answer that all this was made for, when it was another one


def view_journey(desk: Desk, record: Record) -> Journey:
    """Prepare what the current reader sees of how an answer was made."""
    trace = record.trace
    return Journey(
        stages=tuple(_stages(record)),
        passages=tuple(_passages(desk, record)),
        duplicates=tuple(_duplicates(desk, record)),
        passed_over=tuple(_passed(desk, one) for one in _passed_over(desk, record)),
        figures=tuple((signal_words(name), number(round(value, 3))) for name, value in trace.signals.items()),
        prompt=trace.prompt,
        prompt_hash=trace.prompt_hash,
        raw_reply=trace.raw_reply,
        tokens=_tokens(record),
        checks=tuple(map(_check, trace.checks)),
        total=sum(trace.milliseconds.values()),
        same_as=trace.same_as,
    )


def _stages(record: Record) -> Iterator[Stage]:
    made = {
        "found": (gettext("Found"), *_found(record)),
        "enough": (gettext("Enough?"), *_enough(record)),
        "prompt": (gettext("Prompt"), *_prompt(record)),
        "reply": (gettext("Reply"), *_reply(record)),
        "checks": (gettext("Checks"), *_checks(record)),
    }
    times = record.trace.milliseconds
    for name, (title, outcome, verdict) in made.items():
        taken = [times[stage] for stage in _TIMES[name] if stage in times]
        yield Stage(name, title, outcome, verdict, round(sum(taken), 1) if taken else None)


def _found(record: Record) -> tuple[str, str]:
    count = len(record.answer.retrieved)
    words = ngettext("%(count)s passage", "%(count)s passages", count) if count else gettext("nothing")
    return "passed" if count else "failed", words


def _enough(record: Record) -> tuple[str, str]:
    given, limit = share(record.answer.probability), record.trace.limits.get("threshold")
    figures = gettext("%(share)s, limit %(limit)s", share=given, limit=share(limit)) if limit is not None else given
    if "prompt" in record.trace.milliseconds:
        return "passed", gettext("yes: %(figures)s", figures=figures)
    return "failed", gettext("no: %(figures)s", figures=figures)


def _prompt(record: Record) -> tuple[str, str]:
    if "prompt" not in record.trace.milliseconds:
        return "not_reached", gettext("not made")
    sent, found = sum(chunk.sent for chunk in record.answer.retrieved), len(record.answer.retrieved)
    if sent < found:
        words = gettext("%(sent)s of %(found)s passages sent", sent=number(sent), found=number(found))
        return "passed", words
    return "passed", ngettext("%(count)s passage sent", "%(count)s passages sent", sent)


def _reply(record: Record) -> tuple[str, str]:
    if "model" not in record.trace.milliseconds:
        return "not_reached", gettext("the model was not called")
    if "reply" not in record.trace.milliseconds:
        return "failed", gettext("none came from %(model)s", model=record.answer.model)
    return "passed", record.answer.model


def _checks(record: Record) -> tuple[str, str]:
    if "reply" not in record.trace.milliseconds:
        return "not_reached", gettext("not made")
    failed = next((one for one in record.trace.checks if one.verdict == "failed"), None)
    if failed:
        return "failed", gettext("failed: %(check)s", check=check_words(failed.name))
    if record.answer.abstained:
        return "failed", gettext("failed")
    return "passed", gettext("all passed")


def _passages(desk: Desk, record: Record) -> Iterator[FoundPassage]:
    whys = {one.chunk_id: one.why for one in record.trace.left_out}
    shelf = desk.shelf(current_reader())
    for place, chunk in enumerate(record.answer.retrieved, start=1):
        why = left_out_words(whys[chunk.chunk_id]) if chunk.chunk_id in whys else ""
        entry = shelf.entry(chunk.document_id)
        yield FoundPassage(
            rank=number(place),
            chunk=chunk,
            lang=entry.lang if entry else "",
            lines=lines_digits(chunk.first_line, chunk.last_line),
            url=_lines_url(desk, chunk.document_id, chunk.first_line, chunk.last_line),
            sent=chunk.sent,
            why=why,
        )


def _duplicates(desk: Desk, record: Record) -> Iterator[PassedPage]:
    shelf = desk.shelf(current_reader())
    for one in record.trace.left_out:
        entry = shelf.entry(one.document_id) if one.why == "near_duplicate" else None
        if entry:
            url = source_url(desk.name, entry.id)
            yield PassedPage(f"{entry.title} ({one.chunk_id})", entry.lang, "", url, left_out_words(one.why))


def _passed_over(desk: Desk, record: Record) -> tuple[Passed, ...]:
    given = record.answer
    if given.read_as == "":  # it could not be read, so nothing was looked for
        return ()
    asker = Reader(Role(record.reader_role), record.reader_groups or frozenset())
    day = given.created_at.date()
    query = Query(given.read_as or given.question, given.lang, asker, given.only_lang, given.filters, day)
    least = min((chunk.score for chunk in given.retrieved[:3]), default=0.0)
    with suppress(PartUnavailable, IndexProblem):  # a model that can't be had keeps nobody from looking at an answer
        return passed_over(desk, query, current_reader(), least)
    return ()


def _passed(desk: Desk, one: Passed) -> PassedPage:
    document = one.document
    why = status_words(Status(document.status)) if one.why == "status" else passed_over_words(one.why)
    url = _lines_url(desk, document.id, one.first_line, one.last_line)
    return PassedPage(document.title, document.lang, place_words(one.first_line, one.last_line), url, why)


def _lines_url(desk: Desk, document_id: str, first: int, last: int) -> str:
    if not first:
        return source_url(desk.name, document_id)
    lines = f"{first}-{last}" if last > first else f"{first}"
    return f"{source_url(desk.name, document_id, lines=lines)}#L{first}"


def _check(one: Check) -> ShownCheck:
    return ShownCheck(check_words(one.name), one.verdict, verdict_words(one.verdict), one.detail)


def _tokens(record: Record) -> str:
    trace = record.trace
    if not trace.tokens_in and not trace.tokens_out:
        return ""
    sent, got = number(trace.tokens_in), number(trace.tokens_out)
    return gettext("%(sent)s tokens sent, %(got)s received", sent=sent, got=got)
