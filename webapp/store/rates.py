"""How often something was done in a span of time, counted for all processes together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.schema import rates


@dataclass(frozen=True, slots=True)
class Rate:
    """How often in the span that ends at that moment."""

    count: int
    over_at: datetime


class Rates:
    """The counts, by key (a hash). A span begins with a count, when there is none or the last one is over."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: str, amount: int, span: timedelta, now: datetime) -> Rate:
        """Count so many more."""
        fresh = {"count": amount, "over_at": now + span}
        over = sa.or_(rates.c.over_at <= now, rates.c.over_at > now + span)  # the latter: the clock went back
        counted = {
            "count": sa.case((over, amount), else_=rates.c["count"] + amount),
            "over_at": sa.case((over, sa.literal(fresh["over_at"], rates.c.over_at.type)), else_=rates.c.over_at),
        }
        new = self._database.insert(rates).values({"key": key} | fresh)
        more = new.on_conflict_do_update(index_elements=["key"], set_=counted)
        with self._database.writing() as connection:
            row = connection.execute(more.returning(rates.c["count"], rates.c.over_at)).one()
        return Rate(row[0], row[1])

    def get(self, key: str, now: datetime) -> Rate:
        """Return the count; none, in a span that is over, when there is nothing to count any longer."""
        query = sa.select(rates.c["count"], rates.c.over_at).where(rates.c.key == key, rates.c.over_at > now)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return Rate(row[0], row[1]) if row else Rate(0, now)

    def clear(self, key: str | None = None) -> None:
        """Forget a count, or all."""
        which = rates.delete() if key is None else rates.delete().where(rates.c.key == key)
        with self._database.writing() as connection:
            connection.execute(which)

    def drop_over(self, now: datetime) -> None:
        """Forget the counts of spans that are over."""
        with self._database.writing() as connection:
            connection.execute(rates.delete().where(rates.c.over_at <= now))
