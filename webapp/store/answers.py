"""Answers as they were given, with everything that made them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.core.answering.model import Answer
from webapp.core.last_used import LastUsed
from webapp.store.database import Database, again_if_broken_off
from webapp.store.drafts import forget_answers
from webapp.store.kept import (
    Erased,
    Kept,
    Stored,
    groups_as_json,
    groups_from_json,
    trace_as_json,
    trace_from_json,
)
from webapp.store.schema import answers, citations, feedback, gap_questions, proposals, searchable
from webapp.store.snapshots import drop_snapshots, keep_snapshots
from webapp.store.words import kept_words, position_of

_TRACE = ("prompt", "raw_reply", "prompt_hash", "detail", "milliseconds", "tokens_in", "tokens_out", "made")
_ERASED: dict[str, Any] = dict.fromkeys(
    ("once", "question", "body", "prompt", "raw_reply", "detail", "made", "asker", "follows")
)
_BATCH = 500
_LAST_READ = 300  # answers that a process remembers: some 50 kB each
# Statements of every request are made once: making one takes as long as carrying it out.
_BY_ID = sa.select(answers).where(answers.c.id == sa.bindparam("id"))
_LEFT = sa.select(answers.c.erased_at, answers.c.erased_why).where(answers.c.id == sa.bindparam("id"))
_CITED = sa.select(citations.c.document_id, citations.c.snapshot).where(citations.c.answer_id == sa.bindparam("id"))
_BY_ONCE = sa.select(answers.c.id).where(answers.c.once == sa.bindparam("once"))
_SAME = sa.select(answers.c.id).where(  # no row's `once` equals one that is None
    sa.or_(answers.c.id == sa.bindparam("id"), answers.c.once == sa.bindparam("once"))
)
_THERE = sa.select(answers.c.id).where(answers.c.id == sa.bindparam("id"), answers.c.erased_at.is_(None))
_HELD = _THERE.with_for_update(read=True)
_ABOUT = (citations, feedback, searchable, gap_questions, proposals)  # rows about an answer, which go with it


class Answers:
    """The answers, by id."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = database.insert(answers).on_conflict_do_nothing().returning(answers.c.id)
        at_free_position = database.insert(searchable).on_conflict_do_nothing(index_elements=["position"])
        self._insert_searchable = at_free_position.returning(searchable.c.position)
        self._last_read: LastUsed[Stored] = LastUsed(_LAST_READ)

    @again_if_broken_off
    def add(self, kept: Kept) -> str:
        """Keep an answer with its sources, whole or not at all. Returns its id, or that of the earlier answer
        with the same `once`; one that is kept already stays as it is."""
        with self._database.writing() as connection:
            if earlier := self._id_of(connection, kept):
                return earlier
            if connection.execute(self._insert, _answer_row(kept)).first() is None:  # another process was quicker
                return self._id_of(connection, kept) or kept.answer.id
            self._make_findable(connection, kept.answer)
            keep_snapshots(self._database, connection, kept.snapshots.values())
            if kept.answer.citations:
                connection.execute(citations.insert(), _citation_rows(kept))
        return kept.answer.id

    def id_of(self, once: str) -> str | None:
        """Return the id of the answer that was made under that key."""
        with self._database.reading() as connection:
            return connection.execute(_BY_ONCE, {"once": once}).scalar()

    def get(self, answer_id: str) -> Stored | Erased | None:
        """Return an answer, what is left of it, or None when there was none of that id. Nothing changes it but that it
        is erased, by whichever process: who reads it again looks for that alone."""
        with self._database.reading() as connection:
            left = connection.execute(_LEFT, {"id": answer_id}).first()
            if left is None:
                return None
            if left.erased_at:
                return Erased(left.erased_at, left.erased_why)
            return self._last_read.get(answer_id) or self._last_read.put(answer_id, _read(connection, answer_id))

    def asker_of(self, answer_id: str) -> str | None:
        """Return the hash of whoever asked, None when it isn't known."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(answers.c.asker).where(answers.c.id == answer_id)).scalar()

    def count_asked_by(self, asker: str) -> int:
        """Return how many answers of that asker are kept."""
        mine = sa.select(sa.func.count()).where(answers.c.asker == asker, answers.c.erased_at.is_(None))
        with self._database.reading() as connection:
            return int(connection.execute(mine).scalar_one())

    def erase(self, answer_id: str) -> bool:
        """Erase what was asked and said, also where a later question carried it along.

        Says whether there was anything.
        """
        return self._erase(answers.c.id == answer_id, "erased", carried=True) > 0

    def erase_all_of(self, asker: str) -> int:
        """Erase all that somebody asked, also where a later question carried it along, and what they thought of
        others' answers; returns how many answers."""
        with self._database.writing() as connection:
            connection.execute(feedback.delete().where(feedback.c.reader == asker))
        return self._erase(answers.c.asker == asker, "erased", carried=True)

    def erase_before(self, moment: datetime) -> int:
        """Erase the answers older than that; returns how many."""
        return self._erase(answers.c.created_at < moment, "retention")

    def _erase(self, which: sa.ColumnElement[bool], why: str, carried: bool = False) -> int:
        meant = sa.select(answers.c.id).where(which, answers.c.erased_at.is_(None))
        with self._database.writing() as connection:
            ids = list(connection.scalars(meant))
            if carried:
                ids = list(dict.fromkeys([*ids, *_carrying(connection, ids)]))
            if ids:
                forget_answers(connection, set(ids))
            copies: set[str] = set()
            for batch in _batches(ids):
                copies.update(_blank(connection, batch, why))
            if copies:
                drop_snapshots(self._database, connection, sorted(copies))
        return len(ids)

    def _make_findable(self, connection: sa.Connection, answer: Answer) -> None:
        """Give it the first free position from its moment on."""
        row = _searchable_row(answer)
        while connection.execute(self._insert_searchable, row).first() is None:
            row["position"] += 1

    @staticmethod
    def _id_of(connection: sa.Connection, kept: Kept) -> str | None:
        return connection.execute(_SAME, {"id": kept.answer.id, "once": kept.once}).scalar()


