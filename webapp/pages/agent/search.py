"""Searching pages of every status: for staff, by words and by meaning, filtered, each match with its lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp.core.documents.model import PUBLIC, Status
from webapp.core.retrieval.engine import StoredDocument
from webapp.pages.agent.answer_words import place_words
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.wording import language_name, status_words
from webapp.services.search import PAGE, Choices, Found, Passage, Wanted, search_documents
from webapp.web.access import current_reader
from webapp.web.desk_page import desk_page
from webapp.web.i18n import date, gettext, number
from webapp.web.source_view import Piece, pieces

blueprint = Blueprint("agent_search", __name__)

_MOST_CHARACTERS = 2_000
_KEPT = ("q", "status", "lang_of", "audience", "version", "by")

Options = list[tuple[str, str]]  # value, words


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A match: its heading and lines, the sentence with the searched words marked, and where it opens."""

    heading: str
    lines: str
    pieces: tuple[Piece, ...]
    url: str


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document in the list."""

    title: str
    lang: str
    url: str
    state: tuple[str, ...]
    current: bool
    passages: tuple[ShownPassage, ...]
    by_words: bool
    diff_url: str


@dataclass(frozen=True, slots=True)
class Filters:
    """The choices of each filter."""

    status: Options
    lang: Options
    audience: Options
    version: Options
    by: Options


@blueprint.get("/agent/search")
def show() -> Response:
    """Find pages, or list them all when nothing is typed."""
    desk = open_desk(request.args.get("collection"))
    wanted = _wanted()
    results = search_documents(desk, current_reader(), wanted)
    return desk_page(
        "agent/search.html",
        desk,
        wanted=wanted,
        by="both" if wanted.meaning else "words",
        found=[_shown(desk.name, one) for one in results.found],
        count=results.count,
        only_words=bool(wanted.words and wanted.meaning and not results.meaning),
        filters=_filters(results.choices),
        filtered=any((wanted.status, wanted.lang, wanted.audience, wanted.version)),
        previous=_page_url(desk.name, wanted.page - 1) if wanted.page > 1 else "",
        next=_page_url(desk.name, wanted.page + 1) if wanted.page * PAGE < results.count else "",
    )


def _wanted() -> Wanted:
    """Read the address; what can't be read counts as not given."""
    given = request.args
    status, number_ = given.get("status", ""), given.get("page", "")
    return Wanted(
        words=given.get("q", "").strip()[:_MOST_CHARACTERS],
        status=Status(status) if status in set(Status) else None,
        lang=given.get("lang_of") or None,
        audience=given.get("audience") or None,
        version=given.get("version") or None,
        meaning=given.get("by") != "words",
        page=max(1, int(number_)) if number_.isdecimal() and len(number_) < 6 else 1,
    )


def _page_url(collection: str, number_: int) -> str:
    kept: dict[str, Any] = {name: request.args[name] for name in _KEPT if name in request.args}
    return url_for("agent_search.show", collection=collection, page=number_, **kept)


def _shown(collection: str, found: Found) -> ShownDocument:
    one = found.document
    return ShownDocument(
        title=one.title,
        lang=one.lang,
        url=source_url(collection, one.id),
        state=tuple(_state(one)),
        current=one.status == Status.CURRENT,
        passages=tuple(_passage(collection, passage) for passage in found.passages),
        by_words=found.by_words,
        diff_url=url_for("agent_diff.show", collection=collection, document=one.id),
    )


def _state(one: StoredDocument) -> Iterable[str]:
    if one.version:
        yield gettext("version %(version)s", version=number(one.version))
    yield status_words(Status(one.status))
    yield language_name(one.lang)
    if PUBLIC not in one.audience:
        yield gettext("only for %(groups)s", groups=", ".join(sorted(one.audience)))
    if one.updated:
        yield gettext("changed %(date)s", date=date(one.updated))


def _passage(collection: str, passage: Passage) -> ShownPassage:
    first, last = passage.first_line, passage.last_line
    lines = f"{first}-{last}" if last > first else f"{first}"
    return ShownPassage(
        heading=passage.chunk.location.heading,
        lines=place_words(first, last),
        pieces=pieces(passage.text, 0, passage.marks),
        url=f"{source_url(collection, passage.chunk.document_id, lines=lines)}#L{first}",
    )


def _filters(choices: Choices) -> Filters:
    everything = ("", gettext("all"))
    return Filters(
        status=[everything, *((one.value, status_words(one)) for one in choices.statuses)],
        lang=[everything, *((one, language_name(one)) for one in choices.langs)],
        audience=[everything, *((one, gettext("everyone") if one == PUBLIC else one) for one in choices.audiences)],
        version=[everything, *((one, number(one)) for one in choices.versions)],
        by=[("both", gettext("words and meaning")), ("words", gettext("words alone"))],
    )
