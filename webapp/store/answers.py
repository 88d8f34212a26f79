"""Answers as they were given, with everything that made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.core.answering.model import Answer, ModelRequest, Trace
from webapp.store.database import Database
from webapp.store.schema import answers, citations, feedback, snapshots
from webapp.store.snapshots import Snapshot, keep_snapshots

_ERASED: dict[str, Any] = dict.fromkeys(("once", "question", "body", "prompt", "raw_reply", "detail"))


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer to keep. `snapshots` are its cited documents by id."""

    answer: Answer
    trace: Trace
    role: str
    snapshots: Mapping[str, Snapshot] = field(default_factory=dict)
    once: str | None = None  # a key under which a second asking finds this answer


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as it was kept. `snapshots` are hashes by document id."""

    answer: Answer
    trace: Trace  # its prompt comes back without the evidence's texts: the user part holds them
    role: str
    snapshots: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Erased:
    """What is left of an erased answer."""

    at: datetime
    why: str


class Answers:
    """The answers, by id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, kept: Kept) -> str:
        """Keep an answer with its sources, whole or not at all. Returns its id, or that of the earlier answer
        with the same `once`."""
        with self._database.writing() as connection:
            if earlier := self._id_of(connection, kept.once):
                return earlier
            keep_snapshots(connection, kept.snapshots.values())
            connection.execute(answers.insert().values(_answer_row(kept)))
            if kept.answer.citations:
                connection.execute(citations.insert(), _citation_rows(kept))
        return kept.answer.id

    def id_of(self, once: str | None) -> str | None:
        """Return the id of the answer that was made under that key."""
        with self._database.reading() as connection:
            return self._id_of(connection, once)

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
            Answer.model_validate_json(row.body), _trace(row), row.role, {c.document_id: c.snapshot for c in cited}
        )

    def erase(self, answer_id: str, why: str = "erased") -> bool:
        """Erase what was asked and said; says whether there was anything."""
        return self._erase(answers.c.id == answer_id, why) > 0

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
    def _id_of(connection: sa.Connection, once: str | None) -> str | None:
        if once is None:
            return None
        return connection.execute(sa.select(answers.c.id).where(answers.c.once == once)).scalar()


def _answer_row(kept: Kept) -> dict[str, Any]:
    answer, trace = kept.answer, kept.trace
    same = ("id", "collection", "question", "lang", "abstained", "index_version", "model", "created_at")
    made = ("raw_reply", "prompt_hash", "detail", "tokens_in", "tokens_out")
    return {
        **{name: getattr(answer, name) for name in same},
        **{name: getattr(trace, name) for name in made},
        "once": kept.once,
        "reason": answer.reason.value,
        "role": kept.role,
        "body": answer.model_dump_json(),
        "prompt": _prompt(trace.prompt),
        "milliseconds": dict(trace.milliseconds),
    }


def _citation_rows(kept: Kept) -> list[dict[str, Any]]:
    same = ("marker", "document_id", "chunk_id", "first_line", "last_line")
    return [
        {name: getattr(citation, name) for name in same}
        | {"answer_id": kept.answer.id, "snapshot": kept.snapshots[citation.document_id].hash}
        for citation in kept.answer.citations
    ]


def _prompt(request: ModelRequest | None) -> dict[str, str] | None:
    if request is None:
        return None
    return {name: getattr(request, name) for name in ("system", "user", "question", "lang")}


def _trace(row: Any) -> Trace:
    return Trace(
        prompt=ModelRequest(**row.prompt, evidence=()) if row.prompt else None,
        raw_reply=row.raw_reply,
        prompt_hash=row.prompt_hash,
        detail=row.detail,
        milliseconds=row.milliseconds,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
    )
