from __future__ import annotations

import logging

import pytest
from flask import abort
from werkzeug.test import TestResponse

from tests.client import Client
from tests.conftest import Desks
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.engine import IndexProblem
from webapp.web.errors import WORDINGS


def failing(desks: Desks, error: Exception | int, path: str = "/fails") -> Client:
    """A browser on an installation with a page that fails so."""

    def view() -> str:
        if isinstance(error, int):
            abort(error)
        raise error

    desks.app.add_url_rule(path, "static.fails", view)
    desks.app.before_request_funcs[None].clear()  # this page is in no table of rights
    return desks.client()


def said(response: TestResponse) -> str:
    return " ".join(response.text.split())


@pytest.mark.parametrize("code", sorted(WORDINGS))
def test_every_code_has_its_page(desks: Desks, code: int) -> None:
    response = failing(desks, code).get("/fails")
    assert response.status_code == code
    assert f"<h1>{WORDINGS[code].title}</h1>" in said(response)
    assert response.headers["X-Request-Id"] in response.text


@pytest.mark.parametrize(("code", "like"), [(418, 400), (502, 500)])
def test_other_codes_are_worded_like_their_kind(desks: Desks, code: int, like: int) -> None:
    response = failing(desks, code).get("/fails")
    assert response.status_code == code
    assert str(WORDINGS[like].title) in response.text


def test_a_mistake_of_ours_is_logged_with_its_id_and_not_shown(desks: Desks, caplog: pytest.LogCaptureFixture) -> None:
    response = failing(desks, RuntimeError("secret detail")).get("/fails")
    assert response.status_code == 500
    assert "secret" not in response.text
    assert f"request {response.headers['X-Request-Id']} failed" in caplog.text
    assert "secret detail" in caplog.text


@pytest.mark.parametrize("error", [IndexProblem("no index"), PartUnavailable("no model")])
def test_what_passes_is_said_to_pass(desks: Desks, error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        response = failing(desks, error).get("/fails")
    assert response.status_code == 503
    assert str(error) not in response.text
    assert str(error) in caplog.text


@pytest.mark.parametrize("path", ["/", "/answers/made-up"])
def test_settings_that_can_not_be_read_before_there_is_an_index_break_no_error_page(desks: Desks, path: str) -> None:
    (desks.shop / "collection.toml").write_text("title = [", encoding="utf-8")
    response = desks.client().get(path)
    assert response.status_code == (503 if path == "/" else 404)
    assert "shop · Help" not in response.text
    assert "shop" in response.text


def test_programs_get_json(desks: Desks) -> None:
    response = failing(desks, 410, "/api/fails").get("/api/fails")
    assert response.status_code == 410
    assert response.get_json().keys() == {"error", "message", "request_id"}
    assert response.get_json()["error"] == "gone"


def test_htmx_gets_the_words_without_the_frame(client: Client) -> None:
    response = client.get("/nothing-here", headers={"HX-Request": "true"})
    assert response.status_code == 404
    assert "<h1>Page not found</h1>" in response.text
    assert "<html" not in response.text


def test_an_error_speaks_the_readers_language(shared_desks: Desks) -> None:
    response = shared_desks.client(language="bn").get("/nothing-here")
    assert '<html lang="bn">' in response.text
    assert "Page not found" not in response.text


def test_a_wrong_method_says_which_are_right(client: Client) -> None:
    response = client.get("/ask")
    assert response.status_code == 405
    assert "POST" in response.headers["Allow"]


@pytest.mark.parametrize("path", ["/%00", "/answers/%F0%9F%98%80", "/sources/%ff", "/c/%2e%2e/", "/static/../app.py"])
def test_strange_addresses_are_not_found(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404
