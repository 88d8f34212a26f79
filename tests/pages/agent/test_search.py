"""The agents' search: pages of every status, filtered, each match linked to its lines."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import quote

import pytest

from tests.conftest import Desks
from tests.pages.agent.test_answer import agent_of
from webapp.services.search import PAGE


def titles(html: str) -> list[str]:
    return re.findall(r'<h2><a href="/c/shop/sources/([\w-]+)"', html)


def test_without_words_it_lists_every_page(shared_desks: Desks) -> None:
    page = shared_desks.client("agent").get("/agent/search").text
    assert titles(page) == ["bulbs", "delivery", "plans", "returns", "returns-1"]
    assert "5 pages" in page
    assert "discounts" not in page


def test_a_match_is_marked_and_leads_to_its_lines(shared_desks: Desks) -> None:
    client = shared_desks.client("agent")
    page = client.get("/agent/search?q=socket").text
    link = re.search(r'<a href="(/c/shop/sources/bulbs\?lines=10#L10)"', page)
    assert link
    assert "<mark>socket</mark>" in page
    assert 'id="L10"' in client.get(unescape(link[1]).split("#")[0]).text


def test_drafts_and_superseded_pages_say_what_they_are(shared_desks: Desks) -> None:
    page = shared_desks.client("agent").get("/agent/search?q=shop+in+Sylhet").text
    assert titles(page)[0] == "plans"
    assert "version 1 · draft · English" in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("status=draft", ["plans"]),
        ("status=superseded&q=lamp", ["returns-1"]),
        ("version=2", ["returns"]),
        ("lang_of=bn", []),
        ("audience=staff", []),
        ("by=words&q=Sylhet", ["plans"]),
        ("status=nonsense&page=x&by=", ["bulbs", "delivery", "plans", "returns", "returns-1"]),
    ],
)
def test_filters_in_the_address(shared_desks: Desks, query: str, expected: list[str]) -> None:
    page = shared_desks.client("agent").get(f"/agent/search?{query}").text
    assert titles(page) == expected
    assert expected or "No page is like that." in page


def test_those_in_the_group_find_its_pages_and_see_whose_they_are(shared_desks: Desks) -> None:
    page = shared_desks.client("admin").get("/agent/search?audience=staff").text
    assert titles(page) == ["discounts"]
    assert "only for staff" in page


def test_what_was_typed_stays_and_is_shown_as_text(shared_desks: Desks) -> None:
    typed = "<b>\"lamp'</b>"
    page = shared_desks.client("agent").get(f"/agent/search?q={quote(typed)}&version=2").text
    assert f'value="{typed}"' in unescape(page)
    assert typed not in page
    assert re.search(r'<option value="2" selected>', page)


def test_many_pages_come_in_pages_that_keep_the_filters(desks: Desks) -> None:
    for number in range(PAGE + 3):
        head = f"---\nid: more-{number:02}\ntitle: More {number:02}\nstatus: current\nversion: 9\nlang: en\n---\n\n"
        (desks.shop / f"more-{number}.md").write_text(f"{head}## Lamps\nLamp {number}.\n", encoding="utf-8")
    desks.services.desk().ensure_index()
    client = agent_of(desks)
    page = client.get("/agent/search?version=9").text
    following = re.search(r'href="([^"]+)" rel="next"', page)
    assert following
    rest = client.get(unescape(following[1])).text
    assert [*titles(page), *titles(rest)] == [f"more-{number:02}" for number in range(PAGE + 3)]
    assert 'rel="prev"' in rest


def test_another_collection_has_its_own_pages(shared_desks: Desks) -> None:
    page = shared_desks.client("agent").get("/agent/search?collection=school").text
    assert 'href="/c/school/sources/terms"' in page
    assert shared_desks.client("agent").get("/agent/search?collection=none").status_code == 404


def test_in_bangla(shared_desks: Desks) -> None:
    page = shared_desks.client("agent", "bn").get("/agent/search?q=lamp").text
    assert "পাতা খোঁজা" in page
    assert "সংস্করণ ২" in page
    assert ': <span lang="en">Returning lamps</span></span>' in page
