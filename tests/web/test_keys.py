"""Keys of the API, as programs and pages of other sites use them."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.conftest import Desks
from tests.web.test_routes import ROUTES, address
from webapp.pages.api.openapi import document
from webapp.services.keys import NewKey, Scope
from webapp.web.keys import SCOPES

QUESTION = "Within how many days can I return a lamp?"
SITE = "https://shop.example"


def key(desks: Desks, **wanted: Any) -> str:
    return desks.services.keys.make(NewKey(name="Shop", **({"scopes": {Scope.ASK}} | wanted)), "ed@lamps.example")[0]


def ask(desks: Desks, secret: str, origin: str = "", reader: str = "nobody", **more: Any) -> TestResponse:
    headers = {"Authorization": f"Bearer {secret}"} | ({"Origin": origin} if origin else {})
    return desks.client(reader).post_json("/api/v1/ask", {"question": QUESTION} | more, headers=headers)


def test_a_program_asks_with_its_key(desks: Desks) -> None:
    response = ask(desks, key(desks))
    assert response.status_code == 200
    assert "45 days" in response.get_json()["answer"]
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize("secret", ["ed_made-up", "", "ed_é", "x" * 10_000])
def test_a_key_that_is_not_known_is_refused(desks: Desks, secret: str) -> None:
    response = ask(desks, secret)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_revoked_key_is_refused_at_once(desks: Desks) -> None:
    secret = key(desks)
    assert ask(desks, secret).status_code == 200
    assert desks.services.keys.revoke(desks.services.keys.all()[0].id)
    assert ask(desks, secret).status_code == 401
    assert not desks.services.keys.revoke(desks.services.keys.all()[0].id)


def test_a_key_opens_what_its_scopes_name_and_nothing_else(desks: Desks) -> None:
    secret = key(desks, scopes={Scope.FEEDBACK})
    refused = ask(desks, secret)
    assert refused.status_code == 403
    assert "it may: feedback" in refused.get_json()["message"]
    answer = ask(desks, key(desks)).get_json()["id"]
    address, headers = f"/api/v1/answers/{answer}/feedback", {"Authorization": f"Bearer {secret}"}
    vote = {"vote": "up", "reader": "17"}
    assert desks.client().post_json(address, vote, headers=headers).status_code == 200
    assert desks.client().post_json(address, vote, headers={"Authorization": f"Bearer {key(desks)}"}).status_code == 403


def test_a_key_is_for_its_collection(desks: Desks) -> None:
    secret = key(desks, collection="school")
    assert ask(desks, secret).get_json()["collection"] == "school"
    assert ask(desks, secret, collection="shop").status_code == 403
    assert ask(desks, key(desks), collection="shop").status_code == 200


def test_whoever_sends_a_key_is_a_customer_whatever_cookies_say(desks: Desks, shared_desks: Desks) -> None:
    """P02."""
    secret = key(shared_desks)
    answer = ask(shared_desks, secret, reader="admin").get_json()
    assert "retrieved" not in answer
    assert shared_desks.services.keys.revoke(shared_desks.services.keys.all()[0].id)


def test_no_page_but_those_named_may_use_it(desks: Desks) -> None:
    secret = key(desks, origins=(SITE,))
    allowed = ask(desks, secret, SITE)
    assert allowed.status_code == 200
    assert allowed.headers["Access-Control-Allow-Origin"] == SITE
    assert "Origin" in allowed.headers["Vary"]
    assert "Access-Control-Allow-Credentials" not in allowed.headers
    refused = ask(desks, secret, "https://other.example")
    assert refused.status_code == 403
    assert "Access-Control-Allow-Origin" not in refused.headers
    assert ask(desks, key(desks), SITE).status_code == 403, "a program's key is for no page"
    without = desks.client().post_json("/api/v1/ask", {"question": QUESTION}, headers={"Origin": SITE})
    assert "Access-Control-Allow-Origin" not in without.headers


@pytest.mark.parametrize(("origin", "allowed"), [(SITE, True), ("https://other.example", False), ("null", False)])
def test_browsers_that_ask_first_are_told(desks: Desks, origin: str, allowed: bool) -> None:
    key(desks, origins=(SITE,))
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    response = desks.client().send("OPTIONS", "/api/v1/ask", headers=headers)
    assert response.status_code == 200
    assert (response.headers.get("Access-Control-Allow-Origin") == origin) == allowed
    assert ("Authorization" in response.headers.get("Access-Control-Allow-Headers", "")) == allowed


def test_the_keys_are_not_read_for_each_browser_that_asks_first(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    key(desks, origins=(SITE,))
    keys, known, times = desks.services.keys, desks.services.store.keys.all, count()
    monkeypatch.setattr(desks.services.store.keys, "all", lambda: (next(times), known())[1])
    assert [keys.is_open_to(SITE) for _ in range(9)] == [True] * 9
    assert next(times) == 1
    assert keys.revoke(known()[0].id)
    assert not keys.is_open_to(SITE), "a key that is revoked here is not remembered"


def test_each_key_has_its_own_rate(desks: Desks) -> None:
    first, second = key(desks, per_minute=2), key(desks, per_minute=2)
    assert [ask(desks, first).status_code for _ in range(3)] == [200, 200, 429]
    assert ask(desks, second).status_code == 200
    assert 0 < int(ask(desks, first).headers["Retry-After"]) <= 60


def test_what_a_key_may_send_in_a_day_is_counted_in_the_store(desks: Desks) -> None:
    secret = key(desks, per_day=2, origins=(SITE,))
    assert [ask(desks, secret, SITE).status_code for _ in range(3)] == [200, 200, 429]
    refused = ask(desks, secret, SITE)
    assert 0 < int(refused.headers["Retry-After"]) <= 24 * 3600
    assert refused.headers["Access-Control-Allow-Origin"] == SITE, "the page has to learn when to come back"
    assert desks.services.keys.used_today() == {desks.services.keys.all()[0].id: 2}


OF_PROGRAMS = {f"POST {path}" for path in ("/api/v1/ask", "/api/v1/ask/stages", "/api/v1/answers/<answer_id>/feedback")}


@pytest.mark.parametrize("scope", list(Scope))
def test_a_key_opens_no_other_route(desks: Desks, scope: Scope) -> None:
    """Every route with every kind of key: staff's pages stay closed, and the API's open by scope."""
    headers = {"Authorization": f"Bearer {key(desks, scopes={scope}, per_minute=1000)}"}
    client = desks.client()
    for route, readers in ROUTES.items():
        method, path = address(route)
        ask = client.get if method == "GET" else client.post
        status = ask(path, headers=headers).status_code
        if route in OF_PROGRAMS:
            assert (status == 403) == (("feedback" in path) != (scope is Scope.FEEDBACK)), route
        elif "nobody" not in readers and method == "GET":
            assert status == 302, route


def test_every_route_of_the_api_is_described_and_every_one_that_takes_keys_is_known() -> None:
    described = {
        f"{method.upper()} {path.replace('{', '<').replace('}', '>')}"
        for path, methods in document()["paths"].items()
        for method in methods
    }
    assert described == {route for route in ROUTES if "/api/" in route} - {"GET /api/v1/openapi.json"}
    by_key = {route for route in described if "key" in str(document()["paths"][in_document(route)]["post"]["security"])}
    assert by_key == OF_PROGRAMS
    assert len(SCOPES) == len(OF_PROGRAMS)


def in_document(route: str) -> str:
    return route.partition(" ")[2].replace("<", "{").replace(">", "}")
