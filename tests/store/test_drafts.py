"""Drafts and publications as they are kept, and the questions that readers have asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.core.retrieval.model import Role
from webapp.store.drafts import NewDraft
from webapp.store.publications import Publication
from webapp.store.schema import answers
from webapp.store.store import Store

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def author(store: Store, name: str = "a") -> int:
    return store.accounts.add(f"{name}@x.example", Role.EDITOR)


def test_a_draft_is_its_authors_alone(store: Store) -> None:
    mine, other = author(store), author(store, "b")
    draft = store.drafts.add(NewDraft("shop", mine, "a.md", "Text.", "0" * 64, [{"question": "Q?"}]))
    assert store.drafts.get(draft.id, mine) == draft
    assert store.drafts.get(draft.id, other) is None
    assert not store.drafts.change(replace(draft, author_id=other), path="b.md", text="", base=None)
    assert not store.drafts.remove(draft.id, other)
    assert (store.drafts.of(mine, "shop"), store.drafts.of(mine, "school"), store.drafts.of(other, "shop")) == (
        (draft,),
        (),
        (),
    )


def test_a_draft_changes_and_goes(store: Store) -> None:
    draft = store.drafts.add(NewDraft("shop", author(store), "a.md", "Text."))
    assert store.drafts.change(draft, path="b.md", text="More.", base="1" * 64)
    changed = store.drafts.get(draft.id, draft.author_id)
    assert changed
    assert (changed.path, changed.text, changed.base) == ("b.md", "More.", "1" * 64)
    assert changed.text_hash != draft.text_hash
    assert changed.updated_at >= draft.updated_at
    assert store.drafts.remove(draft.id, draft.author_id)
    assert store.drafts.get(draft.id, draft.author_id) is None


def test_publications_are_kept_once_and_read_newest_first(store: Store) -> None:
    first = Publication(
        "1" * 16, "shop", "a.md", "a", "publish", "e@x.example", "Words", None, "v1", "v2", {"agreed": []}, NOW
    )
    second = replace(first, id="2" * 16, message="Later", created_at=NOW + timedelta(hours=1))
    for one in (first, second, replace(first, message="Again")):
        store.publications.add(one)
    assert store.publications.latest("shop", 10) == [second, first]
    assert store.publications.latest("shop", 1, 1) == [first]
    assert store.publications.latest("school", 10) == []
    assert store.publications.get(first.id) == first
    assert store.publications.get("nothing") is None


def asked(store: Store, question: str | None, hours: int, collection: str = "shop") -> None:
    """Keep as much of an answer as counts here."""
    row: dict[str, Any] = {
        "id": f"{question}-{hours}-{collection}"[:32],
        "collection": collection,
        "question": question,
        "lang": "en",
        "abstained": True,
        "reason": "no_evidence",
        "index_version": "v1",
        "model": "m",
        "role": "customer",
        "created_at": NOW + timedelta(hours=hours),
        "prompt_hash": "",
        "milliseconds": {},
        "tokens_in": 0,
        "tokens_out": 0,
    }
    with store._database.writing() as connection:
        connection.execute(sa.insert(answers).values(row))


def test_questions_asked_most_come_first_each_in_its_commonest_spelling(store: Store) -> None:
    for hours in range(3):
        asked(store, "When do you open?", hours)
    asked(store, "when  do you OPEN?", 3)
    asked(store, "Where are you?", 9)
    asked(store, "Who are you?", 8)
    asked(store, None, 7)
    asked(store, "Elsewhere?", 6, "school")
    found = [(one.question, one.times) for one in store.asked.most_asked("shop", 10)]
    assert found == [("When do you open?", 4), ("Where are you?", 1), ("Who are you?", 1)]
    assert len(store.asked.most_asked("shop", 2)) == 2


def test_a_question_is_told_by_one_of_its_answers_as_long_as_that_is_there(store: Store) -> None:
    for hours, question in enumerate(("When do you open?", "Where are you?")):
        asked(store, question, hours)
    ids = [one.answer_id for one in store.asked.most_asked("shop", 10)]
    assert [store.asked.questions(ids)[id_] for id_ in ids] == ["Where are you?", "When do you open?"]
    store.answers.erase(ids[0])
    assert store.asked.questions(ids) == {ids[1]: "When do you open?"}
