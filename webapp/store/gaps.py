"""Questions that the pages left open: those without an answer, and those whose answer a reader found unhelpful."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.core.answering.model import Reason
from webapp.store.answers import hold_answer
from webapp.store.database import Database
from webapp.store.finding import cites_none_of
from webapp.store.schema import answers, feedback, gap_questions, searchable
from webapp.store.words import moment_of

# A reply that was cut short or a model out of reach says nothing about the pages.
OPEN_REASONS = (
    Reason.NO_EVIDENCE,
    Reason.WEAK_EVIDENCE,
    Reason.MODEL_ABSTAINED,
    Reason.CONFLICTING_SOURCES,
    Reason.UNSUPPORTED_NUMBER,
    Reason.UNSUPPORTED_STATEMENT,
)
_LEANS = '"leans":true'  # in an answer's JSON; a question that holds these words has its quotes escaped there


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question as it was asked once. `vector` is None until its meaning is known to that embedder."""

    answer_id: str
    question: str
    lang: str
    at: datetime
    down: int  # votes against its answer
    embedder: str | None
    vector: bytes | None
    dismissed: bool


class GapQuestions:
    """The open questions of every collection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest(
        self, collection: str, closed: frozenset[str], limit: int, since: int | None = None
    ) -> list[OpenQuestion]:
        """Return the newest open questions, less those whose answer cites a `closed` copy; a question that leaned on
        an earlier one says nothing by itself and is left out."""
        voted = sa.select(feedback.c.answer_id, sa.func.count().label("down")).where(feedback.c.good.is_(False))
        votes = voted.group_by(feedback.c.answer_id).subquery()
        unclear = sa.and_(searchable.c.reason == Reason.WEAK_EVIDENCE, answers.c.body.contains(_LEANS))
        query = (
            sa.select(
                searchable.c.answer_id,
                answers.c.question,
                searchable.c.lang,
                searchable.c.position,
                sa.func.coalesce(votes.c.down, 0).label("down"),
                gap_questions.c.embedder,
                gap_questions.c.vector,
                gap_questions.c.dismissed_at,
            )
            .join(answers, answers.c.id == searchable.c.answer_id)
            .outerjoin(votes, votes.c.answer_id == searchable.c.answer_id)
            .outerjoin(gap_questions, gap_questions.c.answer_id == searchable.c.answer_id)
            .where(searchable.c.collection == collection, ~unclear, *cites_none_of(closed))
            .where(sa.or_(searchable.c.reason.in_(OPEN_REASONS), votes.c.down.is_not(None)))
            .order_by(searchable.c.position.desc())
            .limit(limit)
        )
        if since is not None:
            query = query.where(searchable.c.position >= since)
        with self._database.reading() as connection:
            return [_open_question(row) for row in connection.execute(query)]

    def keep_vectors(self, embedder: str, vectors: Iterable[tuple[str, bytes]]) -> None:
        """Keep what questions mean to an embedder, by answer; those of answers erased meanwhile are dropped."""
        with self._database.writing() as connection:
            for answer_id, vector in vectors:
                self._put(connection, answer_id, {"embedder": embedder, "vector": vector})

    def dismiss(self, answer_ids: Sequence[str], dismissed: bool) -> None:
        """Put questions aside, or bring them back."""
        moment = datetime.now(UTC) if dismissed else None
        with self._database.writing() as connection:
            for answer_id in answer_ids:
                self._put(connection, answer_id, {"dismissed_at": moment})

    def _put(self, connection: sa.Connection, answer_id: str, values: dict[str, object]) -> None:
        new = self._database.insert(gap_questions).values({"answer_id": answer_id} | values)
        if hold_answer(connection, answer_id):
            connection.execute(new.on_conflict_do_update(index_elements=["answer_id"], set_=values))


def _open_question(row: Any) -> OpenQuestion:
    given = row._mapping
    return OpenQuestion(
        answer_id=given["answer_id"],
        question=given["question"],
        lang=given["lang"],
        at=moment_of(given["position"]),
        down=given["down"],
        embedder=given["embedder"],
        vector=given["vector"],
        dismissed=given["dismissed_at"] is not None,
    )
