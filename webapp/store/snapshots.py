"""Copies of cited documents as they were, kept once for each content."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from webapp.core.last_used import LastUsed
from webapp.store.database import Database
from webapp.store.kept import Snapshot
from webapp.store.schema import citations, snapshots

_BATCH = 500
_LAST_READ = 8_000_000  # characters of copies that a process remembers
_IDS = sa.select(snapshots.c.hash).where(snapshots.c.hash == sa.bindparam("hash"))
_BY_HASH = sa.select(snapshots).where(snapshots.c.hash == sa.bindparam("hash"))
# A server's lock, as that of rows that point to one: a copy that is known is still there when the transaction ends.
_IS_KNOWN = _IDS.with_for_update(read=True, key_share=True)


@dataclass(frozen=True, slots=True)
class Audience:
    """For whom a copied document was, by the copy's hash."""

    hash: str
    collection: str
    document_id: str
    audience: frozenset[str]


class Snapshots:
    """The kept copies, by hash."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last_read: LastUsed[Snapshot] = LastUsed(_LAST_READ, lambda copy: len(copy.text))

    def get(self, hash_: str) -> Snapshot | None:
        """Return that copy, or None. One that nothing cites any more may be found for a while after it was dropped."""
        return self._last_read.get(hash_) or self._read(hash_)

    def _read(self, hash_: str) -> Snapshot | None:
        with self._database.reading() as connection:
            row = connection.execute(_BY_HASH, {"hash": hash_}).first()
        if row is None:
            return None
        copy = Snapshot(row.collection, row.document_id, row.path, row.text, row.details)
        return self._last_read.put(hash_, copy)

    def audiences(self, known: Collection[str]) -> Iterator[Audience]:
        """Yield for whom each copy was when it was made, less those that are known: a copy never changes."""
        with self._database.reading() as connection:
            new = [hash_ for hash_ in connection.scalars(sa.select(snapshots.c.hash)) if hash_ not in known]
            for start in range(0, len(new), _BATCH):
                few = snapshots.c.hash.in_(new[start : start + _BATCH])
                columns = (snapshots.c.hash, snapshots.c.collection, snapshots.c.document_id, snapshots.c.details)
                for row in connection.execute(sa.select(*columns).where(few)):
                    yield Audience(row.hash, row.collection, row.document_id, frozenset(row.details["audience"]))

    def of(self, collection: str, document_id: str) -> list[str]:
        """Return the hashes of the copies of a document, newest first."""
        mine = sa.and_(snapshots.c.collection == collection, snapshots.c.document_id == document_id)
        with self._database.reading() as connection:
            order = sa.select(snapshots.c.hash).where(mine).order_by(snapshots.c.created_at.desc())
            return list(connection.scalars(order))

    def made_at(self, hash_: str) -> datetime | None:
        """Return when that copy was made."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(snapshots.c.created_at).where(snapshots.c.hash == hash_)).scalar()


def keep_snapshots(database: Database, connection: sa.Connection, copies: Iterable[Snapshot]) -> None:
    """Write those that are new, inside the caller's transaction; until its end none of them is dropped."""
    rows = sorted(map(_row, copies), key=itemgetter("hash"))  # two who write the same ones wait in the same order
    for row in rows:
        if connection.execute(_IS_KNOWN, {"hash": row["hash"]}).first() is None:
            connection.execute(database.insert(snapshots).on_conflict_do_nothing(), row)


def drop_snapshots(database: Database, connection: sa.Connection, hashes: Sequence[str]) -> None:
    """Remove those of the copies that nothing cites any longer, as the last act of the caller's transaction."""
    database.hold(connection, snapshots)  # an answer that is just being kept may be about to cite one
    for start in range(0, len(hashes), _BATCH):
        few = snapshots.c.hash.in_(hashes[start : start + _BATCH])
        cited = sa.exists().where(citations.c.snapshot == snapshots.c.hash)
        connection.execute(snapshots.delete().where(few, ~cited))


def _row(copy: Snapshot) -> dict[str, Any]:
    fields = ("collection", "document_id", "path", "text")
    row = {name: getattr(copy, name) for name in fields}
    return row | {"hash": copy.hash, "details": dict(copy.details), "created_at": datetime.now(UTC)}
