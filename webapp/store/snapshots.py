"""Copies of cited documents as they were, kept once for each content."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.kept import Snapshot
from webapp.store.schema import snapshots


class Snapshots:
    """The kept copies, by hash."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, hash_: str) -> Snapshot | None:
        """Return that copy, or None."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(snapshots).where(snapshots.c.hash == hash_)).first()
        return Snapshot(row.collection, row.document_id, row.path, row.text, row.details) if row else None


def keep_snapshots(connection: sa.Connection, copies: Iterable[Snapshot]) -> None:
    """Write those that are new, inside the caller's transaction."""
    for copy in copies:
        known = connection.execute(sa.select(snapshots.c.hash).where(snapshots.c.hash == copy.hash)).first()
        if known is None:
            connection.execute(snapshots.insert().values(_row(copy)))


def _row(copy: Snapshot) -> dict[str, Any]:
    fields = ("collection", "document_id", "path", "text")
    row = {name: getattr(copy, name) for name in fields}
    return row | {"hash": copy.hash, "details": dict(copy.details), "created_at": datetime.now(UTC)}
