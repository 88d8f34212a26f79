"""Noticing that a collection's files have changed, without reading them all for every question."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

_QUICK = 0.005  # seconds: a look that takes no longer is taken every time
_SHARE = 50  # longer ones take at most one fiftieth of the time


class Watch:
    """Looks at names, sizes and times of a folder's files: at once when that is quick, seldom when there are many."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = ""
        self._again_at = 0.0

    def state(self) -> str:
        """Return a word that changes when a file is added, changed, renamed or removed."""
        start = time.monotonic()
        if start >= self._again_at:
            self._seen = state_of(self._folder)
            took = time.monotonic() - start
            self._again_at = start + _SHARE * took if took > _QUICK else 0.0
        return self._seen


def state_of(folder: Path) -> str:
    """Look at every file now."""
    digest = hashlib.sha256()
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            digest.update(_mark(os.path.join(directory, name)))
    return digest.hexdigest()


def _mark(path: str) -> bytes:
    try:
        found = os.stat(path)
    except OSError:  # gone between listing and looking, or a link to nowhere
        return f"{path}\0".encode("utf-8", "surrogateescape")
    return f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0{found.st_ino}\0".encode("utf-8", "surrogateescape")
