"""Answers on their way into the database: a command leaves each as a file, a server takes them in.

Opening a database costs a command more time than answering does.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from webapp.store.kept import Kept

log = logging.getLogger(__name__)


class Inbox:
    """A folder of answers. Safe to use from several processes at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, kept: Kept) -> str:
        """Leave an answer, whole or not at all; return its id."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self._folder, suffix=".new", delete=False, encoding="utf-8") as file:
            json.dump(kept.as_json(), file)
        os.replace(file.name, self._folder / f"{kept.answer.id}.json")
        return kept.answer.id

    def waiting(self) -> Iterator[Kept]:
        """Yield what is there, oldest first. Each is removed when the next is asked for: by then it is taken in."""
        for file in sorted(self._folder.glob("*.json"), key=_age):
            with suppress(FileNotFoundError):  # another process was quicker
                if kept := _read(file):
                    yield kept
                    file.unlink()


def _read(file: Path) -> Kept | None:
    """Read an answer; one that can't be read is set aside, so that it doesn't keep out those behind it."""
    try:
        return Kept.from_json(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, TypeError, KeyError) as error:
        log.error("%s can't be read and is set aside: %s", file, error)
        file.rename(file.with_suffix(".unreadable"))
        return None


def _age(file: Path) -> float:
    with suppress(FileNotFoundError):
        return file.stat().st_mtime
    return 0.0
