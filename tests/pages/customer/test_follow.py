"""A thread of questions: the earlier one is carried along by choice, in sight, and only for who may open it."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.conftest import Desks
from tests.pages.customer.conftest import Site
from webapp.core.answering.model import Followed
from webapp.store.kept import Erased

EARLIER = "How many days to return a lamp?"


def ask(client: Client, question: str, **form: str) -> str:
    return client.post("/ask", {"question": question} | form).headers["Location"]


def test_a_leaning_question_asks_for_the_missing_thing_in_words_of_its_own(site: Site) -> None:
    page = site.client.get(ask(site.client, "And for lamps?")).text
    assert "<h1" in page
    assert "needs a little more" in page
    assert "name the thing that you mean" in page
    assert "Our pages don&#39;t say" not in page
    assert "weak_evidence" not in page
    bangla = Client(site.client.app, "bn")
    assert "আরেকটু খুলে বলুন" in bangla.get(ask(bangla, "আর বাতি?")).text


def test_the_answer_page_offers_to_follow_on_and_says_what_it_follows(site: Site) -> None:
    place = site.keep_returns(question=EARLIER)
    earlier = place.removeprefix("/answers/")
    assert f'name="follows" value="{earlier}"' in site.client.get(place).text
    for _ in range(2):  # the second time it is loaded again
        page = site.client.get(ask(site.client, "And a bike?", follows=earlier, once="o")).text
        assert "Answering:" in page
        assert f'<a href="{place}">{EARLIER}</a></span> — <span lang="en">And a bike?</span>' in page
    assert site.made[-1].follows == Followed(answer_id=earlier, question=EARLIER)


def test_nothing_is_carried_without_a_choice(site: Site) -> None:
    page = site.client.get(ask(site.client, "Return a bike in 30 days")).text
    assert "Answering:" not in page
    assert site.made[-1].follows is None
    assert 'name="follows"' not in site.client.get(ask(site.client, "And for lamps?")).text


def test_the_choice_is_kept_beside_an_error(site: Site) -> None:
    earlier = site.keep_returns().removeprefix("/answers/")
    assert 'name="follows"' in site.client.post("/ask", {"question": "!?", "follows": earlier}).text


@pytest.mark.parametrize("reader", ["nobody", "member"])
def test_only_who_may_open_an_answer_may_follow_it(shared_desks: Desks, reader: str) -> None:
    member = shared_desks.client("member")
    body = {"question": "Which discount do members of staff get on a lamp?"}
    closed = member.post_json("/api/v1/ask", body).get_json()
    assert not closed["abstained"]
    asked = {"question": "And on a bulb?", "follows": closed["id"]}
    response = shared_desks.client(reader).post_json("/api/v1/ask", asked)
    if reader == "member":
        assert response.get_json()["follows"] == {"answer_id": closed["id"], "question": body["question"]}
    else:
        assert response.status_code == 404
        assert "there is no answer" in response.get_json()["message"]


def test_an_answer_of_another_collection_cannot_be_followed(shared_desks: Desks) -> None:
    client = shared_desks.client()
    answer = client.post_json("/api/v1/ask", {"question": "When does the spring term begin?", "collection": "school"})
    asked = {"question": "And the autumn term?", "follows": answer.get_json()["id"]}
    assert client.post_json("/api/v1/ask", asked).status_code == 404


def test_an_erased_question_is_gone_from_those_that_carried_it(site: Site) -> None:
    earlier = site.keep_returns(question=EARLIER).removeprefix("/answers/")
    later = ask(site.client, "And a bike?", follows=earlier).removeprefix("/answers/")
    other = ask(site.client, "Return a bike in 30 days").removeprefix("/answers/")
    assert site.services.store.answers.erase(earlier)
    assert isinstance(site.services.store.answers.get(later), Erased)
    assert not isinstance(site.services.store.answers.get(other), Erased)
