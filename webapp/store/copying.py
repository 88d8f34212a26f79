"""Copies of a SQLite database, made and put back while other processes read and write it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

_PATIENCE = 30.0  # seconds to wait for a writer
_PAGES = 2000  # copied at a time, so that writers get their turn in between


def copy_database(source: Path, target: Path) -> None:
    """Copy a database as it is at one moment over what the target holds. Raises sqlite3.Error."""
    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=rw", uri=True, timeout=_PATIENCE)) as copied,
        closing(sqlite3.connect(target, timeout=_PATIENCE)) as written,
    ):
        copied.backup(written, pages=_PAGES, sleep=0.01)


def database_problem(file: Path) -> str:
    """Return what is wrong inside a database, "" when it is whole."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
            found = [row[0] for row in database.execute("PRAGMA integrity_check(3)")]
            broken = database.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        return str(error)
    if found != ["ok"]:
        return "; ".join(found)
    return "rows point to others that are not there" if broken else ""
