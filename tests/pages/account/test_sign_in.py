from __future__ import annotations

import pytest

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Role

ADMIN = "first@lamps.example"


def first_link(desks: Desks) -> str:
    token = desks.services.accounts.first_link()
    assert token
    return f"/sign-in/{token}"


@pytest.fixture
def admin(desks: Desks) -> Client:
    """A browser in which the first admin has just signed in."""
    client = desks.client()
    response = client.post(first_link(desks), {"email": ADMIN, "password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (303, "/admin/chunking")
    return client


def test_the_first_link_asks_for_address_and_password(desks: Desks) -> None:
    page = desks.client().get(first_link(desks)).text
    assert "This makes the first account" in page
    assert 'name="email"' in page
    assert "At least 10 characters" in page


def test_an_invitation_asks_for_the_password_alone(desks: Desks) -> None:
    token = desks.services.accounts.invite("ada@lamps.example", Role.AGENT)
    client = desks.client()
    page = client.get(f"/sign-in/{token}").text
    assert "For the account ada@lamps.example" in page
    response = client.post(f"/sign-in/{token}", {"password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (303, "/agent/")
    assert client.get("/admin/chunking").status_code == 403


def test_whoever_took_the_link_up_is_signed_in(admin: Client) -> None:
    assert admin.get("/admin/chunking").status_code == 200


@pytest.mark.parametrize(
    ("email", "password", "words"),
    [("nonsense", PASSWORD, "Give an e-mail address"), (ADMIN, "short", "Take a longer password")],
)
def test_mistakes_are_said_by_the_field_and_lose_nothing(desks: Desks, email: str, password: str, words: str) -> None:
    client, link = desks.client(), first_link(desks)
    response = client.post(link, {"email": email, "password": password})
    assert response.status_code == 422
    assert words in response.text
    assert f'value="{email}"' in response.text
    assert password not in response.text
    assert client.post(link, {"email": ADMIN, "password": PASSWORD}).status_code == 303


def test_a_used_link_says_what_to_do(desks: Desks) -> None:
    link = first_link(desks)
    desks.client().post(link, {"email": ADMIN, "password": PASSWORD})
    for response in (desks.client().get(link), desks.client().post(link, {"email": "b@b.b", "password": PASSWORD})):
        assert response.status_code == 410
        assert "Ask whoever sent it for a new one" in response.text


def test_signing_in_and_out(desks: Desks, admin: Client) -> None:
    client = desks.client()
    response = client.sign_in(ADMIN, PASSWORD)
    assert (response.status_code, response.headers["Location"]) == (303, "/admin/chunking")
    response = client.post("/sign-out")
    assert (response.status_code, response.headers["Location"]) == (303, "/")
    assert client.get("/admin/chunking").status_code == 302
    assert admin.get("/admin/chunking").status_code == 200, "other sessions go on"


def test_a_stolen_cookie_is_worth_nothing_after_signing_out(desks: Desks, admin: Client) -> None:
    token = admin.session_token()
    assert token
    admin.post("/sign-out")
    assert desks.client().enter(token).get("/admin/chunking").status_code == 302


def test_nothing_that_the_browser_held_before_goes_on_after_signing_in(desks: Desks, admin: Client) -> None:
    """Somebody who sat there, or planted a session, knows its token."""
    client = desks.client()
    before = client.csrf_token()
    assert client.sign_in(ADMIN, PASSWORD).status_code == 303
    assert client.post("/sign-out", {"csrf_token": before}).status_code == 400
    assert client.get("/admin/chunking").status_code == 200


def test_a_wrong_password_keeps_the_address(desks: Desks, admin: Client) -> None:
    response = desks.client().sign_in(ADMIN, "wrong password")
    assert response.status_code == 422
    assert "The address or the password is wrong" in response.text
    assert f'value="{ADMIN}"' in response.text
    assert "wrong password</" not in response.text


@pytest.mark.parametrize(
    ("target", "lands"),
    [("/admin/chunking?page=a", "/admin/chunking?page=a"), ("https://evil.example/", "/admin/chunking"),
     ("//evil.example", "/admin/chunking"), ("", "/admin/chunking")],
)  # fmt: skip
def test_one_lands_where_one_was_going_and_nowhere_else(desks: Desks, admin: Client, target: str, lands: str) -> None:
    assert desks.client().sign_in(ADMIN, PASSWORD, target).headers["Location"] == lands


def test_the_way_from_a_staff_page_through_signing_in_and_back(desks: Desks, admin: Client) -> None:
    client = desks.client()
    to_sign_in = client.get("/admin/chunking?page=returns").headers["Location"]
    assert 'value="/admin/chunking?page=returns"' in client.get(to_sign_in).text
    response = client.post(to_sign_in, {"email": ADMIN, "password": PASSWORD, "next": "/admin/chunking?page=returns"})
    assert response.headers["Location"] == "/admin/chunking?page=returns"


def test_signing_in_begins_a_new_session(desks: Desks, admin: Client) -> None:
    client = desks.client()
    before = client.csrf_token()
    client.sign_in(ADMIN, PASSWORD)
    assert client.post("/ask", {"csrf_token": before, "question": ""}).status_code == 400


def test_hostile_words_come_back_as_words(desks: Desks) -> None:
    page = desks.client().sign_in('"><script>alert(1)</script>', "{{ 7 * 7 }}").text
    assert "<script>alert" not in page


def test_disabling_shuts_a_browser_out_at_once(desks: Desks, admin: Client) -> None:
    desks.services.accounts.disable(ADMIN)
    assert admin.get("/admin/chunking").status_code == 302
    assert desks.client().sign_in(ADMIN, PASSWORD).status_code == 422


@pytest.mark.parametrize("path", ["/sign-in", "/sign-in/made-up"])
def test_in_bangla(shared_desks: Desks, path: str) -> None:
    page = shared_desks.client(language="bn").get(path).text
    assert "Sign in" not in page
    assert "This link" not in page
