"""Evaluations as they were made: figures, and a row for every question."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.schema import runs


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation of a collection. `figures` and `rows` are as `evaluate` gives them; `rows` is empty in lists."""

    collection: str
    index_version: str
    model: str
    questions: int
    figures: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    author: str = ""
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


_LISTED = [column for column in runs.columns if column.name != "rows"]


class Runs:
    """The runs, by id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, run: Run) -> str:
        """Keep a run; return its id."""
        row = {column.name: getattr(run, column.name) for column in runs.columns}
        row |= {"figures": dict(run.figures), "rows": [dict(one) for one in run.rows]}
        with self._database.writing() as connection:
            connection.execute(runs.insert().values(row))
        return run.id

    def get(self, run_id: str, collection: str) -> Run | None:
        """Return a run of that collection with its rows, or None."""
        query = sa.select(runs).where(runs.c.id == run_id, runs.c.collection == collection)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return Run(**row._mapping) if row else None

    def of_version(self, index_version: str, collection: str) -> Run | None:
        """Return the newest run of an index version, without its rows."""
        query = sa.select(*_LISTED).where(runs.c.collection == collection, runs.c.index_version == index_version)
        with self._database.reading() as connection:
            row = connection.execute(query.order_by(runs.c.created_at.desc(), runs.c.id).limit(1)).first()
        return Run(**row._mapping, rows=()) if row else None

    def latest(self, collection: str, limit: int = 1, skip: int = 0) -> list[Run]:
        """Return a collection's runs without their rows, newest first."""
        query = sa.select(*_LISTED).where(runs.c.collection == collection)
        order = query.order_by(runs.c.created_at.desc(), runs.c.id)
        with self._database.reading() as connection:
            found = connection.execute(order.limit(limit).offset(skip)).all()
        return [Run(**row._mapping, rows=()) for row in found]
