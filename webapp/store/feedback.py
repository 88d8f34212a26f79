"""What readers thought of answers: one vote for each reader and answer, the last one counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from webapp.store.answers import hold_answer
from webapp.store.database import Database, again_if_broken_off
from webapp.store.schema import feedback


@dataclass(frozen=True, slots=True)
class Vote:
    """A thumb up or down, why, and in whose words."""

    good: bool
    reason: str | None = None
    words: str | None = None
    at: datetime | None = None


_MINE = sa.select(feedback).where(
    feedback.c.answer_id == sa.bindparam("answer_id"), feedback.c.reader == sa.bindparam("reader")
)


class Feedback:
    """The votes, by answer and reader (a hash that says nothing about the person)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @again_if_broken_off
    def put(self, answer_id: str, reader: str, vote: Vote) -> None:
        """Keep a reader's vote in place of an earlier one; none on an answer that has been erased meanwhile."""
        said = {"good": vote.good, "reason": vote.reason, "words": vote.words, "created_at": datetime.now(UTC)}
        new = self._database.insert(feedback).values({"answer_id": answer_id, "reader": reader} | said)
        with self._database.writing() as connection:
            if hold_answer(connection, answer_id):
                connection.execute(new.on_conflict_do_update(index_elements=["answer_id", "reader"], set_=said))

    def remove(self, answer_id: str, reader: str) -> None:
        """Take a reader's vote back."""
        mine = sa.and_(feedback.c.answer_id == answer_id, feedback.c.reader == reader)
        with self._database.writing() as connection:
            connection.execute(feedback.delete().where(mine))

    def get(self, answer_id: str, reader: str) -> Vote | None:
        """Return that reader's vote."""
        with self._database.reading() as connection:
            row = connection.execute(_MINE, {"answer_id": answer_id, "reader": reader}).first()
        return Vote(row.good, row.reason, row.words, row.created_at) if row else None

    def all(self, answer_id: str) -> tuple[Vote, ...]:
        """Return every vote on an answer, the first first."""
        query = sa.select(feedback).where(feedback.c.answer_id == answer_id).order_by(feedback.c.created_at)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return tuple(Vote(row.good, row.reason, row.words, row.created_at) for row in rows)
