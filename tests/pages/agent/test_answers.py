"""The list of answers: for staff alone, newest first, and only what the reader may open."""

from __future__ import annotations

import html
import re

import pytest

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Reader, Role
from webapp.store.feedback import Vote
from webapp.store.schema import searchable

PAGE = "/agent/answers"


def ask(desks: Desks, *questions: str) -> list[str]:
    """Ask, as customers do; return the answers' ids."""
    return [desks.services.desk().ask(question, Reader()).id for question in questions]


def agent_of(desks: Desks) -> Client:
    """An agent's browser."""
    accounts = desks.services.accounts
    invited = accounts.invite("agent@lamps.example", Role.AGENT)
    return Client(desks.app).enter(accounts.accept(invited, "", PASSWORD))


def listed(page: str) -> list[str]:
    """The ids of the answers in the list."""
    return re.findall(r'href="/(?:agent/)?answers/([^"/?]+)"', page)


def to(page: str, where: str) -> str:
    """The address that a link of the list's leads to."""
    link = re.search(rf'href="([^"]+)" rel="{where}"', page)
    assert link
    return html.unescape(link[1])


@pytest.mark.parametrize("reader", ["nobody", "customer", "member", "agent", "editor", "admin"])
@pytest.mark.parametrize("address", ["/agent", "/agent/", PAGE])
def test_it_is_for_staff(shared_desks: Desks, reader: str, address: str) -> None:
    expected = {"nobody": 302, "customer": 403, "member": 403}.get(reader, 200)
    assert shared_desks.client(reader).get(address).status_code == expected


def test_without_answers_it_says_what_to_do(desks: Desks) -> None:
    page = agent_of(desks).get(PAGE).text
    assert "No question has been asked yet." in page


def test_answers_are_listed_newest_first_with_their_outcome(desks: Desks) -> None:
    first, second = ask(desks, "Within how many days can I return a lamp?", "What is the weather on Mars?")
    page = agent_of(desks).get(PAGE).text
    assert listed(page) == [second, first]
    assert "no answer: " in page
    assert "What is the weather on Mars?" in page


def test_erased_answers_are_not_listed(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    desks.services.store.answers.erase(one)
    assert listed(agent_of(desks).get(PAGE).text) == []


def test_many_answers_come_in_pages(desks: Desks) -> None:
    asked = ask(desks, *(f"Where is shop number {n}?" for n in range(32)))
    client = agent_of(desks)
    first = client.get(PAGE).text
    second = client.get(to(first, "next")).text
    assert [*listed(first), *listed(second)] == asked[::-1]
    assert listed(client.get(to(second, "prev")).text) == listed(first)
    assert 'rel="prev"' not in first
    assert 'rel="next"' not in second
    assert listed(client.get(f"{PAGE}?from=x").text) == listed(first)
    oldest = client.get(f"{PAGE}?order=oldest&q=shop").text
    assert [*listed(oldest), *listed(client.get(to(oldest, "next")).text)] == asked


def test_an_answer_that_comes_in_between_moves_nothing(desks: Desks) -> None:
    asked = ask(desks, *(f"Where is shop number {n}?" for n in range(31)))
    client = agent_of(desks)
    further = to(client.get(PAGE).text, "next")
    ask(desks, "Where is the newest shop?")
    assert listed(client.get(further).text) == asked[:1]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=parcels", [0]),
        ("q=PARCEL", [0]),
        ("q=Mars", [2]),
        ("q=parcels+Mars", []),
        ("q=%3F%3F", []),
        ("outcome=answered", [1, 0]),
        ("outcome=abstained", [2]),
        ("outcome=no_evidence&asked_in=en", [2]),
        ("outcome=conflicting_sources", []),
        ("document=returns", [1]),
        ("document=returns&lines=10", [1]),
        ("document=returns&lines=1-3,10-11", [1]),
        ("document=returns&lines=1-3", []),
        ("document=nothing", []),
        ("rating=down", [1]),
        ("rating=up", []),
        ("collection=shop", [2, 1, 0]),
        ("collection=school", []),
        ("asked_in=bn", []),
        ("version=none", []),
        ("since=2020-01-01", [2, 1, 0]),
        ("until=2020-01-01", []),
        ("since=yesterday", [2, 1, 0]),
        ("outcome=nonsense", [2, 1, 0]),
    ],
)
def test_answers_are_found_by_what_they_say_and_are(desks: Desks, query: str, found: list[int]) -> None:
    questions = ("How many days until parcels arrive?", "Within how many days can I return a lamp?", "Weather on Mars?")
    asked = ask(desks, *questions)
    desks.services.store.feedback.put(asked[1], "somebody", Vote(good=False))
    page = agent_of(desks).get(f"{PAGE}?{query}").text
    assert listed(page) == [asked[n] for n in found]
    assert ("No answer is like that." in page) == (not found)


