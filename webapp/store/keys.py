"""Keys of the API, by the hash of what is sent, and how often each was used on a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.schema import api_keys, key_days


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What a key opens, and how often. `collection` None: every one; no `origins`: programs alone, no page."""

    id: str
    name: str
    scopes: frozenset[str]
    collection: str | None
    origins: tuple[str, ...]
    per_minute: int
    per_day: int
    created_by: str
    created_at: datetime
    revoked_at: datetime | None = None


class ApiKeys:
    """The keys that were ever made: one that is revoked stays in the list."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, hashed: str, key: ApiKey) -> None:
        """Keep a new key under the hash of what is sent."""
        names = ("id", "name", "collection", "per_minute", "per_day", "created_by", "created_at", "revoked_at")
        row = {name: getattr(key, name) for name in names}
        lists = {"scopes": sorted(key.scopes), "origins": list(key.origins), "key": hashed}
        with self._database.writing() as connection:
            connection.execute(api_keys.insert().values(row | lists))

    def find(self, hashed: str) -> ApiKey | None:
        """Return the key of that hash, unless it is revoked."""
        query = sa.select(api_keys).where(api_keys.c.key == hashed, api_keys.c.revoked_at.is_(None))
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return _key(row) if row else None

    def all(self) -> tuple[ApiKey, ...]:
        """Return every key, the newest first."""
        with self._database.reading() as connection:
            return tuple(map(_key, connection.execute(sa.select(api_keys).order_by(api_keys.c.created_at.desc()))))

    def revoke(self, key_id: str) -> bool:
        """End a key; tells whether there was one to end."""
        open_ = sa.and_(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
        with self._database.writing() as connection:
            return connection.execute(api_keys.update().where(open_).values(revoked_at=datetime.now(UTC))).rowcount == 1

    def count(self, key_id: str, day: date, most: int) -> bool:
        """Count a request; False, and nothing counted, when there have been `most` that day."""
        if most < 1:
            return False
        first = self._database.insert(key_days).values(key_id=key_id, day=day, requests=1)
        more = first.on_conflict_do_update(
            index_elements=["key_id", "day"],
            set_={"requests": key_days.c.requests + 1},
            where=key_days.c.requests < most,
        )
        with self._database.writing() as connection:
            return connection.execute(more.returning(key_days.c.requests)).first() is not None

    def used(self, day: date) -> dict[str, int]:
        """Return how many requests each key sent that day; keys that sent none are left out."""
        query = sa.select(key_days.c.key_id, key_days.c.requests).where(key_days.c.day == day)
        with self._database.reading() as connection:
            return {row.key_id: row.requests for row in connection.execute(query)}


def _key(row: Any) -> ApiKey:
    return ApiKey(
        id=row.id,
        name=row.name,
        scopes=frozenset(row.scopes),
        collection=row.collection,
        origins=tuple(row.origins),
        per_minute=row.per_minute,
        per_day=row.per_day,
        created_by=row.created_by,
        created_at=row.created_at,
        revoked_at=row.revoked_at,
    )
