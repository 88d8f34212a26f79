from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.client import Client
from tests.conftest import Desks, _install
from webapp.app import create_app
from webapp.services.root import Services

STRANGER = {"REMOTE_ADDR": "203.0.113.7"}
PAGES = ["/", "/sign-in", "/nothing-here", "/api/v1/openapi.json", "/static/app.css"]


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_carries_the_headers(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"
    assert "camera=()" in headers["Permissions-Policy"]
    assert re.fullmatch(r"[0-9a-f]{12}", headers["X-Request-Id"])


def test_the_policy_lets_nothing_in_but_our_own(client: Client) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    assert re.fullmatch(r"'nonce-[\w-]{20,}'", parts["script-src"])
    assert parts["frame-ancestors"] == parts["base-uri"] == "'none'"
    assert parts["style-src"] == parts["img-src"] == parts["form-action"] == "'self'"
    assert "unsafe" not in policy


def test_a_nonce_is_used_once(client: Client) -> None:
    policies = {client.get("/").headers["Content-Security-Policy"] for _ in range(2)}
    assert len(policies) == 2


@pytest.mark.parametrize("path", ["/ask", "/sign-in", "/sign-out", "/sign-in/token", "/admin/chunking"])
def test_a_change_without_the_token_is_refused(shared_desks: Desks, path: str) -> None:
    for token in ("", "made-up"):
        response = shared_desks.client("admin").post(path, {"csrf_token": token, "question": "How?"})
        assert response.status_code == 400
        assert "The form has expired" in response.text


def test_a_token_of_another_session_is_refused(shared_desks: Desks) -> None:
    token = shared_desks.client().csrf_token()
    assert shared_desks.client().post("/ask", {"csrf_token": token, "question": "How?"}).status_code == 400


def test_the_session_cookie_is_for_us_alone(client: Client) -> None:
    cookie = client.get("/sign-in").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie


def test_behind_tls_cookies_are_secure(tmp_path: Path) -> None:
    desks = _install(tmp_path, behind_tls=True)
    response = Client(desks.app).get("/sign-in?lang=bn")
    assert all("Secure" in cookie for cookie in response.headers.getlist("Set-Cookie"))
    assert "max-age" in response.headers["Strict-Transport-Security"]
    desks.services.close()


def test_what_staff_see_is_not_kept_by_the_browser(shared_desks: Desks) -> None:
    assert shared_desks.client("editor").get("/").headers["Cache-Control"] == "no-store"
    assert shared_desks.client().get("/").headers["Cache-Control"] == "private, no-cache"


def test_a_body_that_is_too_large_is_refused_before_it_is_read(shared_desks: Desks) -> None:
    body = b"question=" + b"x" * shared_desks.settings.body_max_bytes
    response = shared_desks.client().send("POST", "/ask", data=body, content_type="application/x-www-form-urlencoded")
    assert response.status_code == 413
    assert "At most 1,000,000 bytes can be sent here." in response.text
    program = shared_desks.client().send("POST", "/api/v1/ask", data=body, content_type="application/json")
    assert program.get_json()["message"] == "At most 1,000,000 bytes can be sent here. Please shorten it."


def test_an_upload_that_is_far_too_large_is_told_the_limit_of_uploads(shared_desks: Desks) -> None:
    far_too_large = {"source": "draft", "text": "x" * (2 * shared_desks.settings.upload_max_bytes + 1)}
    response = shared_desks.client("editor").post("/admin/chunking", far_too_large)
    assert response.status_code == 413
    assert "At most 5,000,000 bytes can be sent here." in response.text


@pytest.mark.parametrize(
    ("path", "cookies"),
    [
        ("/", {"evidencedesk"}),  # the form's token lives in the session
        *((path, set()) for path in ("/sources/returns", "/api/v1/openapi.json", "/static/app.css", "/nothing-here")),
        *((path, set()) for path in ("/healthz", "/readyz", "/metrics", "/widget.js")),
    ],
)
def test_who_only_reads_gets_no_cookie(shared_desks: Desks, path: str, cookies: set[str]) -> None:
    response = shared_desks.client().get(path)
    assert {cookie.split("=")[0] for cookie in response.headers.getlist("Set-Cookie")} == cookies


def test_only_editors_may_send_whole_documents(shared_desks: Desks) -> None:
    size = shared_desks.settings.body_max_bytes + 1
    large = {"source": "draft", "text": "x" * size}
    assert shared_desks.client("editor").post("/admin/chunking", large).status_code != 413
    assert shared_desks.client("editor").post("/ask", {"question": "x" * size}).status_code == 413


@pytest.mark.parametrize(("path", "data"), [("/ask", {"question": "How?"}), ("/sign-in", {"email": "a@b"})])
def test_too_many_are_turned_away_with_the_time_to_come_back(tmp_path: Path, path: str, data: dict[str, str]) -> None:
    desks = _install(tmp_path, ask_rate="2 per minute", sign_in_rate="2 per minute")
    client = Client(desks.app)
    statuses = [client.post(path, data, environ_base=STRANGER).status_code for _ in range(2)]
    assert 429 not in statuses
    response = client.post(path, data, environ_base=STRANGER)
    assert response.status_code == 429
    assert 0 < int(response.headers["Retry-After"]) <= 60
    assert client.get(path if path != "/ask" else "/").status_code == 200, "reading is not limited"
    desks.services.close()


def test_pages_and_programs_of_one_address_are_counted_together(tmp_path: Path) -> None:
    desks = _install(tmp_path, ask_rate="1 per minute")
    client = Client(desks.app)
    assert client.post("/ask", {"question": ""}, environ_base=STRANGER).status_code == 422
    for path in ("/api/v1/ask", "/api/v1/ask/stages"):
        refused = client.post_json(path, {"question": "How?"}, environ_base=STRANGER)
        assert refused.status_code == 429
        assert "wait for as many seconds as Retry-After says" in refused.get_json()["message"]
    desks.services.close()


def test_only_a_trusted_proxy_says_where_a_reader_comes_from(tmp_path: Path) -> None:
    desks = _install(tmp_path, ask_rate="1 per minute")
    trusting = create_app(desks.settings.model_copy(update={"trusted_proxies": 1}), desks.services)
    for app, expected in ((desks.app, [422, 429]), (trusting, [422, 422])):
        client = Client(app)
        statuses = [
            client.post(
                "/ask", {"question": ""}, headers={"X-Forwarded-For": f"10.0.0.{n}"}, environ_base=STRANGER
            ).status_code
            for n in (1, 2)
        ]
        assert statuses == expected
    desks.services.close()


def test_the_key_is_made_once_and_for_the_owner_alone(tmp_path: Path) -> None:
    desks = _install(tmp_path, secret_key="")
    file = desks.settings.instance / "secret_key"
    assert file.stat().st_mode & 0o777 == 0o600
    again = create_app(desks.settings, Services.open(desks.settings))
    assert again.config["SECRET_KEY"] == desks.app.config["SECRET_KEY"] == file.read_text()
    desks.services.close()


def test_this_machine_may_ask_as_much_as_it_likes(tmp_path: Path) -> None:
    desks = _install(tmp_path, ask_rate="1 per minute")
    client = Client(desks.app)
    assert [client.post("/ask", {"question": ""}).status_code for _ in range(3)] == [422, 422, 422]
    desks.services.close()
