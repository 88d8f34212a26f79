"""Accounts, their one-time links and their sessions. Tokens come in hashed: nothing here can be used to sign in."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from webapp.core.retrieval.model import Reader, Role
from webapp.store.database import Database
from webapp.store.schema import accounts, links, sessions


@dataclass(frozen=True, slots=True)
class Account:
    """Someone who can sign in. `password` is the argon2 hash, None until the invitation is taken up."""

    id: int
    email: str
    role: Role
    groups: frozenset[str]
    password: str | None
    disabled: bool
    failed_attempts: int
    locked_until: datetime | None
    subject: str | None = None  # who that is at the organisation's sign-in

    @property
    def reader(self) -> Reader:
        """Which pages and documents they may open."""
        return Reader(self.role, self.groups)


@dataclass(frozen=True, slots=True)
class Session:
    """A sign-in that has not ended. `id` names it and opens nothing."""

    id: str
    created_at: datetime
    seen_at: datetime
    device: str | None


@dataclass(frozen=True, slots=True)
class Link:
    """A one-time link. `account_id` None: it makes the first admin."""

    account_id: int | None
    expires_at: datetime


class Accounts:
    """The accounts, by id or e-mail address (in lower case)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, email: str, role: Role, groups: frozenset[str] = frozenset(), password: str | None = None) -> int:
        """Add an account and return its id. Raises ValueError when the address has one."""
        row = {"email": email, "role": role.value, "groups": sorted(groups), "password": password}
        fresh = {"disabled": False, "failed_attempts": 0, "created_at": datetime.now(UTC)}
        try:
            with self._database.writing() as connection:
                return int(
                    connection.execute(accounts.insert().values(row | fresh).returning(accounts.c.id)).scalar_one()
                )
        except sa.exc.IntegrityError:
            raise ValueError(f"there is an account for {email} already") from None

    def by_subject(self, subject: str) -> Account | None:
        """Return the account of whoever the organisation's sign-in calls that."""
        return self._one(accounts.c.subject == subject)

    def get(self, account_id: int) -> Account | None:
        """Return the account of that id."""
        return self._one(accounts.c.id == account_id)

    def by_email(self, email: str) -> Account | None:
        """Return the account of that address."""
        return self._one(accounts.c.email == email)

    def all(self) -> tuple[Account, ...]:
        """Return every account, by address."""
        with self._database.reading() as connection:
            return tuple(map(_account, connection.execute(sa.select(accounts).order_by(accounts.c.email))))

    def change(self, account_id: int, **values: Any) -> None:
        """Set columns of an account."""
        with self._database.writing() as connection:
            connection.execute(accounts.update().where(accounts.c.id == account_id).values(values))

    def count_failure(self, account_id: int, limit: int, locked_until: datetime) -> None:
        """Count a wrong password; from the `limit`th on the account is locked, and counting begins again."""
        count = accounts.c.failed_attempts + 1
        full = count >= limit
        values = {
            "failed_attempts": sa.case((full, 0), else_=count),
            "locked_until": sa.case((full, sa.literal(locked_until, accounts.c.locked_until.type)), else_=None),
        }
        with self._database.writing() as connection:
            connection.execute(accounts.update().where(accounts.c.id == account_id).values(values))

    def _one(self, which: sa.ColumnElement[bool]) -> Account | None:
        with self._database.reading() as connection:
            row = connection.execute(sa.select(accounts).where(which)).first()
        return _account(row) if row else None


class Links:
    """One-time links, by the hash of their token."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: str, account_id: int | None, expires_at: datetime) -> None:
        """Keep a link; the earlier ones of that account end."""
        with self._database.writing() as connection:
            connection.execute(links.delete().where(links.c.account_id.is_not_distinct_from(account_id)))
            row = {"token": token, "account_id": account_id, "expires_at": expires_at}
            connection.execute(links.insert().values(row))

    def get(self, token: str) -> Link | None:
        """Return a link without using it up."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(links).where(links.c.token == token)).first()
        return Link(row.account_id, row.expires_at) if row else None

    def end_before(self, moment: datetime) -> None:
        """Remove the links whose time was over before that moment."""
        with self._database.writing() as connection:
            connection.execute(links.delete().where(links.c.expires_at < moment))

    def use(self, token: str) -> bool:
        """Use a link up; only one of several users at the same moment is told True."""
        with self._database.writing() as connection:
            return connection.execute(links.delete().where(links.c.token == token)).rowcount == 1


class Sessions:
    """Who is signed in, by the hash of the cookie's token."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: str, account_id: int, device: str | None = None) -> None:
        """Sign an account in."""
        now = datetime.now(UTC)
        row = {"token": token, "account_id": account_id, "created_at": now, "seen_at": now, "device": device}
        with self._database.writing() as connection:
            connection.execute(sessions.insert().values(row))

    def account(self, token: str, since: datetime) -> tuple[Account, datetime] | None:
        """Return who that is and when last seen, unless not seen since, or disabled."""
        query = (
            sa.select(accounts, sessions.c.seen_at)
            .join(sessions, sessions.c.account_id == accounts.c.id)
            .where(sessions.c.token == token, sessions.c.seen_at >= since, accounts.c.disabled.is_(False))
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return (_account(row), row.seen_at) if row else None

    def seen(self, token: str) -> None:
        """Note that the session is in use, if it can be noted: no page fails for want of it."""
        with suppress(sa.exc.OperationalError), self._database.writing() as connection:
            connection.execute(sessions.update().where(sessions.c.token == token).values(seen_at=datetime.now(UTC)))

    def end(self, token: str) -> None:
        """Sign out."""
        with self._database.writing() as connection:
            connection.execute(sessions.delete().where(sessions.c.token == token))

    def of(self, account_id: int, since: datetime) -> tuple[Session, ...]:
        """Return an account's sessions that were seen since, the one seen last first."""
        mine = sa.and_(sessions.c.account_id == account_id, sessions.c.seen_at >= since)
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(sessions).where(mine).order_by(sessions.c.seen_at.desc()))
            return tuple(Session(session_id(row.token), row.created_at, row.seen_at, row.device) for row in rows)

    def end_one(self, account_id: int, id_: str) -> bool:
        """End a session of that account; tells whether there was one."""
        mine = sa.and_(sessions.c.account_id == account_id, sessions.c.token.startswith(id_, autoescape=True))
        with self._database.writing() as connection:
            return connection.execute(sessions.delete().where(mine)).rowcount > 0

    def end_unseen(self, since: datetime) -> None:
        """Sign out those that have not been seen since."""
        with self._database.writing() as connection:
            connection.execute(sessions.delete().where(sessions.c.seen_at < since))

    def end_all(self, account_id: int) -> None:
        """Sign an account out everywhere."""
        with self._database.writing() as connection:
            connection.execute(sessions.delete().where(sessions.c.account_id == account_id))


def session_id(token: str) -> str:
    """Return what names a session on pages, from its token's hash."""
    return token[:16]


def _account(row: Any) -> Account:
    return Account(
        id=row.id,
        email=row.email,
        role=Role(row.role),
        groups=frozenset(row.groups),
        password=row.password,
        disabled=row.disabled,
        failed_attempts=row.failed_attempts,
        locked_until=row.locked_until,
        subject=row.subject,
    )
