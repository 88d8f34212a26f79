"""What was published, by whom and why; kept for good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.schema import publications


@dataclass(frozen=True, slots=True)
class Publication:
    """One change of one page that went live; `before` and `after` are index versions."""

    id: str
    collection: str
    path: str
    document_id: str
    act: str
    author: str
    message: str
    override: str | None
    before: str | None
    after: str | None
    figures: Mapping[str, Any]
    created_at: datetime


class Publications:
    """The publications of all collections."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, publication: Publication) -> None:
        """Keep a publication; one that is kept already stays as it is."""
        with self._database.writing() as connection:
            row = asdict(publication) | {"figures": dict(publication.figures)}
            connection.execute(self._database.insert(publications).values(row).on_conflict_do_nothing())

    def get(self, publication_id: str) -> Publication | None:
        """Return a publication."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(publications).where(publications.c.id == publication_id)).first()
        return Publication(**row._mapping) if row else None

    def latest(self, collection: str, limit: int, skip: int = 0) -> list[Publication]:
        """Return the publications of a collection, newest first."""
        order = publications.c.created_at.desc(), publications.c.id
        query = sa.select(publications).where(publications.c.collection == collection).order_by(*order)
        with self._database.reading() as connection:
            return [Publication(**row._mapping) for row in connection.execute(query.limit(limit).offset(skip))]
