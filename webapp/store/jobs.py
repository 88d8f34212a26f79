"""Jobs as they are kept: who asked for what, where it is, how it ended. One runs at a time for each collection."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from webapp.store.database import Database
from webapp.store.schema import jobs


class JobState(StrEnum):
    """Where a job is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Standing(StrEnum):
    """What a worker learns when it says where a job is."""

    GO_ON = "go_on"
    GIVE_WAY = "give_way"  # a more urgent job of the collection waits
    STOP = "stop"  # it was called off, or taken from this worker because it had been silent for too long


ACTIVE = (JobState.WAITING, JobState.RUNNING)
URGENT = (
    "index",
    "publish",
)  # kinds that change what is served: they go before others, whose work would be out of date


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work. `done` of `of` steps of the `stage`; `result` is what its kind gives, JSON values."""

    id: str
    collection: str
    kind: str
    arguments: Mapping[str, Any]
    state: JobState
    stage: str
    done: int
    of: int
    cancelling: bool
    result: Mapping[str, Any] | None
    problem: str | None  # why it failed, in words for whoever asked
    asked_by: int | None  # an account's id; None: the program itself
    created_at: datetime
    started_at: datetime | None
    seen_at: datetime | None
    ended_at: datetime | None

    @property
    def active(self) -> bool:
        """Tell whether it waits or runs."""
        return self.state in ACTIVE


_NOTHING_YET: Mapping[str, Any] = {"stage": "", "done": 0, "of": 0, "started_at": None, "seen_at": None}


class Jobs:
    """The jobs, by id. Moments come from the caller's clock, so that one of the past can be given."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, collection: str, kind: str, arguments: Mapping[str, Any], asked_by: int | None) -> Job:
        """Add a job; return the one that already waits where it is the same work."""
        fresh = {"state": JobState.WAITING, "cancelling": False, "created_at": datetime.now(UTC), **_NOTHING_YET}
        row = {"collection": collection, "kind": kind, "arguments": dict(arguments), "asked_by": asked_by}
        job_id = secrets.token_hex(16)
        waiting = self._select(
            jobs.c.state == JobState.WAITING, jobs.c.collection == collection, jobs.c.kind == kind
        ).order_by(jobs.c.created_at)
        with self._database.writing() as connection:
            self._database.hold(connection, jobs)  # two who ask for the same at once ask for one
            alike = [_job(found) for found in connection.execute(waiting)]
            same = next((one for one in alike if one.arguments == row["arguments"]), None)
            if same is None:
                connection.execute(jobs.insert().values({"id": job_id, **row, **fresh}))
        return same or self._known(job_id)

    def get(self, job_id: str) -> Job | None:
        """Return a job."""
        return self._first(self._select(jobs.c.id == job_id))

    def latest(self, collection: str, kind: str, state: JobState | None = None) -> Job | None:
        """Return the newest job of a kind, whatever became of it, or the newest in that state."""
        wanted = [jobs.c.collection == collection, jobs.c.kind == kind]
        if state:
            wanted.append(jobs.c.state == state)
        return self._first(self._select(*wanted).order_by(jobs.c.created_at.desc(), jobs.c.id.desc()).limit(1))

    def active(self, collection: str) -> list[Job]:
        """Return what runs and waits for a collection, in the order in which it is done."""
        query = self._select(jobs.c.collection == collection, jobs.c.state.in_(ACTIVE))
        with self._database.reading() as connection:
            found = [_job(row) for row in connection.execute(query.order_by(*_order(jobs)))]
        return sorted(found, key=lambda one: one.state is JobState.WAITING)

    def claim(self, collections: tuple[str, ...], now: datetime) -> Job | None:
        """Start the first waiting job whose collection has none running: an urgent one before others, then the oldest.
        No two workers start the same one."""
        other = jobs.alias()
        comes_first = sa.tuple_(*_order(other)) < sa.tuple_(*_order(jobs))
        before_it = sa.exists().where(
            other.c.collection == jobs.c.collection,
            sa.or_(other.c.state == JobState.RUNNING, sa.and_(other.c.state == JobState.WAITING, comes_first)),
        )
        # Only a collection's first is ever looked at: a worker that skips it, since another is just starting it, must
        # not start the next one of the same collection.
        first = (
            sa.select(jobs.c.id)
            .where(jobs.c.state == JobState.WAITING, jobs.c.collection.in_(collections), ~before_it)
            .order_by(jobs.c.created_at, jobs.c.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        try:
            with self._database.writing() as connection:
                job_id = connection.execute(first).scalar()
                if job_id is not None:
                    started = {"state": JobState.RUNNING, "started_at": now, "seen_at": now}
                    connection.execute(jobs.update().where(jobs.c.id == job_id).values(started))
        except sa.exc.IntegrityError:  # a more urgent one came in, and another worker has just started that
            return None
        return self.get(job_id) if job_id is not None else None

    def report(self, job: Job, stage: str, done: int, of: int, now: datetime) -> Standing:
        """Say that a running job lives, and where it is; return how it stands."""
        values = {"stage": stage, "done": done, "of": of, "seen_at": now}
        urgent = sa.select(jobs.c.id).where(
            jobs.c.collection == job.collection, jobs.c.state == JobState.WAITING, jobs.c.kind.in_(URGENT)
        )
        with self._database.writing() as connection:
            query = jobs.update().where(_held(job)).values(values).returning(jobs.c.cancelling)
            cancelling = connection.execute(query).scalar()
            if cancelling is None or cancelling:
                return Standing.STOP
            first = job.kind in URGENT or connection.execute(urgent.limit(1)).scalar() is None
        return Standing.GO_ON if first else Standing.GIVE_WAY

    def end(
        self, job: Job, state: JobState, result: Mapping[str, Any] | None = None, problem: str | None = None
    ) -> None:
        """Keep how a running job ended, unless it was taken from this worker."""
        values = {
            "state": state,
            "result": dict(result) if result is not None else None,
            "problem": problem,
            "ended_at": datetime.now(UTC),
        }
        with self._database.writing() as connection:
            connection.execute(jobs.update().where(_held(job)).values(values))

    def release(self, job: Job) -> None:
        """Let a running job wait again: its worker is about to stop."""
        self._to_waiting(_held(job))

    def release_silent(self, since: datetime, until: datetime | None = None) -> int:
        """Let running jobs wait again whose worker has said nothing since then; return how many.

        One that has spoken after `until` did so before the clock went back, and has been silent from then on.
        """
        silent = jobs.c.seen_at < since
        if until is not None:
            silent = sa.or_(silent, jobs.c.seen_at > until)
        return self._to_waiting(sa.and_(jobs.c.state == JobState.RUNNING, silent))

    def cancel(self, job_id: str) -> None:
        """Call a job off: a waiting one is over at once, a running one is asked to stop."""
        over = {"state": JobState.CANCELLED, "ended_at": datetime.now(UTC)}
        mine = jobs.c.id == job_id
        with self._database.writing() as connection:
            connection.execute(jobs.update().where(mine, jobs.c.state == JobState.WAITING).values(over))
            connection.execute(jobs.update().where(mine, jobs.c.state == JobState.RUNNING).values(cancelling=True))

    def drop_ended(self, before: datetime) -> int:
        """Remove the jobs that ended before then, less the newest of each collection and kind; return how many."""
        newer = jobs.alias()
        has_newer = sa.exists().where(
            newer.c.collection == jobs.c.collection,
            newer.c.kind == jobs.c.kind,
            newer.c.state == jobs.c.state,
            newer.c.created_at > jobs.c.created_at,
        )
        with self._database.writing() as connection:
            return connection.execute(jobs.delete().where(jobs.c.ended_at < before, has_newer)).rowcount

    def _to_waiting(self, which: sa.ColumnElement[bool]) -> int:
        """One that was being called off is over instead."""
        over = {"state": JobState.CANCELLED, "ended_at": datetime.now(UTC)}
        with self._database.writing() as connection:
            called_off = connection.execute(jobs.update().where(which, jobs.c.cancelling).values(over)).rowcount
            again = connection.execute(
                jobs.update().where(which).values({"state": JobState.WAITING, **_NOTHING_YET})
            ).rowcount
        return called_off + again

    def _select(self, *wanted: sa.ColumnElement[bool]) -> sa.Select[Any]:
        return sa.select(jobs).where(*wanted)

    def _first(self, query: sa.Select[Any]) -> Job | None:
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return _job(row) if row else None

    def _known(self, job_id: str) -> Job:
        job = self.get(job_id)
        assert job is not None  # it has just been added
        return job


def _order(table: Any) -> tuple[sa.ColumnElement[Any], ...]:
    """By what a collection's jobs are done, one after another."""
    return sa.case((table.c.kind.in_(URGENT), 0), else_=1), table.c.created_at, table.c.id


def _held(job: Job) -> sa.ColumnElement[bool]:
    """The job as long as it is the worker's that started it: another one starts it at another moment."""
    return sa.and_(jobs.c.id == job.id, jobs.c.state == JobState.RUNNING, jobs.c.started_at == job.started_at)


def _job(row: sa.Row[Any]) -> Job:
    values = dict(row._mapping)
    return Job(**values | {"state": JobState(values["state"])})
