"""What is missing: a list for editors, who put a gap aside, propose its questions, or begin the page."""

from __future__ import annotations

import re

import pytest

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Reader, Role

PAGE = "/admin/gaps"
QUESTION = "What is the weather on Mars?"


def editor_of(desks: Desks, language: str = "en") -> Client:
    accounts = desks.services.accounts
    session = accounts.accept(accounts.invite("editor@lamps.example", Role.EDITOR), "", PASSWORD)
    return Client(desks.app, language).enter(session)


def ask(desks: Desks, *questions: str) -> list[str]:
    return [desks.services.desk().ask(question, Reader()).id for question in questions]


def gaps(html: str) -> list[str]:
    """The questions that head the gaps."""
    return re.findall(r'<h2 lang="\w+">(.*?)</h2>', html)


def test_without_gaps_it_says_so(desks: Desks) -> None:
    page = editor_of(desks).get(PAGE).text
    assert gaps(page) == []
    assert "Nothing is missing" in page


def test_a_gap_shows_its_wordings_how_often_and_the_nearest_page(desks: Desks) -> None:
    asked = ask(desks, QUESTION, QUESTION, "How is the weather on Mars today?", "Do you lend lamps to schools?")
    page = editor_of(desks).get(PAGE).text
    assert gaps(page)[0] == QUESTION
    assert "asked 3 times" in page
    assert "2 wordings and their answers" in page
    assert f'href="/agent/answers/{asked[1]}"' in page
    nearest = desks.services.answer(asked[3], Reader())
    assert nearest
    assert 'nearest page: <a href="' in page


def test_a_gap_is_put_aside_and_brought_back(desks: Desks) -> None:
    ask(desks, QUESTION, "Who won the cricket match?")
    client = editor_of(desks)
    id_ = re.findall(r'name="gap" value="([^"]+)"', client.get(PAGE).text)[-1]
    first = gaps(client.get(PAGE).text)[-1]
    response = client.post(f"{PAGE}/aside", {"gap": id_})
    assert response.status_code == 303
    page = client.get(response.headers["Location"]).text
    assert first not in gaps(page)
    assert "1 put aside" in page
    aside = client.get(f"{PAGE}?aside=1").text
    assert gaps(aside) == [first]
    client.post(f"{PAGE}/aside", {"gap": id_, "back": "1"})
    assert len(gaps(client.get(PAGE).text)) == 2


def test_writing_the_page_begins_a_draft_that_has_the_questions(desks: Desks) -> None:
    (id_,) = ask(desks, QUESTION)
    client = editor_of(desks)
    response = client.post(f"{PAGE}/draft", {"gap": id_})
    assert response.status_code == 303
    draft = client.get(response.headers["Location"])
    assert draft.status_code == 200
    assert QUESTION in draft.text


def test_questions_are_proposed(desks: Desks) -> None:
    (id_,) = ask(desks, QUESTION)
    client = editor_of(desks)
    response = client.post(f"{PAGE}/propose", {"gap": id_})
    assert "have been proposed" in client.get(response.headers["Location"]).text
    ((proposal,), _) = desks.services.golden.proposals("shop")
    assert (proposal.question, proposal.origin) == (QUESTION, "gap")


@pytest.mark.parametrize("act", ["aside", "propose", "draft"])
def test_a_gap_that_is_gone_is_not_found(desks: Desks, act: str) -> None:
    assert editor_of(desks).post(f"{PAGE}/{act}", {"gap": "nothing"}).status_code == 404


def test_more_questions_than_can_be_read_at_once_are_read_by_a_worker(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.services.gaps.AT_ONCE", 0)
    ask(desks, QUESTION)
    client = editor_of(desks)
    page = client.get(PAGE).text
    assert gaps(page) == [QUESTION]
    assert "Finding out what questions mean" in page
    job = desks.services.jobs.latest("shop", "gaps")
    assert job
    assert job.active
    client.get(PAGE)
    assert len(desks.services.jobs.active("shop")) == 1, "the same work is not asked for twice"


def test_many_gaps_come_in_pages(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.pages.editor.gaps.SIZE", 1)
    ask(desks, QUESTION, "Who won the cricket match?")
    client = editor_of(desks)
    first, second = (gaps(client.get(f"{PAGE}?page={number}").text) for number in (1, 2))
    assert len(first) == len(second) == 1
    assert first != second


def test_each_collection_has_its_own(desks: Desks) -> None:
    ask(desks, QUESTION)
    client = editor_of(desks)
    assert gaps(client.get(f"{PAGE}?collection=school").text) == []
    assert client.get(f"{PAGE}?collection=nothing").status_code == 404


def test_the_page_speaks_bangla(desks: Desks) -> None:
    ask(desks, QUESTION, QUESTION)
    page = editor_of(desks, "bn").get(PAGE).text
    assert "২ বার জিজ্ঞাসা করা হয়েছে" in page
