"""Each source of an answer as it was cited and as it is now: what changed, whether the cited lines still stand, and
the citation as text to copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from flask import request, url_for

from webapp.core.answering.model import Answer, Citation
from webapp.core.documents.differences import Row, compare_texts, new_place
from webapp.core.documents.model import Status
from webapp.pages.agent.answer_words import place_words
from webapp.pages.agent.diff_view import Difference, view_difference
from webapp.pages.customer.addresses import citation_url, source_url
from webapp.pages.customer.answer_view import Card
from webapp.services.desk import Desk
from webapp.services.editions import NOW, PAGE, CitedPage
from webapp.services.model import Today
from webapp.web.i18n import date, gettext, number

_MOST = 120  # changed lines of one page; the page of differences has the rest


@dataclass(frozen=True, slots=True)
class Banner:
    """What has become of a cited page, and where to go on."""

    words: str
    links: tuple[tuple[str, str], ...] = ()  # words, address


@dataclass(frozen=True, slots=True)
class StaffSource:
    """A source under its number. `difference`: what changed in its page, told once for each page."""

    card: Card
    banner: Banner | None
    state: str  # of the cited lines today
    kept: bool  # the cited lines stand today as they were cited
    difference: Difference | None
    told_under: int | None  # the number of the source that tells it already
    diff_url: str
    copy: str


def view_sources(
    desk: Desk, answer: Answer, cards: Sequence[Card], pages: Mapping[str, CitedPage]
) -> tuple[StaffSource, ...]:
    """Prepare the sources of an opened answer; `pages` are its cited documents by id."""
    rows = {
        id_: compare_texts(page.then, page.now) if page.today.changed and page.now is not None else ()
        for id_, page in pages.items()
    }
    return tuple(_sources(desk, answer, cards, pages, rows))


def citation_text(answer: Answer, citation: Citation, quotes: Sequence[str]) -> str:
    """Return a citation as text: quote, title, version, place, day, permanent link."""
    version = gettext("version %(version)s", version=number(citation.version)) if citation.version else ""
    place = [citation.title, version, citation.heading, place_words(citation.first_line, citation.last_line)]
    cited = gettext("cited %(date)s", date=date(answer.created_at))
    said = [f"“{quote}”" for quote in quotes]
    link = urljoin(request.host_url, citation_url(answer, citation))
    return "\n".join([*said, ", ".join(part for part in (*place, cited) if part), link])


def _sources(
    desk: Desk,
    answer: Answer,
    cards: Sequence[Card],
    pages: Mapping[str, CitedPage],
    rows: Mapping[str, tuple[Row, ...]],
) -> Iterator[StaffSource]:
    told: dict[str, int] = {}
    for card in cards:
        one = card.citation
        page, changes = pages.get(one.document_id), rows.get(one.document_id, ())
        first = told.setdefault(one.document_id, one.marker)
        own = first == one.marker
        kept, state = _cited_lines(one, page, changes)
        yield StaffSource(
            card=card,
            banner=_banner(desk, one.document_id, page.today) if page and own else None,
            state=state,
            kept=kept,
            difference=view_difference(changes, _cited_in(answer, one.document_id), _MOST) if changes and own else None,
            told_under=None if own or not changes else first,
            diff_url=_diff_url(desk, one.document_id, page.key, NOW) if page and changes else "",
            copy=citation_text(answer, one, card.quotes),
        )


def _cited_in(answer: Answer, document_id: str) -> set[int]:
    mine = (one for one in answer.citations if one.document_id == document_id)
    return {line for one in mine for line in range(one.first_line, one.last_line + 1)}


def _cited_lines(one: Citation, page: CitedPage | None, rows: Sequence[Row]) -> tuple[bool, str]:
    """Tell whether the cited lines stand today as they were, and say so."""
    if page is None or page.now is None:
        return False, gettext("The page is no longer among our documents.")
    if not rows:
        return True, gettext("The page is unchanged since it was cited.")
    place = new_place(rows, one.first_line, one.last_line)
    if place is None:
        return False, gettext("The page has changed since, and the cited lines with it.")
    if place == (one.first_line, one.last_line):
        return True, gettext("The page has changed since, but not the cited lines.")
    now = place_words(*place)
    return True, gettext("The page has changed since; the cited lines are the same, now %(lines)s.", lines=now)


def _banner(desk: Desk, document_id: str, today: Today) -> Banner | None:
    if today.status is Status.SUPERSEDED and today.superseded_by:
        return _replaced(desk, document_id, today.superseded_by, today.superseded_by_title or today.superseded_by)
    words = {
        None: gettext("This page is no longer among our documents."),
        Status.SUPERSEDED: gettext("This page has been replaced by a newer one."),
        Status.WITHDRAWN: gettext("This page has been withdrawn. Customers don't see its text."),
        Status.ARCHIVED: gettext("This page is archived: it is kept for the record and no longer counts."),
        Status.DRAFT: gettext("This is a draft. No answer is taken from it."),
    }.get(today.status)
    return Banner(words) if words else None


def _replaced(desk: Desk, document_id: str, by: str, title: str) -> Banner:
    difference = _diff_url(desk, document_id, NOW, PAGE + by)
    links = (
        (gettext("Read “%(title)s”", title=title), source_url(desk.name, by)),
        (gettext("What changed"), difference),
    )
    return Banner(gettext("This page has been replaced."), links)


def _diff_url(desk: Desk, document_id: str, one: str, other: str) -> str:
    return url_for("agent_diff.show", collection=desk.name, document=document_id, one=one, other=other)
