"""The editors' list of pages that disagree."""

from __future__ import annotations

from tests.client import Client
from tests.conftest import Desks, write_files
from webapp.core.retrieval.model import Role

PAGE = """---
id: {id}
title: {title}
status: {status}
lang: en
audience: {audience}
---

## Returning a lamp
{words}
"""


def _page(id_: str, words: str, status: str = "current", audience: str = "public") -> dict[str, str]:
    text = PAGE.format(id=id_, title=id_.title(), status=status, audience=audience, words=words)
    return {f"{id_}.md": text}


def _add(desks: Desks, pages: dict[str, str]) -> None:
    write_files(desks.shop, pages)
    desks.services.desk().ensure_index()


def _client(desks: Desks, role: str, groups: frozenset[str] = frozenset()) -> Client:
    accounts = desks.services.accounts
    session = accounts.accept(accounts.invite(f"{role}@lamps.example", Role(role), groups), "", "a long password here")
    return desks.client().enter(session)


def test_without_any_the_page_says_so(shared_desks: Desks) -> None:
    page = shared_desks.client("editor").get("/admin/conflicts").text
    assert "No two current pages give different numbers" in page
    assert 'href="/admin/conflicts"' in shared_desks.client("editor").get("/admin/").text


def test_both_sentences_lead_to_their_lines(desks: Desks) -> None:
    _add(desks, _page("gifts", "You can return a lamp within 60 days of delivery for a full refund."))
    client = _client(desks, "editor")
    page = client.get("/admin/conflicts").text
    assert "1 pair of sentences gives different numbers" in page
    assert "“You can return a lamp within 45 days of delivery for a full refund.”" in page
    assert "“You can return a lamp within 60 days of delivery for a full refund.”" in page
    for address in ("/c/shop/sources/gifts?lines=10#L10", "/c/shop/sources/returns?lines=10#L10"):
        assert f'href="{address}"' in page
        assert client.get(address.partition("#")[0]).status_code == 200


def test_drafts_and_closed_pages_are_left_out(desks: Desks) -> None:
    words = "You can return a lamp within {} days of delivery for a full refund."
    _add(desks, _page("plan", words.format(60), status="draft") | _page("inside", words.format(90), audience="staff"))
    assert "days of delivery" not in _client(desks, "editor").get("/admin/conflicts").text
    assert "90 days of delivery" in _client(desks, "admin", frozenset({"staff"})).get("/admin/conflicts").text


def test_each_collection_has_its_list(shared_desks: Desks) -> None:
    client = shared_desks.client("editor")
    assert client.get("/admin/conflicts?collection=school").status_code == 200
    assert client.get("/admin/conflicts?collection=nowhere").status_code == 404
