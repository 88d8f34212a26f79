from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from webapp.core.retrieval.model import Role
from webapp.store.jobs import Job, JobState, Standing
from webapp.store.store import Store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOTH = ("shop", "school")


def add(store: Store, collection: str = "shop", kind: str = "index", **arguments: object) -> Job:
    return store.jobs.add(collection, kind, arguments, None)


def claim(store: Store, *, now: datetime = NOW) -> Job | None:
    return store.jobs.claim(BOTH, now)


def started(store: Store, *, now: datetime = NOW) -> Job:
    job = claim(store, now=now)
    assert job
    return job


def state(store: Store, job: Job) -> JobState:
    found = store.jobs.get(job.id)
    assert found
    return found.state


def test_a_job_waits_as_it_was_asked_for(store: Store) -> None:
    account = store.accounts.add("e@lamps.example", Role.EDITOR)
    job = store.jobs.add("shop", "index", {"strategy": "fixed", "options": {"size": 60}}, account)
    assert job == store.jobs.get(job.id)
    assert (job.state, job.collection, job.kind, job.asked_by) == (JobState.WAITING, "shop", "index", account)
    assert job.arguments == {"strategy": "fixed", "options": {"size": 60}}
    assert job.active
    assert store.jobs.get("made up") is None


def test_the_same_work_waits_once(store: Store) -> None:
    first = add(store, size=60)
    assert add(store, size=60) == first
    others = [add(store, size=80), add(store, "school", size=60), add(store, kind="evaluate", size=60)]
    assert len({first.id, *(one.id for one in others)}) == 4


def test_work_that_runs_already_is_asked_for_again(store: Store) -> None:
    """What has changed since it began, it may have missed."""
    first = add(store)
    started(store)
    assert add(store).id != first.id


def test_jobs_are_done_in_the_order_they_were_asked_for_one_at_a_time_for_each_collection(store: Store) -> None:
    first, second, other = add(store, n=1), add(store, n=2), add(store, "school")
    assert [one.id for one in (started(store), started(store))] == [first.id, other.id]
    assert claim(store) is None
    store.jobs.end(started_again(store, first), JobState.DONE, {"version": "v"})
    assert started(store).id == second.id


def started_again(store: Store, job: Job) -> Job:
    found = store.jobs.get(job.id)
    assert found
    return found


def test_only_jobs_of_the_collections_that_are_served_are_started(store: Store) -> None:
    add(store, "elsewhere")
    assert claim(store) is None


def test_many_workers_never_start_the_same_job_nor_two_of_one_collection(store: Store) -> None:
    collections = ("shop", "school", "town")
    for n in range(12):
        add(store, collections[n % 3], n=n)
    together = threading.Barrier(6)

    def work(_: int) -> list[Job]:
        together.wait()
        found = (store.jobs.claim(collections, datetime.now(UTC)) for _ in range(5))
        return [job for job in found if job]

    with ThreadPoolExecutor(6) as workers:
        claimed = [job for jobs in workers.map(work, range(6)) for job in jobs]
    assert sorted(job.collection for job in claimed) == ["school", "shop", "town"]
    assert all(job.arguments["n"] < 3 for job in claimed)


def test_progress_is_kept_and_says_whether_to_go_on(store: Store) -> None:
    add(store)
    job = started(store)
    assert store.jobs.report(job, "embedding", 3, 10, NOW + timedelta(seconds=1)) is Standing.GO_ON
    found = store.jobs.get(job.id)
    assert found
    assert (found.stage, found.done, found.of, found.seen_at) == ("embedding", 3, 10, NOW + timedelta(seconds=1))
    store.jobs.cancel(job.id)
    assert store.jobs.report(job, "embedding", 4, 10, NOW) is Standing.STOP
    store.jobs.end(job, JobState.CANCELLED)
    assert state(store, job) is JobState.CANCELLED


def test_one_that_waits_is_over_at_once_when_it_is_called_off(store: Store) -> None:
    job = add(store)
    store.jobs.cancel(job.id)
    assert state(store, job) is JobState.CANCELLED
    assert claim(store) is None


