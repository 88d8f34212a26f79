"""Keys of the API: made once and shown once, bound to a collection, to pages of some origins, to a rate."""

from __future__ import annotations

import hashlib
import secrets
import time
from datetime import UTC, datetime
from enum import StrEnum

from pydantic import BaseModel, Field

from webapp.core.origins import origins
from webapp.store.keys import ApiKey
from webapp.store.store import Store

PREFIX = "ed_"  # so that a key is known for one wherever it turns up

_KNOWN_FOR = 5.0  # seconds
_UNKNOWN: tuple[float, frozenset[str]] = (0.0, frozenset())


class Scope(StrEnum):
    """What a key may do."""

    ASK = "ask"
    FEEDBACK = "feedback"


class NewKey(BaseModel):
    """What whoever makes a key decides."""

    name: str = Field(min_length=1, max_length=100)
    scopes: frozenset[Scope] = Field(min_length=1)
    collection: str | None = None
    origins: tuple[str, ...] = ()
    per_minute: int = Field(30, ge=1, le=10_000)
    per_day: int = Field(1000, ge=1, le=10_000_000)


class Keys:
    """All keys; `services.keys`."""

    def __init__(self, store: Store) -> None:
        self._keys = store.keys
        self._open = _UNKNOWN  # until when which origins are known to be open to some key

    def make(self, wanted: NewKey, author: str) -> tuple[str, ApiKey]:
        """Make a key; what is returned first is to be shown now, since only its hash is kept. Raises BadOrigin."""
        secret = PREFIX + secrets.token_urlsafe(24)
        kept = ApiKey(
            id=secrets.token_hex(4),
            name=wanted.name,
            scopes=frozenset(scope.value for scope in wanted.scopes),
            collection=wanted.collection,
            origins=origins(wanted.origins),
            per_minute=wanted.per_minute,
            per_day=wanted.per_day,
            created_by=author,
            created_at=datetime.now(UTC),
        )
        self._keys.add(_hash(secret), kept)
        self._open = _UNKNOWN
        return secret, kept

    def all(self) -> tuple[ApiKey, ...]:
        """Return every key, the newest first, revoked ones too."""
        return self._keys.all()

    def of(self, secret: str) -> ApiKey | None:
        """Return the key that is sent as `secret`; None when there is none, or it is revoked."""
        return self._keys.find(_hash(secret))

    def revoke(self, key_id: str) -> bool:
        """End a key at once; tells whether there was one to end."""
        revoked = self._keys.revoke(key_id)
        self._open = _UNKNOWN
        return revoked

    def spend(self, key: ApiKey) -> bool:
        """Count a request of today (UTC); False when the key has none left."""
        return self._keys.count(key.id, datetime.now(UTC).date(), key.per_day)

    def used_today(self) -> dict[str, int]:
        """Return the requests of today (UTC) by key."""
        return self._keys.used(datetime.now(UTC).date())

    def is_open_to(self, origin: str) -> bool:
        """Tell whether pages of that origin may use any key, as far as was known a few seconds ago: this is for
        browsers that ask first, each of which then has its key looked at."""
        until, origins = self._open
        if time.monotonic() >= until:
            origins = frozenset(one for key in self._keys.all() if key.revoked_at is None for one in key.origins)
            self._open = (time.monotonic() + _KNOWN_FOR, origins)
        return origin in origins


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
