"""What was asked from a browser or an account: seen and erased by whoever asked, and by nobody else."""

from __future__ import annotations

import re

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Role


def asked(client: Client, question: str) -> str:
    """Ask through the form; return the answer's address."""
    return client.post("/ask", {"question": question}).headers["Location"]


def listed(client: Client) -> list[str]:
    """The addresses on the page."""
    return re.findall(r'<li><a href="(/answers/[^"]+)"', client.get("/asked").text)


def test_a_browser_sees_and_erases_its_own_questions_alone(desks: Desks) -> None:
    mine, others = desks.client(), desks.client()
    addresses = [asked(mine, question) for question in ("Which bulb fits?", "What does delivery cost?")]
    foreign = asked(others, "Within how many days can I return a lamp?")
    others.post(f"{addresses[0]}/feedback", {"vote": "up"})
    mine.post(f"{foreign}/feedback", {"vote": "down", "words": "My name is Ada"})
    assert listed(mine) == addresses[::-1]
    assert "Erase all 2 questions" in mine.get("/asked").text
    response = mine.post("/asked")
    assert (response.status_code, response.headers["Location"]) == (303, "/asked?erased=1")
    assert "All that you asked has been erased" in mine.get("/asked?erased=1").text
    assert [mine.get(address).status_code for address in (*addresses, foreign)] == [410, 410, 200]
    assert listed(mine) == []
    assert listed(others) == [foreign]
    votes = desks.services.store.feedback.all(foreign.rpartition("/")[2])
    assert votes == (), "what was said of others' answers goes too"


def test_an_account_has_its_questions_in_every_browser(desks: Desks) -> None:
    accounts = desks.services.accounts
    accounts.accept(accounts.invite("ada@lamps.example", Role.CUSTOMER), "", PASSWORD)
    one, other = desks.client(), desks.client()
    for client in (one, other):
        client.sign_in("ada@lamps.example", PASSWORD)
    address = asked(one, "Which bulb fits?")
    assert listed(other) == [address]
    assert "asked from your account" in other.get("/asked").text


def test_who_never_asked_has_nothing_and_gets_no_cookie(desks: Desks) -> None:
    client = desks.client()
    response = client.get("/asked")
    assert "Nothing is kept." in response.text
    assert "reader=" not in "".join(response.headers.getlist("Set-Cookie"))
    assert client.post("/asked").status_code == 303


def test_a_later_question_that_carried_an_erased_one_goes_with_it(desks: Desks) -> None:
    mine, others = desks.client(), desks.client()
    first = asked(mine, "What does delivery of a lamp cost?")
    follow = {"question": "And for bulbs?", "follows": first.rpartition("/")[2]}
    later = others.post("/ask", follow).headers["Location"]
    mine.post("/asked")
    assert others.get(later).status_code == 410


def test_an_abstention_leads_to_the_page(desks: Desks) -> None:
    client = desks.client()
    assert 'href="/asked"' in client.get(asked(client, "What is the weather on Mars?")).text


def test_the_page_speaks_bangla(desks: Desks) -> None:
    client = desks.client(language="bn")
    asked(client, "Which bulb fits?")
    assert "আপনার প্রশ্ন" in client.get("/asked").text
