"""Questions that are proposed for a golden set, until an editor takes or dismisses them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.core.documents.lines import fold
from webapp.store.database import Database
from webapp.store.schema import proposals

OPEN, TAKEN, DISMISSED = "open", "taken", "dismissed"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed question; `label` is what is known of the right place: document, lines, fact, or a part of that."""

    id: str
    collection: str
    question: str
    origin: str
    answer_id: str | None
    label: Mapping[str, Any] | None
    note: str
    state: str
    created_at: datetime


class Proposals:
    """The proposals, by id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, new: Proposal) -> str:
        """Keep a proposal; return its id, or that of an open one that asks the same, which then knows what both say."""
        same = sa.and_(proposals.c.collection == new.collection, proposals.c.state == OPEN)
        with self._database.writing() as connection:
            self._database.hold(connection, proposals)  # two who propose the same at once make one
            for row in connection.execute(sa.select(proposals).where(same)):
                if _asks(row.question) == _asks(new.question):
                    changed = {"label": row.label or new.label, "answer_id": row.answer_id or new.answer_id}
                    changed["note"] = (
                        row.note if new.note in row.note.split("\n") else f"{row.note}\n{new.note}".strip()
                    )
                    connection.execute(proposals.update().where(proposals.c.id == row.id).values(changed))
                    return str(row.id)
            connection.execute(proposals.insert().values(_row(new)))
        return new.id

    def get(self, proposal_id: str) -> Proposal | None:
        """Return that proposal, whatever became of it."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(proposals).where(proposals.c.id == proposal_id)).first()
        return _proposal(row) if row else None

    def open(self, collection: str, limit: int, skip: int = 0) -> list[Proposal]:
        """Return a collection's open proposals, newest first."""
        query = sa.select(proposals).where(_open_in(collection))
        order = query.order_by(proposals.c.created_at.desc(), proposals.c.id)
        with self._database.reading() as connection:
            return [_proposal(row) for row in connection.execute(order.limit(limit).offset(skip))]

    def count_open(self, collection: str) -> int:
        """Return how many wait for an editor."""
        query = sa.select(sa.func.count()).select_from(proposals).where(_open_in(collection))
        with self._database.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def settle(self, proposal_id: str, state: str) -> None:
        """Say what became of a proposal: open, taken or dismissed."""
        with self._database.writing() as connection:
            connection.execute(proposals.update().where(proposals.c.id == proposal_id).values(state=state))


def proposal(
    collection: str,
    question: str,
    origin: str,
    answer_id: str | None = None,
    label: Mapping[str, Any] | None = None,
    note: str = "",
) -> Proposal:
    """Return a new open proposal, not kept yet."""
    made = datetime.now(UTC)
    return Proposal(secrets.token_hex(16), collection, question, origin, answer_id, label, note, OPEN, made)


def _asks(question: str) -> str:
    return fold(question).casefold()


def _notes(said: str, more: str) -> str:
    return said if more in said.split("\n") else f"{said}\n{more}".strip()


def _open_in(collection: str) -> sa.ColumnElement[bool]:
    return sa.and_(proposals.c.collection == collection, proposals.c.state == OPEN)


def _row(new: Proposal) -> dict[str, Any]:
    row = {column.name: getattr(new, column.name) for column in proposals.columns}
    return row | {"label": dict(new.label) if new.label else None}


def _proposal(row: Any) -> Proposal:
    return Proposal(**{column.name: getattr(row, column.name) for column in proposals.columns})
