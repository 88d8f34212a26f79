"""Whether all processes that share a database sign cookies and forms with one key: else they refuse each other's."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from webapp.settings import Settings

if TYPE_CHECKING:
    from webapp.store.store import Store

_LATELY = timedelta(days=1)  # so often every worker says anew with what it signs


def note_key(settings: Settings, store: Store) -> None:
    """Say with what this process signs."""
    store.signers.seen(_fingerprint(settings), store.now())


def other_key_seen_at(settings: Settings, store: Store) -> datetime | None:
    """Return when another process last said that it signs with another key, if one has lately."""
    return store.signers.other(_fingerprint(settings), store.now() - _LATELY)


def _fingerprint(settings: Settings) -> str:
    return hmac.new(settings.signing_key().encode(), b"fingerprint", hashlib.sha256).hexdigest()
