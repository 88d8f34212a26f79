"""Work that takes longer than a page may: asked for here, done by a worker, watched and called off by whoever asked."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from webapp.services.work.base import Cancelled, GivesWay, Progress, kinds
from webapp.store.accounts import Account
from webapp.store.jobs import Job, JobState, Standing
from webapp.store.store import Store

__all__ = ["Cancelled", "GivesWay", "Job", "JobState", "Jobs", "Progress", "Pulse"]

log = logging.getLogger(__name__)

BEAT_SECONDS = 0.5  # between two reports of a running job: so often its progress is written, so soon it is called off
SILENT_SECONDS = 30.0  # a running job whose worker says nothing for so long waits for another one
PATIENT = timedelta(minutes=5)  # a job gives way to more urgent ones as long as it was asked for so lately
KEPT_DAYS = 30  # an ended job is kept so long; the newest of each collection, kind and state for good


class Jobs:
    """The jobs of every collection."""

    def __init__(self, store: Store) -> None:
        self._jobs = store.jobs
        self._now = store.now  # machines whose clocks differ agree on who has been silent for too long

    def ask(
        self, collection: str, kind: str, arguments: Mapping[str, Any] | None = None, account: Account | None = None
    ) -> Job:
        """Ask for work; the same work that already waits is not asked for twice. It never waits for it.

        `account` is who asks, None the program itself. Raises UnknownPart for the kind, ValueError for arguments that
        are not what the kind takes.
        """
        given = kinds.get(kind).parse(arguments or {}).model_dump(mode="json")
        return self._jobs.add(collection, kind, given, account.id if account else None)

    def get(self, job_id: str) -> Job | None:
        """Return a job as it is now."""
        return self._jobs.get(job_id)

    def latest(self, collection: str, kind: str, state: JobState | None = None) -> Job | None:
        """Return the newest job of a kind, if wanted only of those in one state."""
        return self._jobs.latest(collection, kind, state)

    def active(self, collection: str) -> list[Job]:
        """Return what runs and what waits for a collection, in order."""
        return self._jobs.active(collection)

    def cancel(self, job_id: str) -> Job | None:
        """Call a job off, and return it as it is now; a running one stops within a second or so."""
        self._jobs.cancel(job_id)
        return self.get(job_id)

    def claim(self, collections: tuple[str, ...]) -> Job | None:
        """Start the next job of those collections, for a worker to do; None when nothing is to be done."""
        now, pause = self._now(), timedelta(seconds=SILENT_SECONDS)
        self._jobs.release_silent(now - pause, now + pause)
        return self._jobs.claim(collections, now)

    def done(self, job: Job, result: Mapping[str, Any]) -> None:
        """Keep what a job gave."""
        self._jobs.end(job, JobState.DONE, result)

    def failed(self, job: Job, problem: str) -> None:
        """Keep why a job failed, in words for whoever asked."""
        self._jobs.end(job, JobState.FAILED, problem=problem)

    def cancelled(self, job: Job) -> None:
        """Keep that a job was called off."""
        self._jobs.end(job, JobState.CANCELLED)

    def release(self, job: Job) -> None:
        """Give a job back, because this worker stops."""
        self._jobs.release(job)

    def report(self, job: Job, stage: str, done: int, of: int) -> Standing:
        """Say that a running job lives and where it is; return how it stands."""
        now = self._now()
        standing = self._jobs.report(job, stage, done, of, now)
        tired = standing is Standing.GIVE_WAY and now - job.created_at > PATIENT
        return Standing.GO_ON if tired else standing

    def tidy(self) -> int:
        """Remove jobs that ended long ago; return how many."""
        return self._jobs.drop_ended(datetime.now(UTC) - timedelta(days=KEPT_DAYS))


class Pulse:
    """What a running job reports to: a thread of its own writes it down twice a second, so that telling costs the work
    nothing, and a long silent step still counts as alive. Call it with stage, done, of."""

    def __init__(self, jobs: Jobs, job: Job) -> None:
        self._jobs = jobs
        self._job = job
        self._where = ("", 0, 0)
        self._standing = Standing.GO_ON
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"pulse {job.id[:8]}", daemon=True)

    def __call__(self, stage: str, done: int, of: int) -> None:
        """Say where the work is. Raises Cancelled when it was called off, GivesWay when it is to be done later."""
        self._where = (stage, done, of)
        if self._standing is Standing.STOP:
            raise Cancelled
        if self._standing is Standing.GIVE_WAY:
            raise GivesWay

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while self._standing is not Standing.STOP and not self._over.wait(BEAT_SECONDS):
            try:
                self._standing = self._jobs.report(self._job, *self._where)
            except Exception:  # a database that is away for a moment is no reason to stop the work
                log.exception("the progress of job %s could not be written", self._job.id)
