"""Every route, with who may use it: one that is not in this list fails, and so does one that lets in others."""

from __future__ import annotations

import pytest

from tests.conftest import ROLES, Desks
from webapp.web.access import RIGHTS

EVERYONE = {"nobody", *ROLES}
STAFF = {"agent", "editor", "admin"}
EDITORS = {"editor", "admin"}

ROUTES = {
    "GET /": EVERYONE,
    "GET /c/<collection>/": EVERYONE,
    "POST /ask": EVERYONE,
    "GET /answers/<answer_id>": EVERYONE,
    "POST /answers/<answer_id>/feedback": EVERYONE,
    "GET /asked": EVERYONE,
    "POST /asked": EVERYONE,
    "GET /sources/<path:document_id>": EVERYONE,
    "GET /c/<collection>/sources/<path:document_id>": EVERYONE,
    "GET /sign-in": EVERYONE,
    "POST /sign-in": EVERYONE,
    "GET /sign-in/<token>": EVERYONE,
    "POST /sign-in/<token>": EVERYONE,
    "POST /sign-out": EVERYONE,
    "GET /sign-in/organisation": EVERYONE,
    "GET /sign-in/organisation/back": EVERYONE,
    "POST /api/v1/ask": EVERYONE,
    "POST /api/v1/ask/stages": EVERYONE,
    "POST /api/v1/answers/<answer_id>/feedback": EVERYONE,
    "POST /api/v1/collections/<collection>/refresh": EVERYONE,
    "GET /api/v1/openapi.json": EVERYONE,
    "GET /widget.js": EVERYONE,
    "GET /healthz": EVERYONE,
    "GET /readyz": EVERYONE,
    "GET /metrics": EVERYONE,
    "GET /static/<path:filename>": EVERYONE,
    "GET /sessions": set(ROLES),
    "POST /sessions": set(ROLES),
    "GET /agent/": STAFF,
    "GET /agent/answers": STAFF,
    "GET /agent/answers/<answer_id>": STAFF,
    "POST /agent/answers/<answer_id>/again": STAFF,
    "POST /agent/answers/<answer_id>/golden": STAFF,
    "POST /agent/answers/<answer_id>/report": STAFF,
    "GET /agent/search": STAFF,
    "GET /agent/diff": STAFF,
    "GET /agent/answers.csv": STAFF,
    "GET /agent/answers.jsonl": STAFF,
    "GET /agent/answers/<answer_id>/erase": {"admin"},
    "POST /agent/answers/<answer_id>/erase": {"admin"},
    "GET /admin/": EDITORS,
    "GET /admin/index": EDITORS,
    "POST /admin/index": EDITORS,
    "POST /admin/index/build": EDITORS,
    "GET /admin/jobs/<job_id>": EDITORS,
    "POST /admin/jobs/<job_id>/cancel": EDITORS,
    "GET /admin/conflicts": EDITORS,
    "GET /admin/gaps": EDITORS,
    "POST /admin/gaps/aside": EDITORS,
    "POST /admin/gaps/propose": EDITORS,
    "POST /admin/gaps/draft": EDITORS,
    "GET /admin/drafts": EDITORS,
    "POST /admin/drafts": EDITORS,
    "GET /admin/drafts/<draft_id>": EDITORS,
    "POST /admin/drafts/<draft_id>": EDITORS,
    "POST /admin/drafts/<draft_id>/discard": EDITORS,
    "GET /admin/drafts/<draft_id>/preview": EDITORS,
    "GET /admin/change": EDITORS,
    "POST /admin/change": EDITORS,
    "GET /admin/publish": EDITORS,
    "POST /admin/publish": EDITORS,
    "GET /admin/pages": EDITORS,
    "GET /admin/pages/<path:document_id>": EDITORS,
    "POST /admin/pages/<path:document_id>": EDITORS,
    "GET /admin/publications": EDITORS,
    "GET /admin/chunking": EDITORS,
    "POST /admin/chunking": EDITORS,
    "GET /admin/evaluation": EDITORS,
    "POST /admin/evaluation": EDITORS,
    "GET /admin/evaluation/runs/<run_id>": EDITORS,
    "GET /admin/evaluation/compare": EDITORS,
    "POST /admin/evaluation/limit": EDITORS,
    "GET /admin/evaluation/questions": EDITORS,
    "GET /admin/evaluation/questions/export": EDITORS,
    "POST /admin/evaluation/questions/import": EDITORS,
    "POST /admin/evaluation/questions/line": EDITORS,
    "GET /admin/evaluation/questions/edit": EDITORS,
    "POST /admin/evaluation/questions/edit": EDITORS,
    "GET /admin/evaluation/questions/lines": EDITORS,
    "POST /admin/evaluation/questions/lines": EDITORS,
    "GET /admin/evaluation/proposals": EDITORS,
    "POST /admin/evaluation/proposals": EDITORS,
    "GET /admin/contract": EDITORS,
    "GET /admin/accounts": {"admin"},
    "POST /admin/accounts": {"admin"},
    "POST /admin/accounts/<int:account_id>": {"admin"},
    "GET /admin/keys": EDITORS,
    "POST /admin/keys": EDITORS,
    "POST /admin/keys/<key_id>/revoke": EDITORS,
}
EXAMPLES = {
    "<collection>": "shop",
    "<path:document_id>": "returns",
    "<answer_id>": "made-up",
    "<draft_id>": "made-up",
    "<token>": "made-up",
    "<job_id>": "made-up",
    "<run_id>": "made-up",
    "<key_id>": "made-up",
    "<int:account_id>": "0",
    "<path:filename>": "app.css",
}
LET_IN = {200, 303, 400, 404, 410, 415, 422}  # the page's own answers, also to nonsense