def test_calling_off_what_has_ended_changes_nothing(store: Store) -> None:
    add(store)
    job = started(store)
    store.jobs.end(job, JobState.DONE, {"version": "v"})
    store.jobs.cancel(job.id)
    found = store.jobs.get(job.id)
    assert found
    assert (found.state, found.cancelling, found.result) == (JobState.DONE, False, {"version": "v"})


def test_a_job_whose_worker_is_silent_is_done_by_another_one(store: Store) -> None:
    add(store)
    lost = started(store)
    assert store.jobs.release_silent(NOW) == 0
    assert store.jobs.release_silent(NOW + timedelta(seconds=1)) == 1
    assert state(store, lost) is JobState.WAITING
    again = started(store, now=NOW + timedelta(seconds=2))
    assert again.id == lost.id
    stands = store.jobs.report(lost, "cutting", 1, 2, NOW)
    assert stands is Standing.STOP, "the first worker must stop, if it still lives"
    store.jobs.end(lost, JobState.FAILED, problem="too late")
    store.jobs.release(lost)
    assert state(store, again) is JobState.RUNNING
    store.jobs.end(again, JobState.DONE, {})
    assert state(store, again) is JobState.DONE


def test_a_worker_that_stops_gives_its_job_back(store: Store) -> None:
    add(store)
    job = started(store)
    store.jobs.report(job, "cutting", 1, 2, NOW)
    store.jobs.release(job)
    found = store.jobs.get(job.id)
    assert found
    assert (found.state, found.stage, found.done, found.started_at) == (JobState.WAITING, "", 0, None)


def test_one_that_was_being_called_off_does_not_begin_again(store: Store) -> None:
    add(store)
    job = started(store)
    store.jobs.cancel(job.id)
    assert store.jobs.release_silent(NOW + timedelta(seconds=1)) == 1
    assert state(store, job) is JobState.CANCELLED


def test_the_newest_of_a_kind_and_what_is_to_be_done(store: Store) -> None:
    failing, second, third = add(store, n=1), add(store, n=2), add(store, kind="evaluate")
    store.jobs.end(started(store), JobState.FAILED, problem="no space")
    assert started(store).id == second.id
    waiting = add(store, n=3)
    newest = store.jobs.latest("shop", "index")
    failed = store.jobs.latest("shop", "index", JobState.FAILED)
    assert newest
    assert failed
    assert (newest.id, failed.id, failed.problem) == (waiting.id, failing.id, "no space")
    assert [one.id for one in store.jobs.active("shop")] == [second.id, waiting.id, third.id]
    assert store.jobs.latest("school", "index") is None


@pytest.mark.parametrize("how", [JobState.DONE, JobState.FAILED])
def test_old_jobs_go_but_the_newest_of_each_outcome_stays(store: Store, how: JobState) -> None:
    first, second = add(store, n=1), add(store, n=2)
    for _ in range(2):
        store.jobs.end(started(store), how, {})
    waiting = add(store, n=3)
    later = datetime.now(UTC) + timedelta(days=1)
    assert store.jobs.drop_ended(datetime.now(UTC) - timedelta(days=1)) == 0
    assert store.jobs.drop_ended(later) == 1
    assert store.jobs.get(first.id) is None
    assert state(store, second) is how
    assert state(store, waiting) is JobState.WAITING


def test_what_changes_the_index_comes_first_and_others_are_told_to_give_way(store: Store) -> None:
    measured = add(store, kind="evaluate")
    assert started(store).id == measured.id
    running = started_again(store, measured)
    assert store.jobs.report(running, "asking", 1, 2, NOW) is Standing.GO_ON
    waiting = [add(store, kind="gaps"), add(store, kind="publish"), add(store)]
    assert store.jobs.report(running, "asking", 1, 2, NOW) is Standing.GIVE_WAY
    store.jobs.release(running)
    order = []
    for _ in range(4):
        job = started(store)
        order.append(job.id)
        store.jobs.end(job, JobState.DONE, {})
    assert order == [waiting[1].id, waiting[2].id, measured.id, waiting[0].id]
