"""With what the processes that share the database sign cookies: those that differ don't take each other's."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.schema import signers


class Signers:
    """The keys' fingerprints, which open nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def seen(self, fingerprint: str, at: datetime) -> None:
        """Note that a process signs with that key."""
        new = self._database.insert(signers).values(fingerprint=fingerprint, seen_at=at)
        with self._database.writing() as connection:
            connection.execute(new.on_conflict_do_update(index_elements=["fingerprint"], set_={"seen_at": at}))

    def other(self, fingerprint: str, since: datetime) -> datetime | None:
        """Return when a process last signed with another key, if one has since then."""
        query = sa.select(sa.func.max(signers.c.seen_at, type_=signers.c.seen_at.type)).where(
            signers.c.fingerprint != fingerprint, signers.c.seen_at >= since
        )
        with self._database.reading() as connection:
            return connection.execute(query).scalar()
