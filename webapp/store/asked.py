"""What readers have asked, each question once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.core.documents.lines import fold
from webapp.store.database import Database
from webapp.store.finding import cites_none_of
from webapp.store.schema import answers

_SPELLINGS = 4  # of one question, differing in case and blanks, that are expected at most on average
_BATCH = 500  # ids that one statement takes


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in its commonest spelling, in which language it was asked, and how often. Who keeps it keeps
    `answer_id`, one of its answers: the words themselves go when that is erased."""

    question: str
    lang: str
    times: int
    last: datetime
    answer_id: str = ""


class AskedQuestions:
    """The questions of the answers that are kept."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def most_asked(self, collection: str, limit: int, closed: frozenset[str] = frozenset()) -> list[Asked]:
        """Return the questions asked most often, of equals the last asked first, less those whose answer cites a
        `closed` copy. Case and blanks make no difference."""
        times, last = sa.func.count().label("times"), sa.func.max(answers.c.created_at, type_=answers.c.created_at.type)
        query = (
            sa.select(
                answers.c.question, answers.c.lang, times, last.label("last"), sa.func.min(answers.c.id).label("id")
            )
            .where(answers.c.collection == collection, answers.c.question.is_not(None))
            .where(*cites_none_of(closed, answers.c.id))
            .group_by(answers.c.question, answers.c.lang)
            .order_by(times.desc(), sa.desc("last"))
            .limit(limit * _SPELLINGS)
        )
        with self._database.reading() as connection:
            return _joined(connection.execute(query))[:limit]

    def questions(self, answer_ids: Sequence[str]) -> dict[str, str]:
        """Return the questions of answers, by id, less those that are erased."""
        found: dict[str, str] = {}
        with self._database.reading() as connection:
            for start in range(0, len(answer_ids), _BATCH):
                mine = answers.c.id.in_(answer_ids[start : start + _BATCH])
                rows = connection.execute(sa.select(answers.c.id, answers.c.question).where(mine))
                found |= {row.id: row.question for row in rows if row.question is not None}
        return found


def _joined(rows: Iterable[Any]) -> list[Asked]:
    """Join spellings of one question; the first is the commonest."""
    found: dict[str, Asked] = {}
    for row in rows:
        key = fold(row.question).casefold()
        known = found.get(key)
        if known:
            found[key] = replace(known, times=known.times + row.times, last=max(known.last, row.last))
        else:
            found[key] = Asked(row.question, row.lang, row.times, row.last, row.id)
    return sorted(found.values(), key=lambda one: (one.times, one.last), reverse=True)
