"""Connections to the PostgreSQL servers of an engine: kept for reuse, replaced when they are lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakValueDictionary

import psycopg
from psycopg.conninfo import make_conninfo

from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.engine import IndexProblem
from webapp.core.retrieval.engines._postgres_values import Integers, IntegersDumper, Reals, RealsDumper

T = TypeVar("T")

_IDLE = 32  # connections kept for reuse
# A server that is gone is noticed within seconds. An address may say otherwise.
_WAITING = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    "application_name": "evidencedesk index",
}
# The connection is lost, or leads to a server that only follows another one by now.
_ELSEWHERE = (psycopg.OperationalError, psycopg.errors.ReadOnlySqlTransaction)
# A plan made for any filter finds too little with a narrow one. Each statement here has one right plan, by an index.
_SETTINGS = """
SET plan_cache_mode = force_custom_plan; SET enable_seqscan = off; SET jit = off;
SET hnsw.iterative_scan = relaxed_order; SET hnsw.max_scan_tuples = 200000
"""


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection, and the effort that it puts into walks through graphs."""

    effort = 0


Work = Callable[[Connection], T]


class Pool:
    """Connections to one server. Safe to use from several threads, and in processes that fork."""

    def __init__(self, url: str) -> None:
        """Take an address as psycopg or SQLAlchemy takes it. Raises PartUnavailable."""
        self.address = _address(url)
        self._idle: list[Connection] = []
        self._process = os.getpid()

    def run(self, work: Work[T]) -> T:
        """Return what the work gives, done once more when its connection is lost: the server was started afresh
        meanwhile, or another has taken its place. Raises psycopg.Error."""
        try:
            return self._once(work)
        except _ELSEWHERE:
            self.close()
            return self._once(work)

    def _once(self, work: Work[T]) -> T:
        connection = self._take()
        try:
            found = work(connection)
        except BaseException:
            connection.close()
            raise
        if len(self._idle) < _IDLE:
            self._idle.append(connection)
        else:
            connection.close()
        return found

    def _take(self) -> Connection:
        if self._process != os.getpid():  # what is open belongs to the process that this one was forked from
            self._process, self._idle = os.getpid(), []
        with suppress(IndexError):
            return self._idle.pop()
        return self.connect()

    def connect(self) -> Connection:
        """Return a new connection, of the caller's own. Raises psycopg.Error."""
        connection = Connection.connect(self.address, autocommit=True)
        try:
            connection.adapters.register_dumper(Reals, RealsDumper)
            connection.adapters.register_dumper(Integers, IntegersDumper)
            connection.execute(_SETTINGS)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Give back what nobody uses."""
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()


class Servers:
    """The primary, and a replica that searches go to where there is one."""

    def __init__(self, primary: Pool, replica: Pool | None) -> None:
        self._primary = primary
        self._replica = replica
        self.opened: WeakValueDictionary[int, Any] = WeakValueDictionary()  # segments that anybody here holds
        self._copied: set[int] = set()  # segments that are known to be whole on the replica

    def write(self, work: Work[T]) -> T:
        """Do work on the primary. Raises PartUnavailable, and IndexProblem for what is gone or damaged."""
        with _said():
            return self._primary.run(work)

    def look(self, work: Work[T]) -> T:
        """Read what must be of this moment: on the primary, on the replica while there is none. Raises as `write`."""
        if self._replica is None:
            return self.write(work)
        with _said():
            try:
                return self._primary.run(work)
            except psycopg.OperationalError:
                return self._replica.run(work)

    def search(self, segment: int, work: Work[T]) -> T:
        """Read a segment that is whole: on the replica, on the primary where that can't answer. Raises as `write`."""
        if self._replica is not None:
            with suppress(psycopg.Error):
                if self._is_copied(segment, self._replica):
                    return self._replica.run(work)
        return self.write(work)

    def _is_copied(self, segment: int, replica: Pool) -> bool:
        if segment not in self._copied:
            statement = "SELECT 1 FROM evidencedesk_index.segments WHERE number = %s AND sealed"
            if replica.run(lambda connection: connection.execute(statement, (segment,)).fetchone()):
                self._copied.add(segment)
        return segment in self._copied

    def close(self) -> None:
        """Give back the connections that nobody uses."""
        for pool in filter(None, (self._primary, self._replica)):
            pool.close()

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold a lock against everybody else, on whatever machine; it ends with its connection. Raises as `write`."""
        with _said():
            connection = self._primary.connect()
        try:
            with _said():
                connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (f"evidencedesk {name}",))
            yield
        finally:
            connection.close()


# What is there no more, or can't be read: anything else that goes wrong says nothing about a version.
_BROKEN = (
    psycopg.errors.UndefinedTable,
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.DataCorrupted,
    psycopg.errors.IndexCorrupted,
)


@contextmanager
def _said() -> Iterator[None]:
    """Say in our words what the database says in its own."""
    try:
        yield
    except _BROKEN as error:
        raise IndexProblem(f"this index version is gone or damaged ({_first_line(error)}); ask again") from error
    except psycopg.Error as error:
        raise PartUnavailable(
            f"the database of the indexes can't be used ({_first_line(error)}); start it, or correct its address"
        ) from error


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@lru_cache(maxsize=8)
def servers_of(url: str, replica: str) -> Servers:
    """Return the process's one set of connections to those addresses. Raises PartUnavailable."""
    return Servers(Pool(url), Pool(replica) if replica else None)


def _address(url: str) -> str:
    """Return an address as psycopg takes it. SQLAlchemy wants its driver named (postgresql+psycopg://…), and several
    servers as host=one:5432&host=two:5432."""
    parts = urlsplit(url)
    query = parse_qsl(parts.query)
    hosts = [value for name, value in query if name == "host"]
    others = {name: value for name, value in query if name != "host"}
    if hosts:
        pairs = [host.partition(":") for host in ",".join(hosts).split(",")]
        others["host"] = ",".join(name for name, _, _ in pairs)
        if any(port for _, _, port in pairs):
            others["port"] = ",".join(port for _, _, port in pairs)
    try:
        plain = parts._replace(scheme="postgresql", query="").geturl()
        if not parts.netloc:  # urlsplit leaves out the slashes
            plain = f"postgresql://{parts.path}"
        return make_conninfo(plain, **_WAITING | others)
    except (psycopg.Error, ValueError) as error:
        raise PartUnavailable(f"the address of the indexes' database can't be read ({error}); correct it") from error
