from __future__ import annotations

import re

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Role

FIREFOX = {"User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"}
ADA = "ada@lamps.example"


def signed_in(desks: Desks, **headers: str) -> Client:
    client = desks.client()
    assert client.post("/sign-in", {"email": ADA, "password": PASSWORD}, headers=headers).status_code == 303
    return client


def add_ada(desks: Desks) -> None:
    desks.services.accounts.accept(desks.services.accounts.invite(ADA, Role.CUSTOMER), "", PASSWORD)


def test_somebody_sees_their_sessions_and_ends_one(desks: Desks) -> None:
    add_ada(desks)
    there, here = signed_in(desks, **FIREFOX), signed_in(desks)
    text = here.get("/sessions").text
    assert "Firefox, Windows" in text
    assert text.count("this one") == 1
    (block,) = [part for part in text.split("<li>") if "Firefox, Windows" in part]
    found = re.search(r'name="session" value="([0-9a-f]+)"', block)
    assert found
    assert here.post("/sessions", {"session": found[1]}).status_code == 303
    assert there.get("/sessions").status_code == 302
    assert here.get("/sessions").status_code == 200
    assert here.post("/sessions", {"session": found[1]}).status_code == 404


def test_nobody_ends_the_session_of_another(desks: Desks) -> None:
    add_ada(desks)
    client = signed_in(desks)
    other = desks.services.accounts.accept(
        desks.services.accounts.invite("ben@lamps.example", Role.AGENT), "", PASSWORD
    )
    ben = desks.services.accounts.of_session(other)
    assert ben
    (session,) = desks.services.accounts.sessions(ben)
    for wrong in (session.id, "", "%", "0" * 16):
        assert client.post("/sessions", {"session": wrong}).status_code == 404
    assert desks.services.accounts.of_session(other)


def test_everywhere_means_here_too(desks: Desks) -> None:
    add_ada(desks)
    there, here = signed_in(desks), signed_in(desks)
    assert here.post("/sessions", {"all": "1"}).headers["Location"] == "/sign-in"
    assert here.get("/sessions").status_code == there.get("/sessions").status_code == 302