def test_what_was_looked_for_stays_in_the_form(desks: Desks) -> None:
    ask(desks, "Within how many days can I return a lamp?")
    page = agent_of(desks).get(f"{PAGE}?q=%22%3Clamp%3E&outcome=answered&document=x").text
    assert 'value="&#34;&lt;lamp&gt;"' in page
    assert '<option value="answered" selected>' in page
    assert "<details open>" in page


def test_only_answers_that_open_are_found(desks: Desks) -> None:
    """P02, P04: an agent without a right to one source finds no trace of the answer, by whatever is looked for."""
    member = Reader(groups=frozenset({"staff"}))
    secret = desks.services.desk().ask("What discount do members of staff get on lamps?", member)
    assert [one.document_id for one in secret.citations] == ["discounts"]
    client = agent_of(desks)
    for query in ("", "q=discount", "document=discounts", "outcome=answered", "order=oldest"):
        page = client.get(f"{PAGE}?{query}").text
        assert listed(page) == []
        assert "30 percent" not in page
    assert client.get(f"/answers/{secret.id}").status_code == 404


def test_closing_a_page_takes_its_answers_off_the_list(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    client = agent_of(desks)
    assert listed(client.get(PAGE).text) == [one]
    file = desks.shop / "returns.md"
    file.write_text(file.read_text().replace("lang: en", "lang: en\naudience: staff"))
    desks.services.desk().ensure_index()
    assert listed(client.get(PAGE).text) == []


def test_answers_past_their_time_are_not_listed_even_before_they_are_erased(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    with desks.services.store._database.writing() as connection:
        connection.execute(searchable.update().values(position=1))
    assert listed(agent_of(desks).get(PAGE).text) == []
    assert desks.services.store.answers.get(one)


def test_votes_stand_beside_their_answer(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    for reader in ("a", "b"):
        desks.services.store.feedback.put(one, reader, Vote(good=False))
    page = agent_of(desks).get(PAGE).text
    assert re.search(r'aria-label="Not helpful".*?</svg> 2</span>', page, re.DOTALL)
    assert 'aria-label="Helpful"' not in page


def test_a_source_page_leads_staff_to_the_answers_that_cite_it(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    client = agent_of(desks)
    source = client.get("/sources/returns?lines=10").text
    link = re.search(r'href="(/agent/answers\?[^"]+)"', source)
    assert link
    assert listed(client.get(html.unescape(link[1])).text) == [one]
    assert "/agent/answers" not in desks.client().get("/sources/returns").text


def test_the_list_is_in_the_readers_language(shared_desks: Desks) -> None:
    assert "উত্তর" in shared_desks.client("agent", "bn").get(PAGE).text


def test_staff_find_their_pages_and_the_way_out_on_every_page(shared_desks: Desks) -> None:
    agents, editors = (shared_desks.client(one).get("/").text for one in ("agent", "editor"))
    assert all('action="/sign-out"' in page and f'href="{PAGE}"' in page for page in (agents, editors))
    assert 'href="/admin/chunking"' in editors
    assert 'href="/admin/chunking"' not in agents
    assert "/sign-out" not in shared_desks.client().get("/").text
    assert PAGE not in shared_desks.client("customer").get("/").text
