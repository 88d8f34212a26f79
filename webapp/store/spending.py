"""What models behind a server were used for, and what that cost: a row for each collection, day and model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.schema import spending

NANOS = 1_000_000_000  # of one unit of money
_KEY = (spending.c.collection, spending.c.day, spending.c.model)
_SUMS = ("replies", "estimated", "tokens_in", "tokens_out", "nanos")


@dataclass(frozen=True, slots=True)
class Spent:
    """Replies of a model on a day (UTC). `estimated` of them came without a count of tokens; `nanos` is money, in
    billionths."""

    collection: str
    day: date
    model: str
    replies: int
    estimated: int
    tokens_in: int
    tokens_out: int
    nanos: int

    @property
    def money(self) -> float:
        """What it cost, in whole units."""
        return self.nanos / NANOS


class Spending:
    """What was spent. Every process that shares the database adds to the same sums."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, spent: Spent) -> None:
        """Add to what was spent that day."""
        insert = self._database.insert(spending).values(asdict(spent))
        sums = {name: spending.c[name] + insert.excluded[name] for name in _SUMS}
        with self._database.writing() as connection:
            connection.execute(insert.on_conflict_do_update(index_elements=_KEY, set_=sums))

    def money(self, collection: str, day: date) -> Decimal:
        """Return the money that a collection's models cost that day, exactly."""
        query = sa.select(sa.func.sum(spending.c.nanos)).where(
            spending.c.collection == collection, spending.c.day == day
        )
        with self._database.reading() as connection:
            return Decimal(connection.execute(query).scalar() or 0) / NANOS

    def since(self, day: date, collection: str | None = None) -> list[Spent]:
        """Return what was spent from that day on, by one collection or by all, newest day first."""
        wanted = [spending.c.day >= day]
        if collection is not None:
            wanted.append(spending.c.collection == collection)
        query = sa.select(spending).where(*wanted).order_by(spending.c.day.desc(), *_KEY)
        with self._database.reading() as connection:
            return [Spent(**row._mapping) for row in connection.execute(query)]
