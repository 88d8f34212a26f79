"""Rates that are counted in the database, for all processes that share it together."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime, timedelta

from flask import g
from limits.storage import Storage
from sqlalchemy.exc import SQLAlchemyError

from webapp.store.rates import Rate, Rates

SCHEME = "database"


class DatabaseStorage(Storage):
    """Keys name addresses: only keyed hashes of them are kept."""

    STORAGE_SCHEME: list[str] | None = [SCHEME]  # noqa: RUF012 (the base class says so)

    def __init__(self, uri: str | None = None, *, rates: Rates, secret: str, **_: float | str | bool) -> None:
        super().__init__(uri)
        self._rates = rates
        self._secret = secret.encode()

    @property
    def base_exceptions(self) -> type[Exception]:
        """What goes wrong here."""
        return SQLAlchemyError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count so many more in a span of so many seconds; return the count."""
        hashed = self._hash(key)
        rate = self._rates.add(hashed, amount, timedelta(seconds=expiry), datetime.now(UTC))
        self._known()[hashed] = rate
        return rate.count

    def get(self, key: str) -> int:
        """Return the count."""
        return self._rate(key).count

    def get_expiry(self, key: str) -> float:
        """Return when the span is over, as seconds since 1970."""
        return self._rate(key).over_at.timestamp()

    def check(self) -> bool:
        """Tell whether counting is possible."""
        try:
            self._rates.get("", datetime.now(UTC))
        except SQLAlchemyError:
            return False
        return True

    def reset(self) -> None:
        """Forget all counts."""
        self._rates.clear()

    def clear(self, key: str) -> None:
        """Forget a count."""
        self._rates.clear(self._hash(key))

    def _rate(self, key: str) -> Rate:
        """What this request has just counted need not be asked for again: its reply says how many are left."""
        hashed = self._hash(key)
        return self._known().get(hashed) or self._rates.get(hashed, datetime.now(UTC))

    def _known(self) -> dict[str, Rate]:
        known: dict[str, Rate] = g.setdefault("rates", {})
        return known

    def _hash(self, key: str) -> str:
        return hmac.new(self._secret, key.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
