from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from argon2 import PasswordHasher, Type, extract_parameters

from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Role
from webapp.services.accounts import PASSWORD_MAX, AccountError, AccountProblem, Accounts, Invitation
from webapp.store.accounts import Account

ADA = "ada@lamps.example"


@pytest.fixture
def accounts(desks: Desks) -> Accounts:
    return desks.services.accounts


@pytest.fixture
def ada(accounts: Accounts) -> Account:
    account = accounts.of_session(accounts.accept(accounts.invite(ADA, Role.AGENT), "", PASSWORD))
    assert account
    return account


def refused(accounts: Accounts, email: str, password: str) -> AccountProblem:
    with pytest.raises(AccountError) as caught:
        accounts.sign_in(email, password)
    return caught.value.code


def test_the_first_link_makes_an_admin(accounts: Accounts) -> None:
    token = accounts.first_link()
    assert token
    assert accounts.invitation(token) == Invitation(None)
    account = accounts.of_session(accounts.accept(token, " Ada@Lamps.example ", PASSWORD))
    assert account
    assert (account.email, account.role) == (ADA, Role.ADMIN)
    assert accounts.first_link() is None, "somebody can sign in now"


def test_a_newer_first_link_ends_the_older_one(accounts: Accounts) -> None:
    older, newer = accounts.first_link(), accounts.first_link()
    assert older
    assert newer
    assert accounts.invitation(older) is None
    assert accounts.invitation(newer)


def test_a_first_link_in_an_old_log_is_worth_nothing_once_somebody_can_sign_in(accounts: Accounts) -> None:
    token = accounts.first_link()
    assert token
    accounts.accept(accounts.invite(ADA, Role.ADMIN), "", PASSWORD)
    assert accounts.invitation(token) is None
    with pytest.raises(AccountError) as caught:
        accounts.accept(token, ADA, "another good password")
    assert caught.value.code is AccountProblem.LINK_ENDED
    assert accounts.sign_in(ADA, PASSWORD)


def test_a_link_is_good_once(accounts: Accounts) -> None:
    token = accounts.invite(ADA, Role.AGENT)
    assert accounts.invitation(token) == Invitation(ADA)
    accounts.accept(token, "", PASSWORD)
    assert accounts.invitation(token) is None
    with pytest.raises(AccountError) as caught:
        accounts.accept(token, "", PASSWORD)
    assert caught.value.code is AccountProblem.LINK_ENDED


def test_a_link_ends_with_its_time(accounts: Accounts, desks: Desks, ada: Account) -> None:
    from webapp.services.accounts import _hash

    desks.services.store.links.add(_hash("old"), ada.id, datetime.now(UTC) - timedelta(seconds=1))
    assert accounts.invitation("old") is None


def test_a_link_is_for_its_own_account(accounts: Accounts) -> None:
    token = accounts.invite(ADA, Role.AGENT)
    account = accounts.of_session(accounts.accept(token, "someone@else.example", PASSWORD))
    assert account
    assert account.email == ADA


@pytest.mark.parametrize(
    ("email", "password", "code"),
    [
        ("no address", PASSWORD, AccountProblem.BAD_EMAIL),
        ("a@b@c", PASSWORD, AccountProblem.BAD_EMAIL),
        (ADA, "too short", AccountProblem.SHORT_PASSWORD),
        (ADA, "x" * (PASSWORD_MAX + 1), AccountProblem.LONG_PASSWORD),
    ],
)
def test_a_mistake_does_not_use_the_link_up(
    accounts: Accounts, email: str, password: str, code: AccountProblem
) -> None:
    token = accounts.first_link()
    assert token
    with pytest.raises(AccountError) as caught:
        accounts.accept(token, email, password)
    assert caught.value.code is code
    assert accounts.invitation(token)


def test_an_address_is_invited_once(accounts: Accounts, ada: Account) -> None:
    with pytest.raises(AccountError) as caught:
        accounts.invite(ADA.upper(), Role.AGENT)
    assert caught.value.code is AccountProblem.EMAIL_TAKEN


@pytest.mark.parametrize(("email", "password"), [(ADA, "wrong password"), ("nobody@lamps.example", PASSWORD), ("", "")])
def test_nobody_learns_which_half_was_wrong(accounts: Accounts, ada: Account, email: str, password: str) -> None:
    assert refused(accounts, email, password) is AccountProblem.WRONG


