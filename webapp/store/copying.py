"""Copies of a database, made and put back while other processes read and write it: of a SQLite file as a whole, between
a file and a server row by row."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from webapp.store.database import Database, address_of
from webapp.store.schema import accounts, answers, metadata, rates, signers
from webapp.store.server import wait_patiently

_BATCH = 500  # rows
_OF_THE_MOMENT = (rates, signers)  # say nothing about any other time or place
_PATIENCE = 30.0  # seconds to wait for a writer
_PAGES = 2000  # copied at a time, so that writers get their turn in between


def copy_database(source: Path, target: Path) -> None:
    """Copy a database as it is at one moment over what the target holds. Raises sqlite3.Error."""
    with (
        closing(sqlite3.connect(address_of(source, "rw"), uri=True, timeout=_PATIENCE)) as copied,
        closing(sqlite3.connect(target, timeout=_PATIENCE)) as written,
    ):
        copied.backup(written, pages=_PAGES, sleep=0.01)


def copy_rows(source: Database, target: Database) -> None:
    """Copy every row, as all of them are at one moment, over what the target holds; the whole of it or nothing. Both
    have the newest tables."""
    with source.reading() as read, target.writing() as written:
        for database, connection in ((source, read), (target, written)):
            if database.on_server:
                wait_patiently(connection)
        _clear(target, written)
        for table in metadata.sorted_tables:
            if table not in _OF_THE_MOMENT:
                _copy_table(read, written, table)
        if target.on_server:
            last = sa.select(sa.func.coalesce(sa.func.max(accounts.c.id), 0) + 1).scalar_subquery()
            sequence = sa.func.pg_get_serial_sequence("accounts", "id")
            written.execute(sa.select(sa.func.setval(sequence, last, sa.false())))


def holds_something(database: Database) -> bool:
    """Tell whether anybody or anything is in it."""
    with database.reading() as connection:
        return any(connection.execute(sa.select(table.c.id).limit(1)).first() for table in (accounts, answers))


def _clear(database: Database, connection: sa.Connection) -> None:
    if database.on_server:  # at once, and whoever writes waits
        connection.exec_driver_sql(f"TRUNCATE {', '.join(table.name for table in metadata.sorted_tables)}")
        return
    for table in reversed(metadata.sorted_tables):
        connection.execute(table.delete())


def _copy_table(read: sa.Connection, written: sa.Connection, table: sa.Table) -> None:
    in_batches = {"stream_results": True, "yield_per": _BATCH}
    with read.execute(sa.select(table), execution_options=in_batches) as rows:
        for batch in rows.mappings().partitions():
            written.execute(table.insert(), [dict(row) for row in batch])


def database_problem(file: Path) -> str:
    """Return what is wrong inside a database, "" when it is whole."""
    try:
        with closing(sqlite3.connect(address_of(file, "ro"), uri=True)) as database:
            found = [row[0] for row in database.execute("PRAGMA integrity_check(3)")]
            broken = database.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        return str(error)
    if found != ["ok"]:
        return "; ".join(found)
    return "rows point to others that are not there" if broken else ""
