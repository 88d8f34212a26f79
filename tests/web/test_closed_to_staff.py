"""No page of editors or agents shows a sign of a document whose group they are not in: neither its words, nor id, path
or title, nor what others asked, published, labelled or voted on about it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.client import Client
from tests.conftest import Desks
from tests.web.lived_in import SIGN, addresses

ECHO = re.compile(r'(?:href|value|action|hx-get)="[^"]*"')  # what was asked for, said again


def shows(client: Client, path: str) -> bool:
    response = client.get(path)
    text = ECHO.sub("", response.text) if SIGN in path else response.text
    return SIGN in text.casefold() or SIGN in str(response.headers)


def test_those_in_the_group_see_them_all_over_the_place(lived_in: Desks) -> None:
    client = lived_in.client("insider")
    showing = {path.partition("?")[0] for path in addresses(lived_in) if shows(client, path)}
    assert len(showing) > 20
    assert {"/admin/publications", "/admin/index", "/admin/contract", "/admin/evaluation/proposals"} <= showing


@pytest.mark.parametrize("reader", ["editor", "agent", "admin"])
def test_nobody_else_sees_a_sign_of_them(lived_in: Desks, reader: str) -> None:
    client = lived_in.client(reader)
    assert [path for path in addresses(lived_in) if shows(client, path)] == []


def test_of_a_page_that_is_long_gone_only_the_publication_is_told(lived_in: Desks) -> None:
    """Its index versions are dropped, so nobody knows any more who could see it."""
    store = lived_in.services.store
    gone = next(one for one in store.publications.latest("shop", 10) if one.path == "zyxolite-gone.md")
    unknown = replace(
        gone, id="0" * 32, document_id="zyxolite-unknown", path="zyxolite-unknown.md", created_at=datetime.now(UTC)
    )
    store.publications.add(unknown)
    said = lived_in.client("editor").get("/admin/publications").text
    assert "a page that is no longer there" in said
    assert SIGN not in said.casefold()
