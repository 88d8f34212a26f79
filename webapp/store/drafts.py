"""Drafts: pages that nobody but their author sees until they are published."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.schema import drafts


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft. `base` is the sha256 of the file it was begun from, hex; None: there was none.

    `questions` are those that it was begun for, each with `answers`: the ids of the answers that readers got to it.
    """

    id: str
    collection: str
    author_id: int
    path: str
    base: str | None
    text: str
    questions: tuple[Mapping[str, Any], ...]
    created_at: datetime
    updated_at: datetime

    @property
    def text_hash(self) -> str:
        """The state of the text, by which it is told whether it was edited since."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class NewDraft:
    """What a draft is begun with."""

    collection: str
    author_id: int
    path: str
    text: str
    base: str | None = None
    questions: Sequence[Mapping[str, Any]] = ()


class Drafts:
    """The drafts, by id; whoever asks for one says whose it must be."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, new: NewDraft) -> Draft:
        """Keep a new draft and return it."""
        now = datetime.now(UTC)
        row: dict[str, Any] = {
            "id": secrets.token_urlsafe(12),
            "collection": new.collection,
            "author_id": new.author_id,
            "path": new.path,
            "base": new.base,
            "text": new.text,
            "questions": [dict(one) for one in new.questions],
            "created_at": now,
            "updated_at": now,
        }
        with self._database.writing() as connection:
            connection.execute(drafts.insert().values(row))
        return Draft(**row | {"questions": tuple(row["questions"])})

    def get(self, draft_id: str, author_id: int) -> Draft | None:
        """Return that draft if it is this author's."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(drafts).where(_mine(draft_id, author_id))).first()
        return _draft(row) if row else None

    def of(self, author_id: int, collection: str) -> tuple[Draft, ...]:
        """Return an author's drafts in a collection, the one changed last first."""
        mine = sa.and_(drafts.c.author_id == author_id, drafts.c.collection == collection)
        query = sa.select(drafts).where(mine).order_by(drafts.c.updated_at.desc(), drafts.c.id)
        with self._database.reading() as connection:
            return tuple(map(_draft, connection.execute(query)))

    def change(self, draft: Draft, *, path: str, text: str, base: str | None) -> bool:
        """Keep the draft as it is now; False when it is gone."""
        values = {"path": path, "text": text, "base": base, "updated_at": datetime.now(UTC)}
        with self._database.writing() as connection:
            which = _mine(draft.id, draft.author_id)
            return connection.execute(drafts.update().where(which).values(values)).rowcount == 1

    def remove(self, draft_id: str, author_id: int) -> bool:
        """Remove the draft; False when there was none."""
        with self._database.writing() as connection:
            return connection.execute(drafts.delete().where(_mine(draft_id, author_id))).rowcount == 1


def forget_answers(connection: sa.Connection, erased: Set[str]) -> None:
    """Take out of drafts, inside the caller's transaction, the questions to which no answer is kept any more: from the
    list, and their words wherever the text or the file's name still has them."""
    query = sa.select(drafts.c.id, drafts.c.questions).where(drafts.c.base.is_(None))
    for row in connection.execute(query).all():
        left, gone = _less(row.questions, erased)
        if left != row.questions:
            text = connection.execute(sa.select(drafts.c.text).where(drafts.c.id == row.id)).scalar_one()
            values = {"questions": left, "text": _without(text, gone)}
            if gone:
                values["path"] = f"page-{row.id.lower()}.md"
            connection.execute(drafts.update().where(drafts.c.id == row.id).values(values))


def _less(questions: Sequence[Mapping[str, Any]], erased: Set[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the questions that are left, and the words of those that are gone."""
    left, gone = [], []
    for one in questions:
        answers = [id_ for id_ in one.get("answers", ()) if id_ not in erased]
        if answers or not one.get("answers"):
            left.append(dict(one) | ({"answers": answers} if answers else {}))
        else:
            gone.append(one["question"])
    return left, gone


def _without(text: str, gone: Sequence[str]) -> str:
    for words in gone:
        for written in (words, json.dumps(words, ensure_ascii=False)[1:-1]):  # in a heading, in the head's title
            text = text.replace(written, "…")
    return text


def _mine(draft_id: str, author_id: int) -> sa.ColumnElement[bool]:
    return sa.and_(drafts.c.id == draft_id, drafts.c.author_id == author_id)


def _draft(row: Any) -> Draft:
    return Draft(**dict(row._mapping) | {"questions": tuple(row.questions)})
