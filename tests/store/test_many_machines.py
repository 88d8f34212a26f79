"""What several processes do at the same moment, and what one database takes as well as another."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier, Lock
from typing import TypeVar

import pytest
import sqlalchemy as sa

from tests.store.test_answers import COPY, NOW, answer, citation, kept
from tests.store.test_finding import SHOP, found, put
from webapp.core.answering.model import Answer
from webapp.store.answers import Answers
from webapp.store.database import Database, DatabaseError, again_if_broken_off
from webapp.store.feedback import Feedback, Vote
from webapp.store.finding import Wanted
from webapp.store.gaps import GapQuestions
from webapp.store.jobs import JobState
from webapp.store.kept import Erased, Stored
from webapp.store.keys import ApiKey
from webapp.store.proposals import proposal
from webapp.store.server import away, passing
from webapp.store.store import Store

T = TypeVar("T")
AT_ONCE = 6


def at_once(work: Callable[[int], T]) -> list[T]:
    """Do it several times at the same moment, each time with a number of its own."""
    together = Barrier(AT_ONCE)

    def done(number: int) -> T:
        together.wait()
        return work(number)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(done, range(AT_ONCE)))


def test_one_form_that_is_sent_to_several_machines_makes_one_answer(store: Store) -> None:
    ids = at_once(lambda n: store.answers.add(kept(answer(f"a{n}", citation()), once="form")))
    assert len(set(ids)) == 1
    assert found(store, Wanted(SHOP)) == ids[:1]


def test_answers_of_one_moment_that_cite_one_page_are_all_kept(store: Store) -> None:
    at_once(lambda n: store.answers.add(kept(answer(f"a{n}", citation()))))
    positions = [one.position for one in store.finder.page(Wanted(SHOP), 10)]
    assert len(set(positions)) == AT_ONCE
    assert store.snapshots.get(COPY.hash) == COPY


class Inside(Database):
    """A database as it is seen from inside a transaction that somebody else ends."""

    def __init__(self, database: Database, connection: sa.Connection) -> None:
        super().__init__(database.engine)
        self._connection = connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        yield self._connection


@contextmanager
def while_this_is_kept(store: Store, other: Callable[[], object]) -> Iterator[Database]:
    """Whatever is done inside is still being kept when another process begins its work, which has to wait."""
    with ThreadPoolExecutor(1) as pool:
        with store._database.writing() as connection:
            yield Inside(store._database, connection)
            waiting = pool.submit(other)
            with pytest.raises(TimeoutError):
                waiting.result(0.3)
        waiting.result()


def test_erasing_takes_no_copy_from_an_answer_that_is_just_being_kept(store: Store) -> None:
    store.answers.add(kept(answer("one", citation())))
    with while_this_is_kept(store, lambda: store.answers.erase("one")) as inside:
        Answers(inside).add(kept(answer("two", citation())))
    assert [type(store.answers.get(id_)) for id_ in ("one", "two")] == [Erased, Stored]
    assert store.snapshots.get(COPY.hash) == COPY


def test_a_copy_that_is_just_being_dropped_is_made_again(store: Store) -> None:
    store.answers.add(kept(answer("one", citation())))
    with while_this_is_kept(store, lambda: store.answers.add(kept(answer("two", citation())))) as inside:
        Answers(inside).erase("one")
    assert isinstance(store.answers.get("two"), Stored)
    assert store.snapshots.get(COPY.hash) == COPY


def test_what_is_just_being_added_to_an_answer_is_erased_with_it(store: Store) -> None:
    put(store, 0, "Open")
    with while_this_is_kept(store, lambda: store.answers.erase("a0")) as inside:
        Feedback(inside).put("a0", "reader", Vote(good=False, words="My name is Ada"))
        GapQuestions(inside).keep_vectors("e", [("a0", b"meaning")])
    store.feedback.put("a0", "reader", Vote(good=False, words="My name is still Ada"))
    with store._database.reading() as connection:
        for table in ("feedback", "gap_questions", "searchable"):
            assert connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar() == 0


def test_votes_and_what_is_known_of_questions_are_kept_once(store: Store) -> None:
    put(store, 0, "Open")
    at_once(lambda n: store.feedback.put("a0", "ada", Vote(good=n % 2 == 0)))
    at_once(lambda n: store.gaps.keep_vectors("e", [("a0", bytes([n]))]))
    assert len(store.feedback.all("a0")) == 1
    assert len(store.gaps.newest("shop", frozenset(), 10)) == 1


def test_the_same_wish_is_kept_once(store: Store) -> None:
    asked = at_once(lambda _: store.jobs.add("shop", "index", {"size": 60}, None).id)
    proposed = at_once(lambda n: store.proposals.put(proposal("shop", "Which bulb fits?", "gap", note=str(n))))
    assert len(set(asked)) == len(set(proposed)) == 1
    (one,) = store.proposals.open("shop", 10)
    assert sorted(one.note.split("\n")) == list("012345")


def test_a_collection_has_one_running_job_whatever_comes_in_between(store: Store) -> None:
    """A worker is about to start the oldest one while another sees that a more urgent one has come in."""
    clock = iter(range(1_000_000))
    lock = Lock()

    def work(n: int) -> None:
        for turn in range(5):
            store.jobs.add("shop", ("evaluate", "index")[n % 2], {"n": n, "turn": turn}, None)
            with lock:
                now = NOW + timedelta(seconds=next(clock))
            job = store.jobs.claim(SHOP, now)
            if job:
                running = [one for one in store.jobs.active("shop") if one.state is JobState.RUNNING]
                assert [one.id for one in running] == [job.id]
                store.jobs.end(job, JobState.DONE, {})

    at_once(work)


def test_a_key_is_used_as_often_as_it_may_and_no_more(store: Store) -> None:
    key = ApiKey("k", "n", frozenset(), None, (), 1, 4, "ada", NOW)
    store.keys.add("hash", key)
    assert sorted(at_once(lambda _: store.keys.count("k", NOW.date(), 4))) == [False, False, True, True, True, True]
    assert store.keys.used(NOW.date()) == {"k": 4}
    assert not store.keys.count("k", NOW.date(), 0)


def test_rates_are_counted_together_and_begin_again(store: Store) -> None:
    minute = timedelta(minutes=1)
    counts = at_once(lambda _: store.rates.add("a", 1, minute, NOW).count)
    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    seen = store.rates.get("a", NOW + minute / 2)
    assert (seen.count, seen.over_at) == (6, NOW + minute)
    assert store.rates.get("a", NOW + minute).count == 0
    assert store.rates.add("a", 1, minute, NOW + minute) == replace(seen, count=1, over_at=NOW + 2 * minute)
    store.rates.add("b", 2, minute, NOW)
    store.rates.drop_over(NOW + minute)
    assert [store.rates.get(key, NOW).count for key in "ab"] == [1, 0]
    store.rates.clear()
    assert store.rates.get("a", NOW).count == 0


def test_another_signing_key_is_noticed_while_it_is_in_use(store: Store) -> None:
    for fingerprint, at in (("mine", NOW), ("old", NOW - timedelta(days=3)), ("mine", NOW + timedelta(1))):
        store.signers.seen(fingerprint, at)
    assert store.signers.other("mine", NOW - timedelta(days=1)) is None
    assert store.signers.other("mine", NOW - timedelta(days=9)) == NOW - timedelta(days=3)
    assert store.signers.other("new", NOW) == NOW + timedelta(days=1)


def test_work_that_broke_off_is_done_once_more(store: Store) -> None:
    """The first time it was kept, and the news of it lost."""
    tried = []

    @again_if_broken_off
    def add(one: Answer) -> str:
        id_ = store.answers.add(kept(one))
        tried.append(id_)
        if len(tried) == 1:
            raise sa.exc.OperationalError("", None, OSError(), connection_invalidated=True)
        return id_

    assert add(answer("one", citation())) == "one"
    assert tried == ["one", "one"]
    assert found(store, Wanted(SHOP)) == ["one"]


def test_a_nul_in_a_text_or_an_address_breaks_nothing(store: Store) -> None:
    """A model or a file may hold one; a server keeps none, and what is quoted stays where it was."""
    copy = replace(COPY, text="# Returns\0\nWithin 30 days.\n")
    one = answer("one", citation(), question="How\0 long?", answer="30\0 days")
    trace = replace(kept(one).trace, raw_reply="\0{}")
    store.answers.add(replace(kept(one, copies={"returns": copy}), trace=trace))
    stored = store.answers.get("one")
    assert isinstance(stored, Stored)
    assert stored.answer == one
    found_copy = store.snapshots.get(copy.hash)
    assert found_copy
    assert found_copy.text.replace("\ufffd", "\0") == copy.text
    assert store.answers.get("one\0") is None
    assert found(store, Wanted(SHOP, words="ho\0w", document="\0")) == []
    assert store.accounts.by_email("\0") is None


@pytest.mark.parametrize("word", ["ক" * 1900, "x" * 1900, "𝒙" * 1900])
def test_the_longest_words_and_ids_are_kept_and_found(store: Store, word: str) -> None:
    """Search indexes of a server hold no words of more than 2,046 bytes, its other ones no keys of more than 2,704."""
    chance = random.Random(1)
    long_id = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=6000))
    copy = replace(COPY, document_id=long_id)
    one = answer("one", citation(document_id=long_id), question=word)
    store.answers.add(kept(one, copies={long_id: copy}))
    assert found(store, Wanted(SHOP, words=word)) == ["one"]
    assert found(store, Wanted(SHOP, document=long_id)) == ["one"]
    assert store.snapshots.of("shop", long_id) == [copy.hash]


def test_the_clock_is_one_that_all_share(store: Store) -> None:
    assert abs(store.now() - datetime.now(UTC)) < timedelta(seconds=5)
    assert store.damage() == store.server_problem() == ""


def test_what_goes_by_is_told_from_mistakes(store: Store) -> None:
    with pytest.raises(sa.exc.DBAPIError) as caught, store._database.reading() as connection:
        connection.execute(sa.text("SELECT nothing FROM nowhere"))
    on_server = store._database.on_server
    assert passing(caught.value) is not on_server  # SQLite has one class for what goes by and what doesn't
    assert passing(sa.exc.TimeoutError())
    assert not passing(ValueError())
    with pytest.raises(DatabaseError, match="can't open") as unreachable:
        Store.open("postgresql://nobody@/nothing?host=/nowhere")
    assert unreachable.value.__cause__
    assert away(unreachable.value.__cause__)
    assert not away(caught.value)
