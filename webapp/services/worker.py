"""What is done beside answering: jobs, indexes as new as their files, and erasing what is over."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import NoReturn

from webapp.core.documents.config import GOLDEN_FILE
from webapp.services.desk import Desk
from webapp.services.jobs import SILENT_SECONDS, Cancelled, GivesWay, Job, Pulse
from webapp.services.problems import plain_words
from webapp.services.root import Services
from webapp.services.work.base import kinds
from webapp.store.server import away

log = logging.getLogger(__name__)

EVERY_SECONDS = 2.0  # between two looks at the files
LOOK_SECONDS = 0.25  # between two looks for jobs
AGAIN_SECONDS = 1.0  # between two tries to say how a job ended
COMPLAIN_SECONDS = 60.0  # between two words in the log about what goes on being wrong

_complained_at: dict[str, float] = {}


def run(services: Services) -> NoReturn:
    """Work for good."""
    verify(services)
    next_look = 0.0
    while True:
        if time.monotonic() >= next_look:
            look(services)
            next_look = time.monotonic() + EVERY_SECONDS
        if not do_next(services):
            time.sleep(LOOK_SECONDS)


def work_once(services: Services) -> None:
    """Look for what there is to do, and do it, until there is nothing more."""
    look(services)
    while do_next(services):
        look(services)


def verify(services: Services) -> None:
    """Find out whether what is served is still what was sealed; a sound version stands in for a damaged one."""
    for desk in services.desks():
        try:
            desk.verify_index()
        except Exception:
            log.exception("the index of %s could not be verified", desk.name)


def look(services: Services) -> None:
    """Ask for what nobody has to ask for; what fails is said in the log, and is no reason to stop."""
    for desk in services.desks():
        try:
            if desk.is_behind():
                services.jobs.ask(desk.name, "index")
            elif _is_unmeasured(services, desk):
                services.jobs.ask(desk.name, "evaluate")
        except Exception as error:
            _complain(f"the files of {desk.name} could not be looked at", error)
    try:
        services.tidy()
    except Exception as error:
        _complain("what is over could not be erased", error)


def _is_unmeasured(services: Services, desk: Desk) -> bool:
    """Tell whether there are golden questions that nobody has asked of the version that is served."""
    live = desk.served()
    if live is None or not (desk.folder / GOLDEN_FILE).exists() or services.store.runs.of_version(live.id, desk.name):
        return False
    last = services.jobs.latest(desk.name, "evaluate")
    return last is None or last.created_at < live.created_at  # one that failed would fail again


def do_next(services: Services) -> bool:
    """Do the next job that waits; return whether there was one."""
    try:
        job = services.jobs.claim(tuple(desk.name for desk in services.desks()))
        if job is not None:
            do(services, job)
    except Exception as error:  # of the database: what it doesn't know to have ended, will be done again
        _complain("no job could be done", error)
        return False
    return job is not None


def _complain(words: str, error: Exception) -> None:
    """Say what goes wrong when it begins, and from then on once in a while: it is tried again every moment, and may
    take hours to be mended."""
    now = time.monotonic()
    if now - _complained_at.get(words, -COMPLAIN_SECONDS) >= COMPLAIN_SECONDS:
        _complained_at[words] = now
        log.error("%s", words, exc_info=error)


def do(services: Services, job: Job) -> None:
    """Do a job that was claimed, and keep how it ended."""
    try:
        with Pulse(services.jobs, job) as progress:
            result = kinds.get(job.kind).make(services, job.collection, job.arguments, progress)
    except GivesWay:
        _say(lambda: services.jobs.release(job))
    except Cancelled:
        _say(lambda: services.jobs.cancelled(job))
    except Exception as error:
        log.exception("job %s (%s of %s) failed", job.id, job.kind, job.collection)
        if away(error):  # no fault of the job's
            _say(lambda: services.jobs.release(job))
            return
        problem = plain_words(error) or f"an unexpected error: {error or type(error).__name__}"
        _say(lambda: services.jobs.failed(job, problem))
    except BaseException:  # this worker is being stopped
        services.jobs.release(job)
        raise
    else:
        _say(lambda: services.jobs.done(job, result))


def _say(how_it_ended: Callable[[], None]) -> None:
    """Keep how a job ended, also when the database is away for the moment: what took an hour is not done again. After
    a while another worker may have it, and this one's word counts no longer."""
    until = time.monotonic() + SILENT_SECONDS
    while True:
        try:
            return how_it_ended()
        except Exception as error:
            if not away(error) or time.monotonic() > until:
                raise
            log.warning("how a job ended can't be kept yet: %s", error)
            time.sleep(AGAIN_SECONDS)
