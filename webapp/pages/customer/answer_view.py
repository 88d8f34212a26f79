"""From an answer as it is kept to what its page shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from flask import url_for

from webapp.core.answering.model import Answer, Caution, Citation, Followed, Statement
from webapp.core.documents.language import detect_language
from webapp.core.documents.model import Status
from webapp.core.retrieval.model import Role
from webapp.pages.customer.addresses import citation_url, source_url
from webapp.pages.customer.wording import caution_words, language_name, status_words, why_words
from webapp.services.desk import Desk
from webapp.services.model import Record, StoredAnswer, Today
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.i18n import current_language, gettext, number


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation's number after a statement, with the quote that its tip shows."""

    marker: int
    id: str  # of the tip
    words: tuple[str, ...]
    lang: str
    first: bool  # the number's first place in the answer: its source card leads back there


@dataclass(frozen=True, slots=True)
class ShownStatement:
    """A sentence of the answer with its numbers."""

    text: str
    lang: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A source under its number: what was cited, how it stood and stands, and where it opens."""

    citation: Citation
    quotes: tuple[str, ...]
    state: tuple[str, ...]
    url: str


@dataclass(frozen=True, slots=True)
class Nearby:
    """A page that comes near the question."""

    title: str
    lang: str
    url: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The collection's own words, and the language they are in."""

    text: str = ""
    lang: str = ""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """All that the answer page shows."""

    question: str
    lang: str
    address: str
    created_at: datetime
    announcement: str  # for screen readers, once
    abstained: bool
    withheld: bool
    outdated: bool  # a page it comes from no longer says the same, or no longer counts
    cautions: tuple[str, ...] = ()
    statements: tuple[ShownStatement, ...] = ()
    cards: tuple[Card, ...] = ()
    origins: tuple[tuple[str, str, str], ...] = ()  # title, version, language of each document cited
    why: str = ""
    fallback: Wording = Wording()
    contact: Wording = Wording()
    nearest: tuple[Nearby, ...] = ()
    read_as: str | None = None  # "" asks for another spelling
    follows: Followed | None = None
    follows_url: str = ""  # "" when this reader may not open it, or no longer
    leans: bool = False
    only: tuple[str, ...] = ()  # what the pages looked through were limited to
    only_lang: str = ""  # the same for the form
    filters: Mapping[str, str] = field(default_factory=dict)
    own_language: str = ""  # name of the question's language, when asking only its pages is worth a try
    record: Record | None = None  # how it was made: staff alone


def view_answer(stored: StoredAnswer, desk: Desk) -> AnswerView:
    """Prepare an answer for the current reader."""
    answer = stored.answer
    why = why_words(answer, desk.current_count(current_reader())) if answer.abstained else ""
    ready = gettext("No answer: %(reason)s", reason=why) if why else gettext("Answer ready")
    return AnswerView(
        question=answer.question,
        lang=answer.lang,
        address=url_for("answer.show", answer_id=answer.id),
        created_at=answer.created_at,
        announcement=ready,
        abstained=answer.abstained,
        withheld=stored.withheld,
        outdated=any(one.changed or one.status is not Status.CURRENT for one in stored.today.values()),
        cautions=(caution_words(answer.caution, answer),) if answer.caution else (),
        statements=tuple(_statements(answer)),
        cards=tuple(_card(answer, citation, stored.today.get(citation.document_id)) for citation in answer.citations),
        origins=tuple(dict.fromkeys((one.title, one.version, one.lang) for one in answer.citations)),
        why=why,
        fallback=wording(desk, "fallback"),
        contact=wording(desk, "contact"),
        nearest=tuple(_nearest(answer, desk)),
        read_as=answer.read_as,
        follows=answer.follows,
        follows_url=_follows_url(answer),
        leans=answer.leans,
        only=tuple(_only(answer)),
        only_lang=answer.only_lang or "",
        filters=answer.filters,
        own_language=_own_language(answer, desk),
        record=_record(answer),
    )


def _follows_url(answer: Answer) -> str:
    earlier = answer.follows and services().answer(answer.follows.answer_id, current_reader())
    return url_for("answer.show", answer_id=earlier.answer.id) if isinstance(earlier, StoredAnswer) else ""


def _only(answer: Answer) -> Iterator[str]:
    for name, value in answer.filters.items():
        yield f"{name} = {value}"
    if answer.only_lang:
        yield gettext("language = %(language)s", language=language_name(answer.only_lang))


def _own_language(answer: Answer, desk: Desk) -> str:
    """Name the question's language when the answer came from another one although there are pages in it."""
    elsewhere = answer.caution is Caution.OTHER_LANGUAGE
    return language_name(answer.lang) if elsewhere and desk.current_count(current_reader(), answer.lang) else ""


def _record(answer: Answer) -> Record | None:
    reader = current_reader()
    return None if reader.role is Role.CUSTOMER else services().record(answer.id, reader)


def wording(desk: Desk, of: Literal["fallback", "contact"]) -> Wording:
    """Return the collection's own words in the reader's language, or in the one they are in."""
    text = desk.config.wording(of, current_language())
    return Wording(text, detect_language(text, (current_language(), *desk.config.languages)))


def _statements(answer: Answer) -> Iterator[ShownStatement]:
    citations = {citation.marker: citation for citation in answer.citations}
    languages = tuple(dict.fromkeys((answer.lang, *(citation.lang for citation in answer.citations))))
    seen: set[int] = set()
    for number_, statement in enumerate(answer.statements):
        marks = tuple(
            _mark(statement, citations[marker], f"tip-{number_}-{marker}", marker not in seen)
            for marker in statement.markers
        )
        seen.update(statement.markers)
        yield ShownStatement(statement.text, detect_language(statement.text, languages), marks)


def _mark(statement: Statement, citation: Citation, id_: str, first: bool) -> Mark:
    quotes = tuple(f"“{quote.text}”" for quote in statement.quotes if quote.marker == citation.marker)
    return Mark(citation.marker, id_, quotes or (f"{citation.title}: {citation.heading}",), citation.lang, first)


def _card(answer: Answer, citation: Citation, today: Today | None) -> Card:
    quotes = (quote.text for one in answer.statements for quote in one.quotes if quote.marker == citation.marker)
    return Card(citation, tuple(dict.fromkeys(quotes)), tuple(_state(citation, today)), citation_url(answer, citation))


def _state(citation: Citation, today: Today | None) -> Iterator[str]:
    """Version and status; what has become of the document since."""
    if citation.version:
        yield gettext("version %(version)s", version=number(citation.version))
    if today is None:
        yield status_words(Status(citation.status))
    elif today.status is None:
        yield gettext("no longer among our documents")
    else:
        yield status_words(today.status)
        if today.changed:
            yield gettext("changed since")


def _nearest(answer: Answer, desk: Desk) -> Iterator[Nearby]:
    """The pages that came near, less those this reader may not or no longer open."""
    shelf = desk.shelf(current_reader())
    for page in answer.nearest:
        if entry := shelf.entry(page.document_id):
            yield Nearby(entry.title, entry.lang, source_url(answer.collection, entry.id))
