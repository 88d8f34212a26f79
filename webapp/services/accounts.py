"""Signing in: passwords (argon2), lock-out, one-time links, sessions that can be ended."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from webapp.core.retrieval.model import Role
from webapp.settings import Settings
from webapp.store.accounts import Account, Session, session_id
from webapp.store.store import Store

PASSWORD_MIN = 10
PASSWORD_MAX = 200  # argon2 is slow on purpose; nobody types more
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}")
_SESSION_ID = re.compile(r"[0-9a-f]{16}")
_SEEN_AGAIN = timedelta(minutes=5)  # not every request writes to the database


class AccountProblem(StrEnum):
    """Why an account can't be made or entered: pages word it in the reader's language."""

    WRONG = "wrong"  # address or password; also a locked or disabled account, which is nobody's business
    LINK_ENDED = "link_ended"
    BAD_EMAIL = "bad_email"
    EMAIL_TAKEN = "email_taken"
    NO_ACCOUNT = "no_account"
    SHORT_PASSWORD = "short_password"
    LONG_PASSWORD = "long_password"
    NOT_LET_IN = "not_let_in"


_MESSAGES = {
    AccountProblem.NOT_LET_IN: "The organisation's sign-in names nobody who may come in here; ask an administrator.",
    AccountProblem.WRONG: "The address or the password is wrong.",
    AccountProblem.LINK_ENDED: "This link has been used or is too old; ask for a new one.",
    AccountProblem.BAD_EMAIL: "Give an e-mail address, like name@example.org.",
    AccountProblem.EMAIL_TAKEN: "There is an account for this address already.",
    AccountProblem.NO_ACCOUNT: "There is no account for this address; `users list` shows those there are.",
    AccountProblem.SHORT_PASSWORD: f"Take a password of at least {PASSWORD_MIN} characters.",
    AccountProblem.LONG_PASSWORD: f"Take a password of at most {PASSWORD_MAX} characters.",
}


class AccountError(ValueError):
    """An account can't be made or entered; `code` says why to programs, the message to people (English)."""

    def __init__(self, code: AccountProblem) -> None:
        self.code = code
        super().__init__(_MESSAGES[code])


@dataclass(frozen=True, slots=True)
class Invitation:
    """A one-time link that is still good. `email` None: whoever holds it becomes the first admin."""

    email: str | None


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody whom the organisation's own sign-in vouches for. `groups` None: it does not tell them."""

    email: str
    subject: str | None = None  # issuer and name there, which never changes; None: the address is the name
    verified: bool = False  # the organisation has made sure of the address
    groups: frozenset[str] | None = None


