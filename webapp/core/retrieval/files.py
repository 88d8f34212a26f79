"""Small habits with files that several processes share."""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file (made when missing) against other processes and threads."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def replace_file(file: Path, content: bytes, durable: bool = True) -> None:
    """Write a file in one step: readers see the old content or the new one, never a part.

    `durable` waits until it is on the disk, which takes milliseconds.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}-{threading.get_ident()}.part")
    with part.open("wb") as handle:
        handle.write(content)
        if durable:
            handle.flush()
            os.fsync(handle.fileno())
    part.replace(file)


def sha256_of(file: Path) -> str:
    """Return the sha256 of a file's bytes, hex."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def is_open(folder: Path) -> bool:
    """Tell whether files can be made in a folder: its rights allow it, and it is not mounted read-only."""
    return os.access(folder, os.W_OK, effective_ids=True)
