"""Finding stored answers: by words, by what they are, by what they cite, newest or oldest first, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from webapp.core.answering.model import Answer
from webapp.store.database import Database
from webapp.store.schema import answers, citations, feedback, searchable
from webapp.store.words import with_words

_BATCH = 200  # answers read at a time where all are wanted


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which answers; what is not given doesn't matter. Nothing that cites a `closed` copy is ever found."""

    collections: tuple[str, ...]
    closed: frozenset[str] = frozenset()  # hashes of copies that the reader may not see
    words: str = ""
    reasons: frozenset[str] = frozenset()
    lang: str = ""
    index_version: str = ""
    document: str = ""
    lines: tuple[tuple[int, int], ...] = ()  # of that document, from and to: answers that cite one of these
    voted: bool | None = None  # with at least one vote up (True) or down (False)
    asker: str = ""
    since: int | None = None  # positions, see `store/words.py`; the first of them
    until: int | None = None  # and the first after them
    oldest_first: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One answer that was found, and how often readers voted for and against it."""

    position: int
    answer: Answer
    up: int = 0
    down: int = 0


class Finder:
    """Looks through all answers that are not erased."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, wanted: Wanted, limit: int, beyond: int | None = None, back: bool = False) -> list[Found]:
        """Return up to so many answers, in the order wanted, beyond that position; `back`: those just before it."""
        descending = wanted.oldest_first == back
        query = self._query(wanted, descending, beyond, limit)
        with self._database.reading() as connection:
            found = [Found(row.position, Answer.model_validate_json(row.body)) for row in connection.execute(query)]
            counted = _with_votes(connection, found)
        return counted[::-1] if back else counted

    def all(self, wanted: Wanted) -> Iterator[Found]:
        """Yield every one, in the order wanted, a batch of a transaction each: a slow reader holds nothing up."""
        beyond: int | None = None
        while batch := self.page(wanted, _BATCH, beyond):
            yield from batch
            beyond = batch[-1].position

    def languages(self, collections: Sequence[str]) -> list[str]:
        """Return the languages that questions were asked in."""
        return self._values(searchable.c.lang, collections)

    def versions(self, collections: Sequence[str]) -> list[str]:
        """Return the index versions that answers came from."""
        return self._values(searchable.c.index_version, collections)

    def _values(self, column: sa.Column[str], collections: Sequence[str]) -> list[str]:
        query = sa.select(column).where(searchable.c.collection.in_(collections)).distinct().order_by(column)
        with self._database.reading() as connection:
            return list(connection.scalars(query))

    def _query(self, wanted: Wanted, descending: bool, beyond: int | None, limit: int) -> sa.Select[tuple[int, str]]:
        """Answers themselves are only read once it is known which: they are far longer than what is searched."""
        which = sa.select(searchable.c.position, searchable.c.answer_id)
        if beyond is not None:
            which = which.where(searchable.c.position < beyond if descending else searchable.c.position > beyond)
        which = which.where(*_conditions(wanted, self._database.engine.dialect.name))
        chosen = which.order_by(_order(searchable.c.position, descending)).limit(limit).subquery()
        query = sa.select(chosen.c.position, answers.c.body).join(answers, answers.c.id == chosen.c.answer_id)
        return query.order_by(_order(chosen.c.position, descending))


def _order(position: sa.ColumnElement[int], descending: bool) -> sa.ColumnElement[int]:
    return position.desc() if descending else position.asc()


def _conditions(wanted: Wanted, dialect: str) -> Iterator[sa.ColumnElement[bool]]:
    yield searchable.c.collection.in_(wanted.collections)
    if wanted.words.strip():
        found = with_words(wanted.words, dialect)
        yield sa.false() if found is None else found
    if wanted.reasons:
        yield searchable.c.reason.in_(sorted(wanted.reasons))
    if wanted.lang:
        yield searchable.c.lang == wanted.lang
    if wanted.index_version:
        yield searchable.c.index_version == wanted.index_version
    if wanted.since is not None:
        yield searchable.c.position >= wanted.since
    if wanted.until is not None:
        yield searchable.c.position < wanted.until
    yield from _elsewhere(wanted)


def _elsewhere(wanted: Wanted) -> Iterator[sa.ColumnElement[bool]]:
    """Conditions on what stands in other tables."""
    here = searchable.c.answer_id
    if wanted.document:
        yield here.in_(sa.select(citations.c.answer_id).where(*_cites(wanted)))
    if wanted.voted is not None:
        yield here.in_(sa.select(feedback.c.answer_id).where(feedback.c.good.is_(wanted.voted)))
    if wanted.asker:
        yield here.in_(sa.select(answers.c.id).where(answers.c.asker == wanted.asker))
    yield from cites_none_of(wanted.closed)


def cites_none_of(
    closed: frozenset[str], answer_id: sa.ColumnElement[str] = searchable.c.answer_id
) -> Iterator[sa.ColumnElement[bool]]:
    """The condition, if any, that an answer cites none of those copies."""
    if closed:
        cites_closed = citations.c.snapshot.in_(sorted(closed))
        yield ~sa.exists().where(citations.c.answer_id == answer_id, cites_closed)


def _cites(wanted: Wanted) -> Iterator[sa.ColumnElement[bool]]:
    yield citations.c.document_id == wanted.document
    if wanted.lines:
        yield sa.or_(
            *(sa.and_(citations.c.first_line <= last, citations.c.last_line >= first) for first, last in wanted.lines)
        )


def _with_votes(connection: sa.Connection, found: list[Found]) -> list[Found]:
    ids = [one.answer.id for one in found]
    query = (
        sa.select(feedback.c.answer_id, feedback.c.good, sa.func.count())
        .where(feedback.c.answer_id.in_(ids))
        .group_by(feedback.c.answer_id, feedback.c.good)
    )
    counts = {(answer_id, bool(good)): count for answer_id, good, count in connection.execute(query)}
    return [
        replace(one, up=counts.get((one.answer.id, True), 0), down=counts.get((one.answer.id, False), 0))
        for one in found
    ]
