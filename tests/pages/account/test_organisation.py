"""Signing in through a real OpenID Connect provider: a small one of the tests' own, with real keys and signatures."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from flask import Flask, jsonify, redirect, request
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from pydantic import SecretStr
from werkzeug.serving import make_server
from werkzeug.test import TestResponse

from tests.browser.conftest import Quiet
from tests.client import Client
from tests.conftest import SHOP, make_settings, write_files
from webapp.app import create_app
from webapp.core.retrieval.model import Role
from webapp.services.root import Services

CLIENT, SECRET = "evidence", "between us"


class Organisation:
    """A provider. `claims` are added to each ID token, None takes one away; `signs_with` may be a key nobody knows."""

    def __init__(self) -> None:
        self.key = ECKey.generate_key("P-256", {"kid": "1"}, private=True)
        self.signs_with, self.header = self.key, {"alg": "ES256", "kid": "1"}
        self.codes: dict[str, dict[str, str]] = {}
        self.claims: dict[str, Any] = {"email": "ada@lamps.example", "email_verified": True, "groups": ["help-desk"]}
        self.server = make_server("127.0.0.1", 0, self.app(), threaded=True, request_handler=Quiet)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def app(self) -> Flask:
        app = Flask("organisation")
        app.add_url_rule("/.well-known/openid-configuration", view_func=self.configuration)
        app.add_url_rule("/keys", view_func=self.keys)
        app.add_url_rule("/authorize", view_func=self.authorize)
        app.add_url_rule("/token", view_func=self.token, methods=["POST"])
        return app

    def configuration(self) -> Any:
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return jsonify({"issuer": self.issuer} | {name: f"{self.issuer}/{path}" for name, path in places.items()})

    def keys(self) -> Any:
        return jsonify(KeySet([self.key]).as_dict(private=False))

    def authorize(self) -> Any:
        assert request.args["response_type"] == "code"
        assert request.args["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = request.args.to_dict()
        return redirect(f"{request.args['redirect_uri']}?{urlencode({'code': code, 'state': request.args['state']})}")

    def token(self) -> Any:
        asked = self.codes.pop(request.form["code"], None)
        digest = hashlib.sha256(request.form["code_verifier"].encode()).digest()
        proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        known = request.authorization and (request.authorization.username, request.authorization.password)
        if not asked or asked["code_challenge"] != proof or known != (CLIENT, SECRET):
            return jsonify(error="invalid_grant"), 400
        now = int(time.time())
        plain = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "u-17",
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
        }
        claims = {name: value for name, value in (plain | self.claims).items() if value is not None}
        signed = jwt.encode(self.header, claims, self.signs_with)
        return jsonify(access_token="a", token_type="Bearer", id_token=signed)


@pytest.fixture
def organisation() -> Iterator[Organisation]:
    made = Organisation()
    thread = Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture
def services(tmp_path: Path, organisation: Organisation) -> Iterator[Services]:
    write_files(tmp_path / "corpus" / "shop", SHOP)
    given = {"oidc_issuer": organisation.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SecretStr(SECRET)}
    opened = Services.open(make_settings(tmp_path, sso_roles="agent=help-desk,admin=it", **given))
    yield opened
    opened.close()


@pytest.fixture
def browser(services: Services) -> Client:
    return Client(create_app(services.settings, services))


def there(browser: Client, organisation: Organisation) -> str:
    """Go to the organisation and sign in there; returns the way back."""
    away = browser.get("/sign-in/organisation?next=/agent/search").headers["Location"]
    assert away.startswith(f"{organisation.issuer}/authorize?")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(away).query).items()}
    back = organisation.app().test_client().get("/authorize", query_string=asked).headers["Location"]
    assert back.startswith("http://localhost/sign-in/organisation/back?")
    return back.removeprefix("http://localhost")


def signed_in(browser: Client, organisation: Organisation) -> TestResponse:
    return browser.get(there(browser, organisation))


def test_somebody_of_the_organisation_comes_in_and_goes_on(
    browser: Client, organisation: Organisation, services: Services
) -> None:
    assert "Sign in with your organisation" in browser.get("/sign-in").text
    response = signed_in(browser, organisation)
    assert (response.status_code, response.headers["Location"]) == (303, "/agent/search")
    assert browser.get("/agent/search").status_code == 200
    (account,) = services.accounts.all()
    assert (account.email, account.role, account.groups) == ("ada@lamps.example", Role.AGENT, frozenset({"help-desk"}))
    organisation.claims |= {"email": "ada.new@lamps.example", "groups": ["it"]}
    signed_in(browser, organisation)
    (account,) = services.accounts.all()
    assert account.role is Role.ADMIN, "it is the subject that counts, not the address"


def test_where_the_organisation_tells_no_groups_those_given_here_stay(
    browser: Client, organisation: Organisation, services: Services
) -> None:
    services.accounts.invite("ada@lamps.example", Role.EDITOR, frozenset({"staff"}))
    organisation.claims |= {"groups": None}
    assert signed_in(browser, organisation).status_code == 303
    (account,) = services.accounts.all()
    assert (account.role, account.groups) == (Role.EDITOR, frozenset({"staff"}))


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"aud": "another client"},
        {"azp": "another client"},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"nonce": "replayed"},
        {"nonce": None},
        {"sub": None},
        {"email": None},
        {"email": "no address"},
    ],
)
def test_a_token_that_can_not_be_believed_lets_nobody_in(
    browser: Client, organisation: Organisation, services: Services, claims: dict[str, Any]
) -> None:
    organisation.claims |= claims
    assert signed_in(browser, organisation).status_code == 422
    assert services.accounts.all() == ()


def test_a_signature_of_somebody_else_lets_nobody_in(
    browser: Client, organisation: Organisation, services: Services
) -> None:
    organisation.signs_with = ECKey.generate_key("P-256", {"kid": "1"}, private=True)
    assert signed_in(browser, organisation).status_code == 422
    assert services.accounts.all() == ()


def test_an_address_that_nobody_checked_takes_no_account_over(
    browser: Client, organisation: Organisation, services: Services
) -> None:
    services.accounts.invite("ada@lamps.example", Role.ADMIN)
    organisation.claims |= {"email_verified": False}
    assert signed_in(browser, organisation).status_code == 422
    organisation.claims |= {"email_verified": True}
    assert signed_in(browser, organisation).status_code == 303
    organisation.claims |= {"sub": "u-18"}
    assert signed_in(browser, organisation).status_code == 422, "the account is somebody else's"


def test_only_the_browser_that_left_comes_back_and_only_once(
    browser: Client, organisation: Organisation, services: Services
) -> None:
    back = there(browser, organisation)
    other = Client(browser.app)
    assert other.get(back).status_code == 422
    assert browser.get(back).status_code == 303
    assert browser.get(back).status_code == 422


def test_who_is_shut_out_stays_out(browser: Client, organisation: Organisation, services: Services) -> None:
    signed_in(browser, organisation)
    services.accounts.disable("ada@lamps.example")
    assert signed_in(browser, organisation).status_code == 422
    assert browser.get("/agent/search").status_code == 302


def test_an_organisation_that_does_not_answer_is_said_in_words(browser: Client, organisation: Organisation) -> None:
    organisation.server.shutdown()
    organisation.server.server_close()
    response = browser.get("/sign-in/organisation")
    assert response.status_code == 422
    assert "did not let you in" in response.text


def test_without_the_setting_there_is_no_such_page(client: Client) -> None:
    assert client.get("/sign-in/organisation").status_code == 404
    assert "organisation" not in client.get("/sign-in").text
