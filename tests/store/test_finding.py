"""Stored answers found by words and by what they are, page by page, and never one that cites a closed copy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.test_answers import COPY, NOW, answer, citation, kept
from tests.store.test_database import take_back
from webapp.core.answering.model import Reason
from webapp.store.feedback import Vote
from webapp.store.finding import Wanted
from webapp.store.kept import Kept
from webapp.store.store import Store
from webapp.store.words import position_of

SHOP = ("shop",)


def put(store: Store, number: int, question: str, *cited: Any, asker: str | None = None, **changes: Any) -> str:
    """Keep the answer of that number, made so many minutes after the first."""
    one = answer(f"a{number}", *cited, question=question, created_at=NOW + timedelta(minutes=number), **changes)
    store.answers.add(replace(kept(one), asker=asker))
    return one.id


def found(store: Store, wanted: Wanted, limit: int = 100, **place: Any) -> list[str]:
    return [one.answer.id for one in store.finder.page(wanted, limit, **place)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ফেরত", ["a0"]),
        ("সাইকেল ফেরত", ["a0"]),
        ("ফের", ["a0"]),  # the begin of a word
        ("রত", []),  # no part of one: vowel signs and conjuncts do not cut words
        ("ফেরতের", ["a0"]),  # an inflected form
        ("মো\u09dcক", ["a1"]),  # U+09DC in one sequence, two characters in the other
        ("ক্ষ", []),
        ("ERR-0942", ["a2"]),
        ("err-0942", ["a2"]),
        ("0942", ["a2"]),
        ("094", []),  # a number is no begin of another one
        ("1500", ["a2"]),
        ("1,500", ["a2"]),
        ("returning bikes", ["a3"]),
        ("RETURN", ["a3"]),
        ("bicycle", []),
        ("drop table answers; --", []),
        ('"', []),
        ("NOT OR AND NEAR(", []),
        ("*", []),
    ],
)
def test_words_are_found_whole_in_every_script(store: Store, words: str, expected: list[str]) -> None:
    """R01, R02, R06: vowel signs do not break Bangla words; codes and amounts are found as they are."""
    questions = (
        "সাইকেল ফেরত দিতে কত দিন সময় পাব?",
        "মো\u09a1\u09bcক খোলা হেলমেট কি নেওয়া যায়?",
        "What is ERR-0942, and why 1,500 Tk?",
        "Can I return a bike?",
    )
    for number, question in enumerate(questions):
        put(store, number, question)
    assert found(store, Wanted(SHOP, words=words)) == expected


def test_words_of_the_answer_are_found_too(store: Store) -> None:
    put(store, 0, "How long?", answer="Within thirty days of delivery.")
    assert found(store, Wanted(SHOP, words="delivery long")) == ["a0"]


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_whatever_is_looked_for_is_words_and_no_query(fresh_store: Callable[[], Store], text: str) -> None:
    """An answer is found by its own question, and nothing that people type breaks the search."""
    store = fresh_store()
    put(store, 0, text)
    assert found(store, Wanted(SHOP, words=text)) in (["a0"], [])
    if any(character.isalnum() for character in text):
        assert found(store, Wanted(SHOP, words=text)) == ["a0"]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 7), st.integers(0, 17), st.booleans())
def test_pages_join_to_the_whole_list_in_both_directions(
    fresh_store: Callable[[], Store], size: int, count: int, oldest_first: bool
) -> None:
    store = fresh_store()
    for number in range(count):
        put(store, number, "How long?")
    wanted = Wanted(SHOP, oldest_first=oldest_first)
    whole = store.finder.page(wanted, 100)
    assert [one.answer.id for one in whole] == [f"a{n}" for n in range(count)][:: 1 if oldest_first else -1]
    assert list(store.finder.all(wanted)) == whole
    there, beyond = [], None
    while page := store.finder.page(wanted, size, beyond):
        there += page
        beyond = page[-1].position
    assert there == whole
    back = store.finder.page(wanted, size, whole[-1].position, back=True) if whole else []
    assert back == whole[:-1][-size:]


def test_answers_of_one_moment_have_an_order_too(store: Store) -> None:
    for id_ in ("x", "y", "z"):
        store.answers.add(kept(answer(id_)))
    first, second, third = store.finder.page(Wanted(SHOP), 3)
    assert first.position > second.position > third.position == position_of(NOW)


def test_each_wish_narrows_what_is_found(store: Store) -> None:
    put(store, 0, "One?", citation(1), asker="ada")
    put(store, 1, "Two?", lang="bn", index_version="v2", reason=Reason.WEAK_EVIDENCE)
    put(store, 2, "Three?", collection="school")
    store.feedback.put("a0", "x", Vote(good=False))
    store.feedback.put("a0", "y", Vote(good=True))
    wishes: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["a1", "a0"]),
        ({"reasons": frozenset({"ok"})}, ["a0"]),
        ({"lang": "bn"}, ["a1"]),
        ({"index_version": "v2"}, ["a1"]),
        ({"document": "returns"}, ["a0"]),
        ({"document": "returns", "lines": ((3, 9),)}, []),
        ({"document": "returns", "lines": ((9, 9), (1, 2))}, ["a0"]),
        ({"voted": False}, ["a0"]),
        ({"voted": True}, ["a0"]),
        ({"asker": "ada"}, ["a0"]),
        ({"asker": "ben"}, []),
        ({"since": position_of(NOW + timedelta(minutes=1))}, ["a1"]),
        ({"until": position_of(NOW + timedelta(minutes=1))}, ["a0"]),
        ({"closed": frozenset({COPY.hash})}, ["a1"]),
        ({"closed": frozenset({"another"})}, ["a1", "a0"]),
    ]
    for wish, expected in wishes:
        assert found(store, Wanted(SHOP, **wish)) == expected, wish
    (_, voted) = store.finder.page(Wanted(SHOP), 2)
    assert (voted.up, voted.down) == (1, 1)
    assert store.finder.languages(SHOP) == ["bn", "en"]
    assert store.finder.versions(("shop", "school")) == ["v1", "v2"]


def test_erasing_leaves_nothing_to_be_found_by(store: Store) -> None:
    put(store, 0, "My secret name is Anwari", citation(1), asker="ada")
    put(store, 1, "Another")
    store.gaps.keep_vectors("e", [("a0", b"vector")])
    store.answers.erase("a0")
    assert found(store, Wanted(SHOP)) == ["a1"]
    assert found(store, Wanted(SHOP, words="Anwari")) == []
    with store._database.reading() as connection:
        dump = "\n".join(str(row) for row in connection.execute(sa.text("SELECT * FROM searchable")))
        if not store._database.on_server:  # there the index is the table's own
            terms = sa.text("SELECT count(*) FROM searchable_index WHERE searchable_index MATCH 'anwari'")
            assert connection.execute(terms).scalar() == 0
        assert connection.execute(sa.text("SELECT count(*) FROM gap_questions")).scalar() == 0
    assert "anwari" not in dump


def test_all_that_one_asked_goes_and_what_carried_it_along(store: Store) -> None:
    put(store, 0, "Mine", asker="ada")
    put(store, 1, "Mine too", asker="ada")
    put(store, 2, "Yours", asker="ben", follows={"answer_id": "a0", "question": "Mine"})
    put(store, 3, "Yours alone", asker="ben")
    store.feedback.put("a3", "ada", Vote(good=False, words="I am Ada"))
    assert store.answers.count_asked_by("ada") == 2
    assert store.answers.asker_of("a0") == "ada"
    assert store.answers.erase_all_of("ada") == 3
    assert found(store, Wanted(SHOP)) == ["a3"]
    assert store.feedback.all("a3") == ()
    assert store.answers.count_asked_by("ada") == 0
    assert store.answers.asker_of("a0") is None
    assert store.answers.erase_all_of("ada") == 0


def test_answers_from_before_there_was_a_search_are_found_after_the_migration(address: str) -> None:
    store = Store.open(address)
    put(store, 0, "Can I return a bike?", citation(1))
    put(store, 1, "And a lamp?", follows={"answer_id": "a0", "question": "Can I return a bike?"})
    put(store, 2, "Erased")
    store.answers.erase("a2")
    take_back(store._database, "0003")
    store.close()
    store = Store.open(address)
    assert found(store, Wanted(SHOP, words="bike")) == ["a0"]
    assert found(store, Wanted(SHOP)) == ["a1", "a0"]
    assert store.answers.erase("a0")
    assert found(store, Wanted(SHOP)) == []
    store.close()


def test_an_answer_from_the_inbox_keeps_its_asker() -> None:
    one = Kept.from_json(replace(kept(answer()), asker="ada").as_json())
    assert one.asker == "ada"
