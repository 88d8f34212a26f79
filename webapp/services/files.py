"""Noticing that a collection's files have changed, without reading them all for every question."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

_FEW = 200  # files: so many are looked at every time, which takes a millisecond
_SHARE = 20  # looks at more take at most one twentieth of the time


class Watch:
    """Looks at names, sizes and times of a folder's files: every time when they are few, seldom when they are many."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = ""
        self._again_at = 0.0
        self._pause = 0.0  # seconds between two looks, as the last one took

    def state(self) -> str:
        """Return a word that changes when a file is added, changed, renamed or removed; at times an old one."""
        return self.look() if time.monotonic() >= self._again_at else self._seen

    def look(self) -> str:
        """Return that word as it is at this moment."""
        start = time.monotonic()
        self._again_at = start + self._pause  # nobody else need look meanwhile
        self._seen, files = state_of(self._folder)
        now = time.monotonic()
        self._pause = _SHARE * (now - start) if files > _FEW else 0.0
        self._again_at = now + self._pause
        return self._seen


def state_of(folder: Path) -> tuple[str, int]:
    """Look at every file now; return the state, and how many files there are."""
    digest, files = hashlib.sha256(), 0
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            digest.update(_mark(os.path.join(directory, name)))
        files += len(names)
    return digest.hexdigest(), files


def _mark(path: str) -> bytes:
    try:
        found = os.stat(path)
    except OSError:  # gone between listing and looking, or a link to nowhere
        return f"{path}\0".encode("utf-8", "surrogateescape")
    return f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0{found.st_ino}\0".encode("utf-8", "surrogateescape")
