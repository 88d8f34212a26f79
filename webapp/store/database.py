"""Opening the database: SQLite tuned for one writer beside many readers, or a PostgreSQL server; migrations under a
lock."""

from __future__ import annotations

import contextlib
import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url

from webapp.core.retrieval.files import is_open
from webapp.store.schema import REVISION
from webapp.store.server import server_engine, server_problem, wait_patiently
from webapp.store.turn import Turn

P = ParamSpec("P")
R = TypeVar("R")

_IN_MEMORY = ":memory:"
_DISK_FULL = "53100"  # as PostgreSQL names it
_CONNECTIONS = 20  # to a file that stay open: opening one takes longer than most of what is done with it
_POSTGRES_LOCK = 7_230_411  # any number, as long as it stays the same


_ONE_STATE = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


class DatabaseError(RuntimeError):
    """The database can't be opened; the message says why and what to do."""


class Database:
    """One pool of connections, entered by `reading` or by `writing`."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self.on_server = engine.dialect.name != "sqlite"
        self._reader = engine.execution_options(**_ONE_STATE) if self.on_server else engine
        self._writer = engine.execution_options(writes=True)
        file = None if self.on_server else engine.url.database
        self._turn = Turn(Path(f"{file}.turn")).taken if file else contextlib.nullcontext

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A connection that sees one state of the database from first to last."""
        return self._reader.connect()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction: kept whole at the end, or not at all. On a server others write at the same time, and each
        statement sees what they have kept by then."""
        with self._turn(), self._writer.begin() as connection:
            yield connection

    def insert(self, table: sa.Table) -> postgresql.Insert:
        """An INSERT that can say what is done ON CONFLICT, in the same words for both kinds of database."""
        made: Any = postgresql.insert(table) if self.on_server else sqlite.insert(table)
        return made  # type: ignore[no-any-return]

    def hold(self, connection: sa.Connection, table: sa.Table) -> None:
        """Keep others from changing that table until this transaction ends. A writer of SQLite is alone anyway."""
        if self.on_server:
            connection.exec_driver_sql(f"LOCK TABLE {table.name} IN EXCLUSIVE MODE")

    def now(self) -> datetime:
        """The moment by the one clock that all who share the database go by."""
        if not self.on_server:
            return datetime.now(UTC)
        with self.reading() as connection:
            moment: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
        return moment.astimezone(UTC)

    def problem(self) -> str:
        """Say what is wrong with a server, "" when nothing is, or there is none."""
        if not self.on_server:
            return ""
        with self.reading() as connection:
            return server_problem(connection)


def is_closed_or_full(error: BaseException) -> bool:
    """Tell whether an error of a database says that it can be read, and not written to: closed to writing, or full."""
    cause = getattr(error, "orig", error)
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    return code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL} or getattr(cause, "sqlstate", "") == _DISK_FULL


def again_if_broken_off(work: Callable[P, R]) -> Callable[P, R]:
    """Do work once more whose connection broke off: for what is the same done twice, since the first may have been
    kept although nobody was told."""

    @wraps(work)
    def done(*args: P.args, **named: P.kwargs) -> R:
        try:
            return work(*args, **named)
        except sa.exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise
            return work(*args, **named)

    return done


def open_database(url: str) -> Database:
    """Return a database that has the newest tables. Raises DatabaseError."""
    address = _address(url)
    try:
        database = Database(_engine(address))
    except (sa.exc.SQLAlchemyError, OSError) as error:
        raise _unopened(address, error) from error
    try:
        _bring_up_to_date(database)
    except (sa.exc.SQLAlchemyError, OSError) as error:
        database.engine.dispose()
        raise _unopened(address, error) from error
    except DatabaseError:
        database.engine.dispose()
        raise
    return database


def _bring_up_to_date(database: Database) -> None:
    found = _revision(database)
    if found and found > REVISION:
        raise DatabaseError(f"the database is of a newer version of this program ({found}); install that one")
    if found != REVISION:
        with _alone(database.engine):
            migrate(database)


def _address(url: str) -> URL:
    """Read an address. Raises DatabaseError without a word of it: a piece that can't be read may be of the password."""
    try:
        return make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        wanted = "sqlite:////folder/file.db or postgresql+psycopg://user:password@host/name"
        raise DatabaseError(f"the database's address can't be read; write it like {wanted}") from None


def _unopened(address: URL, error: Exception) -> DatabaseError:
    shown = address.set(query={}).render_as_string(hide_password=True)  # what follows a ? may be a password, too
    return DatabaseError(f"can't open the database {shown}: {_cause(error)}")


def migrate(database: Database) -> None:
    """Bring the tables up to the newest revision; harmless when they are."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with database.writing() as connection:
        if database.on_server:
            wait_patiently(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _engine(url: URL) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        return server_engine(url)
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(url, connect_args={"timeout": 10}, hide_parameters=True, pool_size=_CONNECTIONS)
    sa.event.listen(engine, "do_connect", _connect_sqlite)
    sa.event.listen(engine, "connect", _tune_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def address_of(file: Path, mode: str = "rwc") -> str:
    """Return the address that SQLite opens a file by. Where it can't make a file beside it, as it does to read, it has
    to be told that nobody writes; one that was not closed properly has that file, and is read as it is."""
    closed = file.is_file() and not is_open(file.parent) and not Path(f"{file}-wal").exists()
    return f"{file.resolve().as_uri()}?{'immutable=1' if closed else f'mode={mode}'}"


def _connect_sqlite(_dialect: Any, _record: Any, arguments: list[Any], named: dict[str, Any]) -> None:
    if arguments[0] != _IN_MEMORY:
        arguments[0], named["uri"] = address_of(Path(arguments[0])), True


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
        wait_patiently(connection)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
        yield


def _cause(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]
