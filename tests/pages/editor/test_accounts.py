from __future__ import annotations

import re

import pytest

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Role
from webapp.store.accounts import Account

ADA = "ada@lamps.example"


@pytest.fixture
def admin(desks: Desks) -> Client:
    accounts = desks.services.accounts
    return desks.client().enter(accounts.accept(accounts.invite("boss@lamps.example", Role.ADMIN), "", PASSWORD))


def account(desks: Desks, email: str = ADA) -> Account:
    return next(one for one in desks.services.accounts.all() if one.email == email)


def link(html: str) -> str:
    found = re.search(r'<code class="secret">http://localhost(/sign-in/[\w-]+)</code>', html)
    assert found
    return found[1]


def test_somebody_is_invited_and_comes_in(desks: Desks, admin: Client) -> None:
    invited = link(admin.post("/admin/accounts", {"email": ADA, "role": "agent", "groups": "staff, "}).text)
    client = desks.client()
    assert client.post(invited, {"password": PASSWORD}).status_code == 303
    assert client.get("/agent/answers").status_code == 200
    assert account(desks).groups == {"staff"}
    assert invited not in admin.get("/admin/accounts").text


def test_role_and_groups_count_from_the_next_request(desks: Desks, admin: Client) -> None:
    client = desks.client()
    client.post(link(admin.post("/admin/accounts", {"email": ADA, "role": "agent"}).text), {"password": PASSWORD})
    place = f"/admin/accounts/{account(desks).id}"
    assert admin.post(place, {"act": "rights", "role": "editor", "groups": "staff"}).status_code == 303
    assert client.get("/admin/keys").status_code == 200
    assert account(desks).groups == {"staff"}
    admin.post(place, {"act": "out"})
    assert client.get("/admin/keys").status_code == 302
    client.sign_in(ADA, PASSWORD)
    admin.post(place, {"act": "disable"})
    assert client.get("/admin/keys").status_code == 302
    assert client.sign_in(ADA, PASSWORD).status_code == 422
    admin.post(place, {"act": "enable"})
    assert client.sign_in(ADA, PASSWORD).status_code == 303


def test_a_new_link_sets_a_new_password(desks: Desks, admin: Client) -> None:
    desks.services.accounts.invite(ADA, Role.AGENT)
    text = admin.post(f"/admin/accounts/{account(desks).id}", {"act": "link"}).text
    assert desks.client().post(link(text), {"password": PASSWORD}).status_code == 303


@pytest.mark.parametrize("act", ["rights", "disable"])
def test_nobody_locks_themselves_out(desks: Desks, admin: Client, act: str) -> None:
    own = account(desks, "boss@lamps.example")
    response = admin.post(f"/admin/accounts/{own.id}", {"act": act, "role": "customer"})
    assert response.status_code == 422
    assert "ask another administrator" in response.text
    assert admin.get("/admin/accounts").status_code == 200


@pytest.mark.parametrize(
    ("email", "words"), [("nonsense", "Give an e-mail address"), ("boss@lamps.example", "an account for this address")]
)
def test_mistakes_are_said_beside_the_field(admin: Client, email: str, words: str) -> None:
    response = admin.post("/admin/accounts", {"email": email, "role": "agent"})
    assert response.status_code == 422
    assert words in response.text
    assert f'value="{email}"' in response.text


def test_a_role_that_there_is_not_is_refused(desks: Desks, admin: Client) -> None:
    assert admin.post("/admin/accounts", {"email": ADA, "role": "emperor"}).status_code == 400
