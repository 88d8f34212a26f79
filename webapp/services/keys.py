"""Keys of the API: made once and shown once, bound to a collection, to pages of some origins, to a rate."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from webapp.store.keys import ApiKey
from webapp.store.store import Store

PREFIX = "ed_"  # so that a key is known for one wherever it turns up
_HOST = re.compile(r"[a-z0-9.\-]+|\[[0-9a-f:.]+\]")


class Scope(StrEnum):
    """What a key may do."""

    ASK = "ask"
    FEEDBACK = "feedback"


class BadOrigin(ValueError):
    """Not the origin of a page; `origin` is what was given."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        super().__init__(f"{origin!r} is no origin; write one like https://shop.example, without a path")


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
        return secret, kept

    def all(self) -> tuple[ApiKey, ...]:
        """Return every key, the newest first, revoked ones too."""
        return self._keys.all()

    def of(self, secret: str) -> ApiKey | None:
        """Return the key that is sent as `secret`; None when there is none, or it is revoked."""
        return self._keys.find(_hash(secret))

    def revoke(self, key_id: str) -> bool:
        """End a key at once; tells whether there was one to end."""
        return self._keys.revoke(key_id)

    def spend(self, key: ApiKey) -> bool:
        """Count a request of today (UTC); False when the key has none left."""
        return self._keys.count(key.id, datetime.now(UTC).date(), key.per_day)

    def used_today(self) -> dict[str, int]:
        """Return the requests of today (UTC) by key."""
        return self._keys.used(datetime.now(UTC).date())

    def is_open_to(self, origin: str) -> bool:
        """Tell whether pages of that origin may use any key."""
        return any(origin in key.origins for key in self._keys.all() if key.revoked_at is None)


def origin(written: str) -> str:
    """Return an origin as browsers send it. Raises BadOrigin."""
    try:
        parts = urlsplit(written.strip().lower().removesuffix("/"))
        port = parts.port
    except ValueError:
        raise BadOrigin(written) from None
    alone = not (parts.path or parts.query or parts.fragment or parts.username)
    host = parts.netloc.rpartition(":")[0] if port is not None else parts.netloc
    if parts.scheme not in ("http", "https") or not alone or not _HOST.fullmatch(host):
        raise BadOrigin(written)
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" if port in (None, usual) else f"{parts.scheme}://{host}:{port}"


def origins(written: Iterable[str]) -> tuple[str, ...]:
    """Return each origin once, as browsers send them. Raises BadOrigin."""
    return tuple(dict.fromkeys(map(origin, written)))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
