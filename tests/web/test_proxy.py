"""Signing in through a reverse proxy: its header counts from the peers in the settings, and from nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from tests.client import Client
from tests.conftest import SHOP, Desks, make_settings, write_files
from webapp.app import create_app
from webapp.core.retrieval.model import Role
from webapp.services.root import Services
from webapp.settings import Settings

ADA = "ada@lamps.example"
PROXY = {
    "proxy_user_header": "X-Remote-User",
    "proxy_groups_header": "X-Remote-Groups",
    "proxy_peers": "10.1.2.3, 10.9.0.0/16, ::1",
    "sso_roles": "agent=help-desk,admin=it",
}


class Behind:
    """An installation behind a proxy that signs people in."""

    def __init__(self, folder: Path, **changes: object) -> None:
        write_files(folder / "corpus" / "shop", SHOP)
        self.settings: Settings = make_settings(folder, **(PROXY | changes))
        self.services = Services.open(self.settings)
        self.client = Client(create_app(self.settings, self.services))

    def get(
        self, peer: str, user: str = "ada@lamps.example", groups: str | None = "help-desk", **more: str
    ) -> TestResponse:
        told = {} if groups is None else {"X-Remote-Groups": groups}
        return self.client.get(
            "/agent/answers", headers={"X-Remote-User": user} | told | more, environ_base={"REMOTE_ADDR": peer}
        )


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Behind]:
    made = Behind(tmp_path)
    yield made
    made.services.close()


@pytest.mark.parametrize("peer", ["10.1.2.3", "10.9.200.1", "::1"])
def test_whoever_the_proxy_names_is_signed_in(behind: Behind, peer: str) -> None:
    assert behind.get(peer).status_code == 200
    (account,) = behind.services.accounts.all()
    assert (account.email, account.role, account.groups) == ("ada@lamps.example", Role.AGENT, frozenset({"help-desk"}))


@pytest.mark.parametrize("peer", ["10.1.2.4", "127.0.0.1", "10.8.0.1", "::2", "", "nonsense"])
def test_a_header_from_any_other_peer_is_ignored(behind: Behind, peer: str) -> None:
    assert behind.get(peer).status_code == 302
    assert behind.services.accounts.all() == ()


def test_a_peer_is_the_other_end_of_the_connection_whatever_headers_say(tmp_path: Path) -> None:
    behind = Behind(tmp_path, trusted_proxies=1)
    assert behind.get("10.1.2.4", **{"X-Forwarded-For": "10.1.2.3"}).status_code == 302
    assert behind.get("10.1.2.3", **{"X-Forwarded-For": "192.0.2.7"}).status_code == 200
    behind.services.close()


def test_groups_follow_the_proxy_and_stay_where_it_tells_none(behind: Behind) -> None:
    behind.get("::1", groups="staff, it")
    assert behind.services.accounts.all()[0].role is Role.ADMIN
    behind.get("::1", groups=None)
    assert behind.services.accounts.all()[0].groups == {"staff", "it"}
    assert behind.get("::1", groups="").status_code == 403
    assert behind.services.accounts.all()[0].role is Role.CUSTOMER


def test_a_disabled_account_stays_out_with_whatever_cookie(behind: Behind) -> None:
    behind.get("::1")
    (account,) = behind.services.accounts.all()
    behind.client.enter(behind.services.accounts.enter(account))
    behind.services.accounts.disable(account.email)
    assert behind.get("::1").status_code == 302


def test_a_name_that_is_no_address_is_nobody(behind: Behind) -> None:
    assert behind.get("::1", user="root").status_code == 302


def test_without_the_setting_no_header_counts(desks: Desks) -> None:
    client = desks.client()
    assert client.get("/agent/answers", headers={"X-Remote-User": "ada@lamps.example"}).status_code == 302