def test_signing_in_takes_the_address_in_any_case(accounts: Accounts, ada: Account) -> None:
    assert accounts.of_session(accounts.sign_in(f" {ADA.upper()} ", PASSWORD)) == ada


def test_wrong_passwords_lock_the_account_for_a_while(accounts: Accounts, ada: Account, desks: Desks) -> None:
    for _ in range(desks.settings.lockout_attempts):
        refused(accounts, ADA, "wrong password")
    assert refused(accounts, ADA, PASSWORD) is AccountProblem.WRONG
    desks.services.store.accounts.change(ada.id, locked_until=datetime.now(UTC) - timedelta(seconds=1))
    assert accounts.sign_in(ADA, PASSWORD)


def test_a_right_password_begins_the_count_again(accounts: Accounts, ada: Account, desks: Desks) -> None:
    for _ in range(2):
        for _ in range(desks.settings.lockout_attempts - 1):
            refused(accounts, ADA, "wrong password")
        assert accounts.sign_in(ADA, PASSWORD)


def test_an_invited_account_without_password_can_not_sign_in(accounts: Accounts) -> None:
    accounts.invite(ADA, Role.AGENT)
    assert refused(accounts, ADA, "") is AccountProblem.WRONG


def test_signing_out_ends_that_session_alone(accounts: Accounts, ada: Account) -> None:
    one, other = accounts.sign_in(ADA, PASSWORD), accounts.sign_in(ADA, PASSWORD)
    accounts.sign_out(one)
    assert accounts.of_session(one) is None
    assert accounts.of_session(other)


def test_a_new_password_ends_every_session(accounts: Accounts, ada: Account) -> None:
    session = accounts.sign_in(ADA, PASSWORD)
    accounts.accept(accounts.link(ADA), "", "another good password")
    assert accounts.of_session(session) is None
    assert refused(accounts, ADA, PASSWORD) is AccountProblem.WRONG


def test_disabling_can_be_undone(accounts: Accounts, ada: Account) -> None:
    session = accounts.sign_in(ADA, PASSWORD)
    accounts.disable(ADA)
    assert accounts.of_session(session) is None
    assert refused(accounts, ADA, PASSWORD) is AccountProblem.WRONG
    accounts.disable(ADA, False)
    assert accounts.sign_in(ADA, PASSWORD)


@pytest.mark.parametrize("name", ["link", "disable"])
def test_an_unknown_address_is_said(accounts: Accounts, name: str) -> None:
    with pytest.raises(AccountError) as caught:
        getattr(accounts, name)("nobody@lamps.example")
    assert caught.value.code is AccountProblem.NO_ACCOUNT


def test_tokens_and_passwords_are_kept_only_as_hashes(accounts: Accounts, desks: Desks, ada: Account) -> None:
    secrets = (PASSWORD, accounts.link(ADA), accounts.sign_in(ADA, PASSWORD))
    desks.services.close()
    written = b"".join(file.read_bytes() for file in desks.settings.instance.glob("evidencedesk.db*"))
    assert not [secret for secret in secrets if secret.encode() in written]


def test_guessing_passwords_from_their_hashes_is_slow(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashed as it is outside the tests, which take a shorter way (tests/shortcuts.py)."""
    monkeypatch.setattr("webapp.services.accounts.PasswordHasher", PasswordHasher)
    accounts = desks.services.accounts
    accounts.accept(accounts.invite(ADA, Role.AGENT), "", PASSWORD)
    kept = desks.services.store.accounts.by_email(ADA)
    assert kept
    cost = extract_parameters(kept.password or "")
    assert cost.type is Type.ID
    assert cost.memory_cost * cost.time_cost >= 64 * 1024  # KiB gone over
    assert accounts.sign_in(ADA, PASSWORD)


def test_what_is_over_is_removed(accounts: Accounts, ada: Account, desks: Desks) -> None:
    token = accounts.sign_in(ADA, PASSWORD)
    store, hour = desks.services.store, timedelta(hours=1)
    store.links.add("old", None, datetime.now(UTC) - hour)
    accounts.tidy()
    assert store.links.get("old") is None
    assert accounts.of_session(token), "what is in use stays"
    store.sessions.end_unseen(datetime.now(UTC) + hour)
    assert accounts.of_session(token) is None