def address(route: str) -> tuple[str, str]:
    method, path = route.split(" ", 1)
    for place, example in EXAMPLES.items():
        path = path.replace(place, example)
    return method, path


def test_every_route_is_listed(shared_desks: Desks) -> None:
    rules = shared_desks.app.url_map.iter_rules()
    found = {
        f"{method} {rule.rule}"
        for rule in rules
        for method in (rule.methods or set()) & {"GET", "POST", "PUT", "DELETE"}
    }
    assert found == ROUTES.keys()


def test_every_endpoint_has_its_line_in_the_table(shared_desks: Desks) -> None:
    assert RIGHTS.keys() == shared_desks.app.view_functions.keys()


@pytest.mark.parametrize("reader", sorted(EVERYONE))
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_who_may_use_it(shared_desks: Desks, route: str, reader: str) -> None:
    if route == "POST /sign-out":
        return  # it ends the standing reader's session; tests/pages/account/test_sign_in.py has it
    method, path = address(route)
    client = shared_desks.client(reader)
    response = client.get(path) if method == "GET" else client.post(path)
    if reader in ROUTES[route]:
        assert response.status_code in LET_IN
    elif reader == "nobody":
        assert response.status_code == 302
        assert response.headers["Location"].startswith("/sign-in")
    else:
        assert response.status_code == 403


def test_an_endpoint_without_a_line_is_refused(desks: Desks) -> None:
    desks.app.add_url_rule("/forgotten", "forgotten", lambda: "secret")
    for reader in ("nobody", "admin"):
        client = desks.client()
        if reader == "admin":
            client.sign_in("nobody", "nothing")
        response = client.get("/forgotten")
        assert response.status_code == 403
        assert "secret" not in response.text


@pytest.mark.parametrize(
    "path", ["/", "/c/shop", "/sign-in", "/healthz", "/readyz", "/api/v1/openapi.json", "/metrics"]
)
def test_a_trailing_slash_changes_nothing(shared_desks: Desks, path: str) -> None:
    client = shared_desks.client()
    bare, slashed = client.get(path.rstrip("/") or "/"), client.get(path.rstrip("/") + "/")
    assert (bare.status_code, slashed.status_code) == (200, 200)


@pytest.mark.parametrize("path", ["/admin/chunking", "/admin/chunking/"])
def test_a_staff_page_asks_strangers_to_sign_in_and_remembers_where_they_were_going(
    shared_desks: Desks, path: str
) -> None:
    response = shared_desks.client().get(f"{path}?page=a%26b")
    assert response.status_code == 302
    assert response.headers["Location"] == f"/sign-in?next={path}?page%3Da%2526b"
    assert shared_desks.client("editor").get(path).status_code == 200


def test_htmx_is_sent_to_the_sign_in_page_as_a_whole(shared_desks: Desks) -> None:
    response = shared_desks.client().get("/admin/chunking", headers={"HX-Request": "true"})
    assert response.status_code == 204
    assert response.headers["HX-Redirect"].startswith("/sign-in")
