"""Answers as they were given, with everything that made them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.core.answering.model import Answer
from webapp.store.database import Database
from webapp.store.kept import (
    Erased,
    Kept,
    Stored,
    groups_as_json,
    groups_from_json,
    trace_as_json,
    trace_from_json,
)
from webapp.store.schema import answers, citations, feedback, snapshots
from webapp.store.snapshots import keep_snapshots

_TRACE = ("prompt", "raw_reply", "prompt_hash", "detail", "milliseconds", "tokens_in", "tokens_out", "made")
_ERASED: dict[str, Any] = dict.fromkeys(("once", "question", "body", "prompt", "raw_reply", "detail", "made"))


class Answers:
    """The answers, by id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, kept: Kept) -> str:
        """Keep an answer with its sources, whole or not at all. Returns its id, or that of the earlier answer
        with the same `once`; one that is kept already stays as it is."""
        with self._database.writing() as connection:
            if earlier := self._id_of(connection, kept):
                return earlier
            keep_snapshots(connection, kept.snapshots.values())
            connection.execute(answers.insert().values(_answer_row(kept)))
            if kept.answer.citations:
                connection.execute(citations.insert(), _citation_rows(kept))
        return kept.answer.id

    def id_of(self, once: str) -> str | None:
        """Return the id of the answer that was made under that key."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(answers.c.id).where(answers.c.once == once)).scalar()

    def get(self, answer_id: str) -> Stored | Erased | None:
        """Return an answer, what is left of it, or None when there was none of that id."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(answers).where(answers.c.id == answer_id)).first()
            if row is None:
                return None
            if row.erased_at:
                return Erased(row.erased_at, row.erased_why)
            cited = connection.execute(sa.select(citations).where(citations.c.answer_id == answer_id)).all()
        return Stored(
            Answer.model_validate_json(row.body),
            trace_from_json({name: row._mapping[name] for name in _TRACE}),
            row.role,
            {c.document_id: c.snapshot for c in cited},
            groups_from_json(row.groups),
        )

    def latest(self, limit: int, skip: int = 0) -> list[str]:
        """Return the ids of answers that are not erased, newest first."""
        newest = sa.select(answers.c.id).where(answers.c.erased_at.is_(None))
        with self._database.reading() as connection:
            order = newest.order_by(answers.c.created_at.desc(), answers.c.id)
            return list(connection.scalars(order.limit(limit).offset(skip)))

    def erase(self, answer_id: str, why: str = "erased") -> bool:
        """Erase what was asked and said, also where a later question carried it along.

        Says whether there was anything.
        """
        carried = answers.c.body.contains(f'"follows":{{"answer_id":"{answer_id}"', autoescape=True)
        return self._erase(sa.or_(answers.c.id == answer_id, carried), why) > 0

    def erase_before(self, moment: datetime) -> int:
        """Erase the answers older than that; returns how many."""
        return self._erase(answers.c.created_at < moment, "retention")

    def _erase(self, which: sa.ColumnElement[bool], why: str) -> int:
        chosen = sa.and_(which, answers.c.erased_at.is_(None))
        with self._database.writing() as connection:
            ids = sa.select(answers.c.id).where(chosen).scalar_subquery()
            for table in (citations, feedback):
                connection.execute(table.delete().where(table.c.answer_id.in_(ids)))
            gone = connection.execute(
                answers.update().where(chosen).values(_ERASED | {"erased_at": datetime.now(UTC), "erased_why": why})
            ).rowcount
            cited = sa.select(citations.c.snapshot)
            connection.execute(snapshots.delete().where(snapshots.c.hash.not_in(cited)))
        return gone

    @staticmethod
    def _id_of(connection: sa.Connection, kept: Kept) -> str | None:
        same = answers.c.id == kept.answer.id
        if kept.once is not None:
            same = sa.or_(same, answers.c.once == kept.once)
        return connection.execute(sa.select(answers.c.id).where(same)).scalar()


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
        "body": answer.model_dump_json(),
    }


def _citation_rows(kept: Kept) -> list[dict[str, Any]]:
    same = ("marker", "document_id", "chunk_id", "first_line", "last_line")
    return [
        {name: getattr(citation, name) for name in same}
        | {"answer_id": kept.answer.id, "snapshot": kept.snapshots[citation.document_id].hash}
        for citation in kept.answer.citations
    ]
