"""Opening the database: SQLite tuned for one writer beside many readers, and migrations under a lock."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url

from webapp.store.schema import REVISION

_POSTGRES_LOCK = 7_230_411  # any number, as long as it stays the same


class DatabaseError(RuntimeError):
    """The database can't be opened; the message says why and what to do."""


class Database:
    """One pool of connections, entered by `reading` or by `writing`."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self._writer = engine.execution_options(writes=True)

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A connection that sees one state of the database from first to last."""
        return self.engine.connect()

    def writing(self) -> AbstractContextManager[sa.Connection]:
        """A transaction: kept whole at the end, or not at all."""
        return self._writer.begin()


def open_database(url: str) -> Database:
    """Return a database that has the newest tables. Raises DatabaseError."""
    try:
        database = Database(_engine(make_url(url)))
        if _revision(database) != REVISION:
            with _alone(database.engine):
                migrate(database)
        return database
    except (sa.exc.SQLAlchemyError, OSError) as error:
        shown = make_url(url).render_as_string(hide_password=True) if "://" in url else "the given address"
        raise DatabaseError(f"can't open the database {shown}: {_cause(error)}") from error


def migrate(database: Database) -> None:
    """Bring the tables up to the newest revision; harmless when they are."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with database.writing() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _engine(url: URL) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        return sa.create_engine(url, pool_pre_ping=True)
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(url, connect_args={"timeout": 10})
    sa.event.listen(engine, "connect", _tune_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _tune_sqlite(connection: Any, _record: Any) -> None:
    """Readers never wait for the writer; a killed process loses nothing that was committed."""
    connection.isolation_level = None  # the driver would leave CREATE TABLE outside transactions
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sa.Connection) -> None:
    """A writer queues for its turn at once: one that reads first and then writes would fail instead of waiting."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _revision(database: Database) -> str | None:
    with database.reading() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


@contextlib.contextmanager
def _alone(engine: sa.Engine) -> Iterator[None]:
    """Hold off the other processes that start at the same moment and would migrate as well."""
    if engine.url.get_backend_name() == "sqlite":
        if not engine.url.database:  # in memory: nobody else can see it
            yield
            return
        with open(f"{engine.url.database}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        return
    with engine.connect() as connection:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
        yield


def _cause(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]
