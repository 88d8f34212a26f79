"""Signing in: passwords (argon2), lock-out, one-time links, sessions that can be ended."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from webapp.core.retrieval.model import Role
from webapp.settings import Settings
from webapp.store.accounts import Account
from webapp.store.store import Store

PASSWORD_MIN = 10
PASSWORD_MAX = 200  # argon2 is slow on purpose; nobody types more
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}")
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


_MESSAGES = {
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

    def accept(self, token: str, email: str, password: str) -> str:
        """Use a link up: set the password, and return a session's token. Raises AccountError."""
        invitation = self.invitation(token)
        if invitation is None:
            raise AccountError(AccountProblem.LINK_ENDED)
        address = invitation.email or _address(email)
        hashed = self._hashed(password)
        if not self._store.links.use(_hash(token)):
            raise AccountError(AccountProblem.LINK_ENDED)
        return self._new_session(self._with_password(address, hashed, first=invitation.email is None))

    def sign_in(self, email: str, password: str) -> str:
        """Return a new session's token. Raises AccountError, which never tells which half was wrong."""
        account = self._store.accounts.by_email(email.strip().lower())
        right = self._verify(account.password if account else None, password)
        if account is None or account.disabled or _locked(account):
            raise AccountError(AccountProblem.WRONG)
        if not right:
            until = datetime.now(UTC) + timedelta(minutes=self._settings.lockout_minutes)
            self._store.accounts.count_failure(account.id, self._settings.lockout_attempts, until)
            raise AccountError(AccountProblem.WRONG)
        self._store.accounts.change(account.id, failed_attempts=0, locked_until=None)
        return self._new_session(account.id)

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

    def _new_session(self, account_id: int) -> str:
        token = secrets.token_urlsafe(24)
        self._store.sessions.add(_hash(token), account_id)
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


def _address(email: str) -> str:
    email = email.strip().lower()
    if not _EMAIL.fullmatch(email):
        raise AccountError(AccountProblem.BAD_EMAIL)
    return email


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _locked(account: Account) -> bool:
    return account.locked_until is not None and account.locked_until > datetime.now(UTC)
