from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.answering.model import Answer, Check, Citation, ModelRequest, Reason, Statement, Trace
from webapp.core.retrieval.model import LeftOut
from webapp.store.feedback import Vote
from webapp.store.kept import Erased, Kept, Snapshot, Stored
from webapp.store.schema import snapshots
from webapp.store.store import Store

NOW = datetime(2026, 11, 29, 21, 0, tzinfo=UTC)
COPY = Snapshot("shop", "returns", "returns.md", "# Returns\nWithin 30 days.\n", {"title": "Returns", "audience": []})
TRACE = Trace(
    prompt=ModelRequest("rules", "evidence", "How long?", "en", ()),
    raw_reply='{"status": "answered"}',
    prompt_hash="abc",
    detail="",
    milliseconds={"retrieve": 1.5},
    tokens_in=3,
    left_out=(LeftOut("returns:c2", "returns", "budget", 0.5),),
    checks=(Check("json", "failed", "not one JSON object"),),
    limits={"threshold": 0.4},
    signals={"score": 0.7},
)


def citation(marker: int = 1, document_id: str = "returns") -> Citation:
    return Citation(
        marker=marker,
        chunk_id=f"{document_id}:c{marker}",
        document_id=document_id,
        title="Returns",
        version="3",
        status="current",
        lang="en",
        updated=None,
        heading="Returning",
        first_line=2,
        last_line=2,
        label="Returning, line 2",
    )


def answer(id_: str = "one", *citations: Citation, **changes: Any) -> Answer:
    given = {
        "id": id_,
        "question": "How long?",
        "lang": "en",
        "collection": "shop",
        "index_version": "v1",
        "model": "extractive",
        "created_at": NOW,
        "abstained": not citations,
        "reason": Reason.OK if citations else Reason.NO_EVIDENCE,
        "confidence": "high" if citations else None,
        "answer": "Within 30 days." if citations else "We don't know.",
        "statements": (Statement(text="Within 30 days.", markers=(1,)),) if citations else (),
        "citations": citations,
    }
    return Answer.model_validate(given | changes)


def kept(one: Answer, once: str | None = None, copies: Mapping[str, Snapshot] | None = None) -> Kept:
    return Kept(one, TRACE, "customer", {"returns": COPY} if copies is None else copies, once, frozenset({"staff"}))


def test_an_answer_comes_back_whole(store: Store) -> None:
    one = answer("one", citation())
    assert store.answers.add(kept(one)) == "one"
    stored = store.answers.get("one")
    assert stored == Stored(one, TRACE, "customer", {"returns": COPY.hash}, frozenset({"staff"}))


def test_an_abstention_has_no_prompt(store: Store) -> None:
    bare = replace(TRACE, prompt=None, raw_reply="", prompt_hash="")
    store.answers.add(Kept(answer(), bare, "agent"))
    stored = store.answers.get("one")
    assert isinstance(stored, Stored)
    assert stored.trace == bare
    assert stored.snapshots == {}


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_any_text_survives(fresh_store: Callable[[], Store], text: str) -> None:
    store = fresh_store()
    one = answer("one", citation(), question=text, answer=text)
    store.answers.add(kept(one))
    stored = store.answers.get("one")
    assert isinstance(stored, Stored)
    assert stored.answer == one


def test_an_unknown_id_is_none(store: Store) -> None:
    assert store.answers.get("nothing") is None


def test_the_same_form_gives_the_answer_already_made(store: Store) -> None:
    assert store.answers.add(kept(answer("one", citation()), once="form")) == "one"
    assert store.answers.add(kept(answer("two", citation()), once="form")) == "one"
    assert store.answers.get("two") is None
    assert [store.answers.id_of(once) for once in ("form", "other")] == ["one", None]


def test_a_document_is_copied_once_for_each_content(store: Store) -> None:
    changed = replace(COPY, text=COPY.text + "More.\n")
    for id_, copy in (("one", COPY), ("two", COPY), ("three", changed)):
        store.answers.add(kept(answer(id_, citation()), copies={"returns": copy}))
    assert store.snapshots.get(COPY.hash) == COPY
    assert store.snapshots.get(changed.hash) == changed
    assert _count_copies(store) == 2


def test_the_hash_covers_what_the_front_matter_said() -> None:
    assert COPY.hash != replace(COPY, details={"title": "Returns", "audience": ["staff"]}).hash


def test_an_answer_without_the_copy_of_a_source_is_not_kept_at_all(store: Store) -> None:
    with pytest.raises(KeyError):
        store.answers.add(kept(answer("one", citation()), copies={}))
    assert store.answers.get("one") is None


def test_erasing_leaves_nothing_of_what_was_said(store: Store) -> None:
    store.answers.add(kept(answer("one", citation()), once="form"))
    store.feedback.put("one", "reader", Vote(good=True, words="Thanks, Ada"))
    assert store.answers.erase("one")
    erased = store.answers.get("one")
    assert isinstance(erased, Erased)
    assert erased.why == "erased"
    assert store.snapshots.get(COPY.hash) is None
    assert store.feedback.all("one") == ()
    assert store.answers.id_of("form") is None
    assert not store.answers.erase("one")


def test_a_copy_that_another_answer_cites_stays(store: Store) -> None:
    for id_ in ("one", "two"):
        store.answers.add(kept(answer(id_, citation())))
    store.answers.erase("one")
    assert store.snapshots.get(COPY.hash) == COPY


def test_retention_erases_the_old_ones_alone(store: Store) -> None:
    today = datetime.now(UTC)
    for days in (0, 9, 11):
        store.answers.add(kept(answer(f"{days}", citation(), created_at=today - timedelta(days=days))))
    assert store.keep_for(10) == 1
    assert isinstance(store.answers.get("9"), Stored)
    gone = store.answers.get("11")
    assert isinstance(gone, Erased)
    assert gone.why == "retention"
    assert store.keep_for(0) == 0


def test_one_vote_a_reader(store: Store) -> None:
    store.answers.add(kept(answer()))
    store.feedback.put("one", "ada", Vote(good=True))
    store.feedback.put("one", "ada", Vote(good=False, reason="wrong", words="It is 14 days"))
    store.feedback.put("one", "ben", Vote(good=True))
    mine = store.feedback.get("one", "ada")
    assert mine
    assert (mine.good, mine.reason, mine.words) == (False, "wrong", "It is 14 days")
    assert len(store.feedback.all("one")) == 2
    assert store.feedback.get("one", "carl") is None


def _count_copies(store: Store) -> int:
    with store._database.reading() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(snapshots)).scalar_one()


def test_an_answer_that_was_read_is_gone_once_any_process_has_erased_it(store: Store) -> None:
    store.answers.add(kept(answer("one", citation())))
    first = store.answers.get("one")
    assert store.answers.get("one") is first
    Store(store._database).answers.erase("one")
    assert isinstance(store.answers.get("one"), Erased)
