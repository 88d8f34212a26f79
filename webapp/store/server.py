"""What is particular to PostgreSQL: how long it is waited for, what it can't hold, and whether it is well."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL

_OLDEST = 14  # major version
_MOST_SKEW = timedelta(seconds=5)
_MOST_CONNECTIONS = 0.9  # of those it allows
_AWAY = ("08", "57P", "25006")  # states: no connection, stopping or starting, only following another server

# A server that is gone is noticed within seconds, and no question waits for good. An address may say otherwise.
_WAITING: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "evidencedesk",
    "options": "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s",
}
_PATIENCE = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")


def server_engine(url: URL) -> sa.Engine:
    """Return a pool of connections to a server; one that broke off is replaced before it is used."""
    engine = sa.create_engine(
        url,
        pool_size=10,
        max_overflow=10,
        pool_timeout=10,
        pool_pre_ping=True,
        pool_recycle=1800,
        hide_parameters=True,  # the log holds no questions
        connect_args={name: value for name, value in _WAITING.items() if name not in url.query},
    )
    sa.event.listen(engine, "connect", _without_nul)
    return engine


def wait_patiently(connection: sa.Connection) -> None:
    """Let this transaction take as long as it takes: bringing tables up to date, or copying them."""
    for name in _PATIENCE:
        connection.exec_driver_sql(f"SET LOCAL {name} = 0")


def away(error: BaseException) -> bool:
    """Tell whether a server is out of reach, stopping, starting, or about to give its place to another."""
    if not isinstance(error, sa.exc.DBAPIError):
        return False
    state = getattr(error.orig, "sqlstate", "")
    nobody_there = state is None and isinstance(error, sa.exc.OperationalError)  # none has answered
    return error.connection_invalidated or nobody_there or str(state).startswith(_AWAY)


def passing(error: BaseException) -> bool:
    """Tell whether an error of the database is one that goes by: it is away, or too busy."""
    return away(error) or isinstance(error, sa.exc.TimeoutError | sa.exc.OperationalError)


def server_problem(connection: sa.Connection) -> str:
    """Say what is wrong with a server, and what to do; "" when nothing is."""
    version = connection.execute(sa.text("SELECT current_setting('server_version_num')::int / 10000")).scalar_one()
    if version < _OLDEST:
        return f"PostgreSQL {version} is too old; this needs {_OLDEST} or newer"
    if connection.scalar(sa.text("SELECT pg_is_in_recovery()")):
        return "this server only follows another one; add target_session_attrs=read-write to the address"
    return _skew(connection) or _crowd(connection)


def _skew(connection: sa.Connection) -> str:
    skew: timedelta = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one() - datetime.now(UTC)
    if abs(skew) < _MOST_SKEW:
        return ""
    return f"its clock and this machine's are {abs(skew).total_seconds():.0f} seconds apart; set both by NTP"


def _crowd(connection: sa.Connection) -> str:
    taken = "SELECT count(*), current_setting('max_connections')::int FROM pg_stat_activity WHERE datid IS NOT NULL"
    open_, most = connection.execute(sa.text(taken)).one()
    if open_ < _MOST_CONNECTIONS * most:
        return ""
    return f"{open_} of {most} connections are taken; raise max_connections, or run fewer processes"


def _without_nul(connection: Any, _record: Any) -> None:
    """PostgreSQL refuses a whole text for one NUL; as in Markdown, U+FFFD stands for it: nothing moves, and what is
    looked for is changed alike."""
    from psycopg.types.string import StrDumper

    class WithoutNul(StrDumper):
        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "\ufffd"))

    connection.adapters.register_dumper(str, WithoutNul)
