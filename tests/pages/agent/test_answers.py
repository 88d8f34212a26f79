"""The list of answers: for staff alone, newest first, and only what the reader may open."""

from __future__ import annotations

import re

import pytest

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Reader, Role

PAGE = "/agent/answers"


def ask(desks: Desks, *questions: str) -> list[str]:
    """Ask, as customers do; return the answers' ids."""
    return [desks.services.desk().ask(question, Reader()).id for question in questions]


def agent_of(desks: Desks) -> Client:
    """An agent's browser."""
    accounts = desks.services.accounts
    invited = accounts.invite("agent@lamps.example", Role.AGENT)
    return Client(desks.app).enter(accounts.accept(invited, "", PASSWORD))


def listed(html: str) -> list[str]:
    """The ids of the answers in the list."""
    return re.findall(r'href="/answers/([^"]+)"', html)


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
    first, second = (client.get(f"{PAGE}?page={n}").text for n in (1, 2))
    assert [*listed(first), *listed(second)] == asked[::-1]
    assert 'href="/agent/answers?page=2" rel="next"' in first
    assert 'href="/agent/answers?page=1" rel="prev"' in second
    assert listed(client.get(f"{PAGE}?page=x").text) == listed(first)


def test_the_list_is_in_the_readers_language(shared_desks: Desks) -> None:
    assert "সাম্প্রতিক উত্তর" in shared_desks.client("agent", "bn").get(PAGE).text


def test_staff_find_their_pages_and_the_way_out_on_every_page(shared_desks: Desks) -> None:
    agents, editors = (shared_desks.client(one).get("/").text for one in ("agent", "editor"))
    assert all('action="/sign-out"' in page and f'href="{PAGE}"' in page for page in (agents, editors))
    assert 'href="/admin/chunking"' in editors
    assert 'href="/admin/chunking"' not in agents
    assert "/sign-out" not in shared_desks.client().get("/").text
    assert PAGE not in shared_desks.client("customer").get("/").text
