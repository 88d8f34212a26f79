from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from webapp.core.retrieval.model import Reader, Role
from webapp.store.store import Store

SOON = datetime.now(UTC) + timedelta(hours=1)
EARLIER = datetime.now(UTC) - timedelta(hours=1)


@pytest.fixture
def ada(store: Store) -> int:
    return store.accounts.add("ada@example.org", Role.EDITOR, frozenset({"staff", "agents"}))


def test_an_account_comes_back_as_it_was_added(store: Store, ada: int) -> None:
    account = store.accounts.get(ada)
    assert account is not None
    assert account == store.accounts.by_email("ada@example.org")
    assert account.reader == Reader(Role.EDITOR, frozenset({"staff", "agents"}))
    assert (account.password, account.disabled, account.failed_attempts, account.locked_until) == (None, False, 0, None)


def test_an_address_has_one_account(store: Store, ada: int) -> None:
    with pytest.raises(ValueError, match="ada@example"):
        store.accounts.add("ada@example.org", Role.AGENT)


def test_accounts_are_listed_by_address(store: Store, ada: int) -> None:
    store.accounts.add("aaron@example.org", Role.AGENT)
    assert [account.email for account in store.accounts.all()] == ["aaron@example.org", "ada@example.org"]


def test_the_last_allowed_failure_locks_and_counting_begins_again(store: Store, ada: int) -> None:
    for count in (1, 2):
        store.accounts.count_failure(ada, 3, SOON)
        account = store.accounts.get(ada)
        assert account
        assert (account.failed_attempts, account.locked_until) == (count, None)
    store.accounts.count_failure(ada, 3, SOON)
    account = store.accounts.get(ada)
    assert account
    assert (account.failed_attempts, account.locked_until) == (0, SOON)


def test_a_link_is_used_once(store: Store, ada: int) -> None:
    store.links.add("token", ada, SOON)
    link = store.links.get("token")
    assert link
    assert (link.account_id, link.expires_at) == (ada, SOON)
    assert [store.links.use("token"), store.links.use("token")] == [True, False]
    assert store.links.get("token") is None


@pytest.mark.parametrize("for_nobody", [True, False])
def test_a_new_link_ends_the_ones_before(store: Store, ada: int, for_nobody: bool) -> None:
    whose = None if for_nobody else ada
    store.links.add("first", whose, SOON)
    store.links.add("other", ada if for_nobody else None, SOON)
    store.links.add("second", whose, SOON)
    assert store.links.get("first") is None
    assert store.links.get("other")
    assert store.links.get("second")


def test_a_session_lasts_until_it_is_ended(store: Store, ada: int) -> None:
    store.sessions.add("token", ada)
    found = store.sessions.account("token", EARLIER)
    assert found
    assert found[0].id == ada
    store.sessions.end("token")
    assert store.sessions.account("token", EARLIER) is None


def test_a_session_not_seen_for_long_is_over(store: Store, ada: int) -> None:
    store.sessions.add("token", ada)
    assert store.sessions.account("token", SOON) is None


def test_seeing_a_session_moves_its_time(store: Store, ada: int) -> None:
    store.sessions.add("token", ada)
    first = store.sessions.account("token", EARLIER)
    store.sessions.seen("token")
    second = store.sessions.account("token", EARLIER)
    assert first
    assert second
    assert second[1] >= first[1]


def test_disabling_shuts_out_at_once(store: Store, ada: int) -> None:
    store.sessions.add("token", ada)
    store.accounts.change(ada, disabled=True)
    assert store.sessions.account("token", EARLIER) is None


def test_all_sessions_of_an_account_can_be_ended(store: Store, ada: int) -> None:
    other = store.accounts.add("other@example.org", Role.AGENT)
    for token, whose in (("a", ada), ("b", ada), ("c", other)):
        store.sessions.add(token, whose)
    store.sessions.end_all(ada)
    assert [bool(store.sessions.account(token, EARLIER)) for token in "abc"] == [False, False, True]