class Accounts:
    """All that pages and commands do with accounts. Tokens are handed out once and kept only as hashes."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def all(self) -> tuple[Account, ...]:
        """Return every account, by address."""
        return self._store.accounts.all()

    def first_link(self) -> str | None:
        """Return the token of a link that makes the first admin, or None when someone can sign in already."""
        return None if self._somebody_can_sign_in() else self._new_link(None)

    def invite(self, email: str, role: Role, groups: frozenset[str] = frozenset()) -> str:
        """Add an account and return the token of its one-time link. Raises AccountError."""
        address = _address(email)
        try:
            account_id = self._store.accounts.add(address, role, groups)
        except ValueError:
            raise AccountError(AccountProblem.EMAIL_TAKEN) from None
        return self._new_link(account_id)

    def link(self, email: str) -> str:
        """Return the token of a new one-time link for an account. Raises AccountError."""
        return self._new_link(self._known(email).id)

    def disable(self, email: str, disabled: bool = True) -> None:
        """Shut an account out, and end its sessions; or let it in again. Raises AccountError."""
        account = self._known(email)
        self._store.accounts.change(account.id, disabled=disabled)
        self._store.sessions.end_all(account.id)

    def invitation(self, token: str) -> Invitation | None:
        """Return what a link's token is good for, without using it up."""
        link = self._store.links.get(_hash(token))
        if link is None or link.expires_at < datetime.now(UTC):
            return None
        if link.account_id is None:  # an old one in a log must not take over what has been set up since
            return None if self._somebody_can_sign_in() else Invitation(None)
        account = self._store.accounts.get(link.account_id)
        return Invitation(account.email) if account and not account.disabled else None

    def accept(self, token: str, email: str, password: str, device: str | None = None) -> str:
        """Use a link up: set the password, and return a session's token. Raises AccountError."""
        invitation = self.invitation(token)
        if invitation is None:
            raise AccountError(AccountProblem.LINK_ENDED)
        address = invitation.email or _address(email)
        hashed = self._hashed(password)
        if not self._store.links.use(_hash(token)):
            raise AccountError(AccountProblem.LINK_ENDED)
        return self._new_session(self._with_password(address, hashed, first=invitation.email is None), device)

    def sign_in(self, email: str, password: str, device: str | None = None) -> str:
        """Return a new session's token. Raises AccountError, which never tells which half was wrong."""
        account = self._store.accounts.by_email(email.strip().lower())
        right = self._verify(account.password if account else None, password)
        if account is None or account.disabled or self._locked(account):
            raise AccountError(AccountProblem.WRONG)
        if not right:
            until = datetime.now(UTC) + timedelta(minutes=self._settings.lockout_minutes)
            self._store.accounts.count_failure(account.id, self._settings.lockout_attempts, until)
            raise AccountError(AccountProblem.WRONG)
        self._store.accounts.change(account.id, failed_attempts=0, locked_until=None)
        return self._new_session(account.id, device)

    def _locked(self, account: Account) -> bool:
        """Tell whether an account is locked; never for longer than it may be, though the clock went back meanwhile."""
        if account.locked_until is None:
            return False
        left = account.locked_until - datetime.now(UTC)
        return timedelta() < left <= timedelta(minutes=self._settings.lockout_minutes)

    def of_session(self, token: str) -> Account | None:
        """Return who is signed in with that session."""
        now = datetime.now(UTC)
        found = self._store.sessions.account(_hash(token), now - timedelta(hours=self._settings.session_hours))
        if found is None:
            return None
        account, seen_at = found
        if now - seen_at > _SEEN_AGAIN:
            self._store.sessions.seen(_hash(token))
        return account

    def arrive(self, who: Identity) -> Account:
        """Return the account of somebody that the organisation vouches for, making it when there is none.

        Where the organisation names groups, they are the account's from now on, and so is the role they give.
        Raises AccountError when the account is shut out, or belongs to somebody else.
        """
        account = self._found(who)
        if account is None:
            role, groups = role_of(who.groups, self._settings.sso_roles), who.groups or frozenset()
            account_id = self._store.accounts.add(_address(who.email), role, groups)
        elif account.disabled:
            raise AccountError(AccountProblem.NOT_LET_IN)
        else:
            account_id = account.id
        self._bring_up_to_date(account_id, account, who)
        arrived = self._store.accounts.get(account_id)
        assert arrived
        return arrived

    def enter(self, account: Account, device: str | None = None) -> str:
        """Return the token of a new session of somebody who has arrived."""
        return self._new_session(account.id, device)

    def _found(self, who: Identity) -> Account | None:
        """The account is known by who it is there; an address alone counts once, if the organisation has checked it."""
        known = self._store.accounts.by_subject(who.subject) if who.subject else None
        account = known or self._store.accounts.by_email(_address(who.email))
        if account and not known and who.subject and (account.subject or not who.verified):
            raise AccountError(AccountProblem.NOT_LET_IN)
        return account

    def _bring_up_to_date(self, account_id: int, account: Account | None, who: Identity) -> None:
        changed: dict[str, Any] = {}
        if who.subject and (account is None or account.subject != who.subject):
            changed["subject"] = who.subject
        if account and who.groups is not None:
            role = role_of(who.groups, self._settings.sso_roles)
            if (account.role, account.groups) != (role, who.groups):
                changed |= {"role": role.value, "groups": sorted(who.groups)}
        if changed:
            self._store.accounts.change(account_id, **changed)

    def sessions(self, account: Account) -> tuple[Session, ...]:
        """Return where somebody is signed in, the session used last first."""
        since = datetime.now(UTC) - timedelta(hours=self._settings.session_hours)
        return self._store.sessions.of(account.id, since)

    def end_session(self, account: Account, id_: str) -> bool:
        """Sign somebody out of one session; tells whether there was one."""
        return bool(_SESSION_ID.fullmatch(id_)) and self._store.sessions.end_one(account.id, id_)

    def end_sessions(self, account: Account) -> None:
        """Sign somebody out everywhere."""
        self._store.sessions.end_all(account.id)

    def by_id(self, account_id: int) -> Account | None:
        """Return the account of that id."""
        return self._store.accounts.get(account_id)

    def set_rights(self, account: Account, role: Role, groups: frozenset[str]) -> None:
        """Give an account a role and groups; they count from its next request."""
        self._store.accounts.change(account.id, role=role.value, groups=sorted(groups))

    def sign_out(self, token: str) -> None:
        """End a session."""
        self._store.sessions.end(_hash(token))

    def tidy(self) -> None:
        """Remove links and sessions whose time is over."""
        now = datetime.now(UTC)
        self._store.links.end_before(now)
        self._store.sessions.end_unseen(now - timedelta(hours=self._settings.session_hours))

    def _somebody_can_sign_in(self) -> bool:
        return any(account.password for account in self.all())

    def _known(self, email: str) -> Account:
        account = self._store.accounts.by_email(email.strip().lower())
        if account is None:
            raise AccountError(AccountProblem.NO_ACCOUNT)
        return account

    def _new_link(self, account_id: int | None) -> str:
        token = secrets.token_urlsafe(24)
        expires_at = datetime.now(UTC) + timedelta(hours=self._settings.link_hours)
        self._store.links.add(_hash(token), account_id, expires_at)
        return token

    def _new_session(self, account_id: int, device: str | None) -> str:
        token = secrets.token_urlsafe(24)
        self._store.sessions.add(_hash(token), account_id, device)
        return token

    def _with_password(self, email: str, hashed: str, first: bool) -> int:
        account = self._store.accounts.by_email(email)
        if account is None:
            return self._store.accounts.add(email, Role.ADMIN, password=hashed)
        values = {"password": hashed, "failed_attempts": 0, "locked_until": None}
        self._store.accounts.change(account.id, **(values | {"role": Role.ADMIN.value} if first else values))
        self._store.sessions.end_all(account.id)
        return account.id

    def _hashed(self, password: str) -> str:
        if len(password) < PASSWORD_MIN:
            raise AccountError(AccountProblem.SHORT_PASSWORD)
        if len(password) > PASSWORD_MAX:
            raise AccountError(AccountProblem.LONG_PASSWORD)
        return self._hasher.hash(password)

    def _verify(self, hashed: str | None, password: str) -> bool:
        """Take the same time whether or not there is such an account."""
        try:
            self._hasher.verify(hashed or self._decoy, password[:PASSWORD_MAX])
        except (Argon2Error, InvalidHashError):
            return False
        return hashed is not None

    @cached_property
    def _hasher(self) -> PasswordHasher:
        return PasswordHasher()

    @cached_property
    def _decoy(self) -> str:
        return self._hasher.hash(secrets.token_hex(16))


def role_of(groups: frozenset[str] | None, roles: Iterable[str]) -> Role:
    """Return the highest role that `role=group` pairs give to members of these groups; else they are customers."""
    given = {role for role, _, group in (pair.partition("=") for pair in roles) if group in (groups or ())}
    return next((role for role in (Role.ADMIN, Role.EDITOR, Role.AGENT) if role.value in given), Role.CUSTOMER)


def session_of(token: str) -> str:
    """Return what names the session of that token on pages."""
    return session_id(_hash(token))


def _address(email: str) -> str:
    email = email.strip().lower()
    if not _EMAIL.fullmatch(email):
        raise AccountError(AccountProblem.BAD_EMAIL)
    return email


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