def _answer_row(kept: Kept) -> dict[str, Any]:
    answer = kept.answer
    same = ("id", "collection", "question", "lang", "abstained", "index_version", "model", "created_at")
    return {
        **{name: getattr(answer, name) for name in same},
        **trace_as_json(kept.trace),
        "once": kept.once,
        "reason": answer.reason.value,
        "role": kept.role,
        "groups": groups_as_json(kept.groups),
        "asker": kept.asker,
        "follows": answer.follows.answer_id if answer.follows else None,
        "body": answer.model_dump_json(),
    }


def _searchable_row(answer: Answer) -> dict[str, Any]:
    same = ("collection", "lang", "index_version")
    return {
        **{name: getattr(answer, name) for name in same},
        "position": position_of(answer.created_at),
        "answer_id": answer.id,
        "reason": answer.reason.value,
        "words": kept_words(answer.question, answer.answer),
    }


def _read(connection: sa.Connection, answer_id: str) -> Stored:
    row = connection.execute(_BY_ID, {"id": answer_id}).one()
    cited = connection.execute(_CITED, {"id": answer_id}).all()
    return Stored(
        Answer.model_validate_json(row.body),
        trace_from_json({name: row._mapping[name] for name in _TRACE}),
        row.role,
        {c.document_id: c.snapshot for c in cited},
        groups_from_json(row.groups),
    )


def hold_answer(connection: sa.Connection, answer_id: str) -> bool:
    """Keep an answer from being erased until this transaction ends; False when there is none, or it is erased."""
    return connection.execute(_HELD, {"id": answer_id}).first() is not None


def _carrying(connection: sa.Connection, ids: list[str]) -> list[str]:
    """Return the answers to questions that were asked along with one of those."""
    found: list[str] = []
    for batch in _batches(ids):
        query = sa.select(answers.c.id).where(answers.c.follows.in_(batch), answers.c.erased_at.is_(None))
        found += connection.scalars(query)
    return found


def _blank(connection: sa.Connection, ids: list[str], why: str) -> list[str]:
    """Return the copies that were cited. The answers go first: what was just being added to one goes with it then."""
    left = _ERASED | {"erased_at": datetime.now(UTC), "erased_why": why}
    connection.execute(answers.update().where(answers.c.id.in_(ids)).values(left))
    copies = connection.scalars(sa.select(citations.c.snapshot).where(citations.c.answer_id.in_(ids)).distinct()).all()
    for table in _ABOUT:
        connection.execute(table.delete().where(table.c.answer_id.in_(ids)))
    return list(copies)


def _batches(ids: list[str]) -> Iterator[list[str]]:
    """So many ids as one statement takes."""
    return (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))


def _citation_rows(kept: Kept) -> list[dict[str, Any]]:
    same = ("marker", "document_id", "chunk_id", "first_line", "last_line")
    return [
        {name: getattr(citation, name) for name in same}
        | {"answer_id": kept.answer.id, "snapshot": kept.snapshots[citation.document_id].hash}
        for citation in kept.answer.citations
    ]
