"""What a process does beside answering: it keeps indexes as new as their files, and erases what is over."""

from __future__ import annotations

import logging
import threading
import time

from webapp.services.root import Services

log = logging.getLogger(__name__)

EVERY_SECONDS = 2.0


def start(services: Services) -> threading.Thread:
    """Work in a thread of this process, as long as it lives."""
    thread = threading.Thread(target=run, args=(services,), name="worker", daemon=True)
    thread.start()
    return thread


def run(services: Services) -> None:
    """Work for good."""
    while True:
        work_once(services)
        time.sleep(EVERY_SECONDS)


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
