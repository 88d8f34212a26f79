"""Who writes to one SQLite file goes as soon as the one before has done.

SQLite itself has those who wait look again ever more seldom, up to a tenth of a second apart, and whoever comes by at
the right moment goes first: with threads of several processes the file would lie idle while all of them sleep, and
some would wait for seconds. It is still SQLite that keeps two from writing at once: who has waited too long here goes
there to hear it.
"""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PATIENCE = 10.0  # seconds, as SQLite's own
_LOOK = 0.001  # seconds between two looks at what another process does


class Turn:
    """Threads of this process wait for each other by a lock, and one of them at a time for other processes."""

    def __init__(self, file: Path) -> None:
        """`file` stands for the turn among processes; it is made when missing, and stays empty."""
        self._file = file
        self._here = threading.Lock()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for the turn, and have it until this is left."""
        until = time.monotonic() + PATIENCE
        if not self._here.acquire(timeout=PATIENCE):
            yield
            return
        try:
            with self._opened() as file:
                while file and not _is_mine(file) and time.monotonic() < until:
                    time.sleep(_LOOK)
                yield
        finally:
            self._here.release()

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes] | None]:
        """Closing it gives the turn back, as the end of the process would."""
        try:
            file = self._file.open("ab")
        except OSError:  # nothing can be written here, as SQLite is going to say
            yield None
            return
        with file:
            yield file


def _is_mine(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
