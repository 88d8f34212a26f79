"""The page of an answer that is made once for all who get the same, and nobody gets what is not theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta

import pytest

import webapp.pages.customer.answer as answer_page
from tests.conftest import Desks
from webapp.core.retrieval.model import Reader
from webapp.pages.customer.answer_view import AnswerView, view_answer
from webapp.services.desk import Desk
from webapp.services.model import StoredAnswer

QUESTION = "Within how many days can I return a lamp?"


class Tomorrow:
    """Stands for `date`."""

    @staticmethod
    def today() -> date:
        return datetime.now(UTC).date() + timedelta(days=1)


@pytest.fixture
def address(desks: Desks) -> str:
    return f"/answers/{desks.services.desk().ask(QUESTION, Reader()).id}"


@contextmanager
def making(monkeypatch: pytest.MonkeyPatch, count: int) -> Iterator[None]:
    """That many pages are made by what is done meanwhile."""
    made: list[str] = []

    def view(stored: StoredAnswer, desk: Desk) -> AnswerView:
        made.append(stored.answer.id)
        return view_answer(stored, desk)

    with monkeypatch.context() as patch:
        patch.setattr(answer_page, "view_answer", view)
        yield
    assert len(made) == count


def without_words(page: str) -> str:
    return re.sub(r'(nonce|name="(?:csrf_token|once)" value)="[^"]+"', r"\1", page)


def test_a_page_is_made_once_with_everybodys_own_words(
    desks: Desks, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with making(monkeypatch, 1):
        pages = [desks.client().get(address).text for _ in range(3)]
    assert len(set(map(without_words, pages))) == 1
    for name in ("csrf_token", "once"):
        assert len({word for page in pages for word in re.findall(rf'name="{name}" value="([^"]+)"', page)}) == 3
    assert len({tuple(re.findall(r'nonce="([^"]+)"', page)) for page in pages}) == 3


def test_the_forms_on_a_page_that_was_made_for_another_are_good(desks: Desks, address: str) -> None:
    desks.client().get(address)
    reader = desks.client()
    form = dict(re.findall(r'name="(csrf_token|once|collection)" value="([^"]+)"', reader.get(address).text))
    assert reader.post("/ask", form | {"question": QUESTION}).status_code == 303
    voted = reader.post(f"{address}/feedback", {"csrf_token": form["csrf_token"], "vote": "up"})
    assert voted.status_code == 303


def test_a_vote_shows_to_whoever_gave_it(desks: Desks, address: str) -> None:
    voter, other = desks.client(), desks.client()
    before = without_words(other.get(address).text)
    voter.post(f"{address}/feedback", {"csrf_token": voter.csrf_token(), "vote": "up"})
    assert without_words(voter.get(address).text) != before
    assert without_words(other.get(address).text) == before


def test_whoever_is_signed_in_gets_a_page_of_their_own(desks: Desks, address: str) -> None:
    stranger = without_words(desks.client().get(address).text)
    account = desks.services.accounts
    token = account.accept(account.first_link() or "", "ada@lamps.example", "a long enough password")
    ada = desks.client().enter(token).get(address).text
    assert "Sign out" in ada
    assert "Sign out" not in stranger
    assert without_words(desks.client().get(address).text) == stranger


def test_each_language_and_each_way_of_asking_has_its_own(
    desks: Desks, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with making(monkeypatch, 4):
        assert 'lang="en"' in desks.client().get(address).text[:200]
        assert 'lang="bn"' in desks.client(language="bn").get(address).text[:200]
        assert 'lang="bn"' in desks.client().get(f"{address}?lang=bn").text[:200]
        assert "<html" not in desks.client().get(address, headers={"HX-Request": "true"}).text


def test_what_has_become_of_its_source_is_said_as_soon_as_it_is_known(
    desks: Desks, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = desks.client()
    assert "changed since" not in client.get(address).text
    page = desks.shop / "returns.md"
    page.write_text(page.read_text(encoding="utf-8").replace("45 days", "60 days"), encoding="utf-8")
    desks.services.desk().index()
    assert "changed since" in client.get(address).text

    with making(monkeypatch, 1):
        monkeypatch.setattr(answer_page, "date", Tomorrow)
        client.get(address)


def test_an_answer_that_is_erased_is_gone_at_once(desks: Desks, address: str) -> None:
    client = desks.client()
    assert client.get(address).status_code == 200
    desks.services.store.answers.erase(address.rpartition("/")[2])
    page = client.get(address)
    assert page.status_code == 410
    assert QUESTION not in page.text
