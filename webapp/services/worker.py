"""What is done beside answering: jobs, indexes as new as their files, and erasing what is over."""

from __future__ import annotations

import logging
import threading
import time

from webapp.services.jobs import Cancelled, Job, Pulse
from webapp.services.problems import plain_words
from webapp.services.root import Services
from webapp.services.work.base import kinds

log = logging.getLogger(__name__)

EVERY_SECONDS = 2.0  # between two looks at the files
LOOK_SECONDS = 0.3  # between two looks for jobs


def start(services: Services) -> threading.Thread:
    """Work in a thread of this process, as long as it lives."""
    thread = threading.Thread(target=run, args=(services,), name="worker", daemon=True)
    thread.start()
    return thread


def run(services: Services) -> None:
    """Work for good."""
    next_look = 0.0
    while True:
        if time.monotonic() >= next_look:
            work_once(services)
            next_look = time.monotonic() + EVERY_SECONDS
        if not do_next(services):
            time.sleep(LOOK_SECONDS)


def work_once(services: Services) -> None:
    """Do what there is to do; what fails is said in the log, and is no reason to stop."""
    for desk in services.desks():
        try:
            desk.ensure_index()
        except Exception:
            log.exception("no index could be built of %s", desk.name)
    try:
        services.tidy()
    except Exception:
        log.exception("what is over could not be erased")


def do_next(services: Services) -> bool:
    """Do the next job that waits; return whether there was one."""
    try:
        job = services.jobs.claim(tuple(desk.name for desk in services.desks()))
    except Exception:
        log.exception("no job could be looked for")
        return False
    if job is not None:
        do(services, job)
    return job is not None


def do(services: Services, job: Job) -> None:
    """Do a job that was claimed, and keep how it ended."""
    try:
        with Pulse(services.jobs, job) as progress:
            result = kinds.get(job.kind).make(services, job.collection, job.arguments, progress)
        services.jobs.done(job, result)
    except Cancelled:
        services.jobs.cancelled(job)
    except Exception as error:
        log.exception("job %s (%s of %s) failed", job.id, job.kind, job.collection)
        services.jobs.failed(job, plain_words(error) or f"an unexpected error: {error or type(error).__name__}")
    except BaseException:  # this worker is being stopped
        services.jobs.release(job)
        raise
