"""The answers that were given, found again by whoever may open them, and erased when somebody wants it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from webapp.core.answering.model import Reason
from webapp.core.retrieval.model import Reader
from webapp.services.model import StoredAnswer
from webapp.store.finding import Found, Wanted
from webapp.store.snapshots import Audience
from webapp.store.words import position_of

if TYPE_CHECKING:
    from webapp.services.root import Services

OUTCOMES = {
    "answered": frozenset({Reason.OK.value}),
    "abstained": frozenset(reason.value for reason in Reason if reason is not Reason.OK),
    **{reason.value: frozenset({reason.value}) for reason in Reason if reason is not Reason.OK},
}
PAGE = 30


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for; what is empty doesn't matter."""

    collection: str = ""
    words: str = ""  # all of them stand in question or answer
    outcome: str = ""  # a key of OUTCOMES
    lang: str = ""  # of the question
    index_version: str = ""
    document: str = ""  # id of a document that is cited
    lines: tuple[tuple[int, int], ...] = ()  # of it: one of these is cited
    rating: str = ""  # up, down
    since: date | None = None
    until: date | None = None  # that day included
    asker: str = ""
    oldest_first: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A part of the list, and the positions from which it goes on in either direction (None: it doesn't)."""

    found: tuple[Found, ...]
    before: int | None = None
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Offered:
    """What there is to filter by."""

    languages: list[str]
    versions: list[str]


class History:
    """All answers that are still kept; `services.history`. Nobody finds one that they may not open."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._finder = services.store.finder
        self._copies: dict[str, Audience] = {}  # by hash; what a copy says never changes

    def page(
        self, search: Search, reader: Reader, beyond: int | None = None, back: bool = False, size: int = PAGE
    ) -> Page:
        """Return the answers beyond a position of the list (None: its begin), or with `back` those just before it."""
        more = self._finder.page(self._wanted(search, reader), size + 1, beyond, back)
        found = tuple(more[-size:] if back else more[:size])
        further = len(more) > size
        here_and_there = beyond is not None
        return Page(
            found,
            before=found[0].position if found and (further if back else here_and_there) else None,
            after=found[-1].position if found and (here_and_there if back else further) else None,
        )

    def all(self, search: Search, reader: Reader) -> Iterator[Found]:
        """Yield every answer that is found, however many there are."""
        return self._finder.all(self._wanted(search, reader))

    def offered(self) -> Offered:
        """Return the languages and index versions that the answers of the served collections have."""
        names = self._names("")
        return Offered(self._finder.languages(names), self._finder.versions(names))

    def count_asked_by(self, asker: str) -> int:
        """Return how many answers of that asker are kept, open to them or not: what erasing them all would erase."""
        return self._services.store.answers.count_asked_by(asker)

    def asker_of(self, answer_id: str, reader: Reader) -> str | None:
        """Return the hash of whoever asked for an answer that the reader may open; None when it isn't known."""
        opened = self._services.answer(answer_id, reader)
        return self._services.store.answers.asker_of(answer_id) if isinstance(opened, StoredAnswer) else None

    def erase(self, answer_id: str) -> bool:
        """Erase one answer and its question; says whether there was one."""
        return self._services.store.answers.erase(answer_id)

    def erase_all_of(self, asker: str) -> int:
        """Erase all that somebody asked and what they said of answers; returns how many answers."""
        return self._services.store.answers.erase_all_of(asker)

    def closed(self, reader: Reader) -> frozenset[str]:
        """Return the hashes of the copies that the reader may not see: what cites one of them doesn't open either."""
        for copy in self._services.store.snapshots.audiences(self._copies):
            self._copies[copy.hash] = copy
        copies = list(self._copies.values())
        served = {card.name for card in self._services.collections()} & {copy.collection for copy in copies}
        shelves = {name: self._services.desk(name).shelf(reader) for name in served}
        return frozenset(
            copy.hash
            for copy in copies
            if copy.collection in shelves and not shelves[copy.collection].sees_kept(copy.document_id, copy.audience)
        )

    def _wanted(self, search: Search, reader: Reader) -> Wanted:
        return Wanted(
            collections=self._names(search.collection),
            closed=self.closed(reader),
            words=search.words,
            reasons=OUTCOMES.get(search.outcome, frozenset()),
            lang=search.lang,
            index_version=search.index_version,
            document=search.document,
            lines=search.lines,
            voted={"up": True, "down": False}.get(search.rating),
            asker=search.asker,
            since=self._since(search.since),
            until=position_of(_midnight(search.until + timedelta(days=1))) if search.until else None,
            oldest_first=search.oldest_first,
        )

    def _names(self, wanted: str) -> tuple[str, ...]:
        served = (card.name for card in self._services.collections())
        return tuple(name for name in served if wanted in ("", name))

    def _since(self, day: date | None) -> int | None:
        """What is older than answers are kept is over, whether or not it has been erased yet."""
        days = self._services.settings.retention_days
        over = datetime.now(UTC) - timedelta(days=days) if days else None
        begins = [moment for moment in (_midnight(day) if day else None, over) if moment]
        return position_of(max(begins)) if begins else None


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
