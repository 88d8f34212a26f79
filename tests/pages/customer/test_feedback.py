"""Votes: one a reader and answer, changed and taken back by a form that needs no script."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.client import Client
from tests.pages.customer.conftest import Site
from webapp.core.answering.model import Statement
from webapp.core.retrieval.model import Role
from webapp.services.feedback import MAX_WORDS
from webapp.store.feedback import Vote

HTMX = {"HX-Request": "true"}


def votes(site: Site, address: str) -> list[tuple[bool, str | None, str | None]]:
    """What is kept: thumb, reason, words."""
    kept = site.services.store.feedback.all(address.rpartition("/")[2])
    return [(one.good, one.reason, one.words) for one in kept]


def pressed(html: str) -> dict[str, bool]:
    """Which thumb is pressed."""
    return {id_: state == "true" for id_, state in re.findall(r'id="vote-(\w+)".*?aria-pressed="(\w+)"', html)}


@pytest.mark.parametrize("answered", [True, False])
def test_every_answer_and_abstention_can_be_voted_on_without_a_script(site: Site, answered: bool) -> None:
    address = site.keep_returns() if answered else site.keep([], [])
    page = site.client.get(address).text
    assert "Did this help?" in page
    assert pressed(page) == {"up": False, "down": False}
    response = site.client.post(f"{address}/feedback", {"vote": "down"})
    assert (response.status_code, response.headers["Location"]) == (303, f"{address}#feedback")
    assert votes(site, address) == [(False, None, None)]
    after = site.client.get(address).text
    assert pressed(after) == {"up": False, "down": True}
    assert "What is the matter?" in after


def test_the_last_vote_counts_and_can_be_taken_back(site: Site) -> None:
    address = site.keep_returns()
    more = {"vote": "down", "reason": "outdated", "words": "  It is 14 days now. "}
    for given in ({"vote": "up"}, more):
        site.client.post(f"{address}/feedback", given)
    assert votes(site, address) == [(False, "outdated", "It is 14 days now.")]
    page = site.client.get(address).text
    assert 'value="outdated" checked' in page
    assert "It is 14 days now." in page
    assert 'id="vote-down" class="plain" name="vote" value="none"' in page
    site.client.post(f"{address}/feedback", {"vote": "none"})
    assert votes(site, address) == []


def test_each_browser_and_each_account_has_one_vote(site: Site) -> None:
    address = site.keep_returns()
    member, other = site.as_role(Role.AGENT), Client(site.client.app)
    for client in (site.client, site.client, other, member, member):
        client.post(f"{address}/feedback", {"vote": "up"})
    assert len(votes(site, address)) == 3
    assert pressed(Client(site.client.app).get(address).text) == {"up": False, "down": False}, "a vote is its reader's"


def test_the_cookie_says_nothing_and_scripts_cannot_read_it(site: Site) -> None:
    address = site.keep_returns()
    read = site.client.get(address)
    assert "reader=" not in "".join(read.headers.getlist("Set-Cookie")), "who only reads gets none"
    cookies = site.client.post(f"{address}/feedback", {"vote": "up"}).headers.getlist("Set-Cookie")
    (cookie,) = [one for one in cookies if one.startswith("reader=")]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    token = cookie.split(";")[0].removeprefix("reader=")
    with site.services.store._database.reading() as connection:
        (reader,) = connection.exec_driver_sql("SELECT reader FROM feedback").scalars()
    assert token not in reader
    assert re.fullmatch(r"[0-9a-f]{64}", reader)


def test_htmx_gets_the_block_alone(site: Site) -> None:
    address = site.keep_returns()
    response = site.client.post(f"{address}/feedback", {"vote": "down"}, headers=HTMX)
    assert response.status_code == 200
    assert "<html" not in response.text
    assert 'id="feedback"' in response.text
    assert 'data-announce="Thank you."' in response.text
    assert pressed(response.text) == {"up": False, "down": True}
    again = site.client.post(f"{address}/feedback", {"vote": "none"}, headers=HTMX)
    assert 'data-announce="Your vote has been taken back."' in again.text


@pytest.mark.parametrize(
    "given",
    [{}, {"vote": "maybe"}, {"vote": "down", "reason": "boring"}, {"vote": "up", "words": "x" * (MAX_WORDS + 1)}],
)
def test_nonsense_is_refused(site: Site, given: dict[str, Any]) -> None:
    address = site.keep_returns()
    assert site.client.post(f"{address}/feedback", given).status_code == 400
    assert votes(site, address) == []


def test_a_vote_needs_the_forms_token(site: Site) -> None:
    address = site.keep_returns()
    response = site.client.send("POST", f"{address}/feedback", data={"vote": "up"})
    assert response.status_code == 400
    assert votes(site, address) == []


def test_only_who_may_open_the_answer_may_vote(make_site: Callable[..., Site]) -> None:
    """P02: a known id is refused on this route as well; P01: like one that was made up."""
    site = make_site()
    paid = Statement(text="Staff get paid on Fridays.", markers=(1,))
    address = site.keep([paid], [site.cite(1, "secret", (10, 10), "Pay")])
    made_up = site.client.post("/answers/made-up/feedback", {"vote": "up"})
    closed = site.client.post(f"{address}/feedback", {"vote": "up"})
    assert (made_up.status_code, closed.status_code) == (404, 404)
    assert votes(site, address) == []
    agent = site.as_role(Role.AGENT)
    assert agent.post(f"{address}/feedback", {"vote": "up"}).status_code == 303


def test_an_erased_answer_takes_no_vote(site: Site) -> None:
    address = site.keep_returns()
    site.services.history.erase(address.rpartition("/")[2])
    assert site.client.post(f"{address}/feedback", {"vote": "up"}).status_code == 410


def test_a_withdrawn_answer_has_no_thumbs(site: Site) -> None:
    address = site.keep_returns()
    site.edit("returns", "status: current", "status: withdrawn")
    assert "Did this help?" not in site.client.get(address).text


def test_words_are_shown_as_they_are(site: Site) -> None:
    """X04: as text, never as markup."""
    address = site.keep_returns()
    site.client.post(f"{address}/feedback", {"vote": "down", "words": "<script>alert(1)</script>"})
    page = site.client.get(address).text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def test_all_of_it_is_in_the_readers_language(bangla_site: Site) -> None:
    """U09."""
    address = bangla_site.keep([], [])
    bangla_site.client.post(f"{address}/feedback", {"vote": "down"})
    page = bangla_site.client.get(address).text
    section = page[page.index('id="feedback"') : page.index("</section>")]
    words = re.sub(r"<[^>]*>", " ", section[section.index(">") + 1 :])
    assert not re.search("[A-Za-z]{2,}", words), words


def test_votes_come_no_faster_than_the_settings_allow(make_site: Callable[..., Site]) -> None:
    site = make_site(vote_rate="2 per minute")
    address = site.keep_returns()
    token = site.client.csrf_token()
    elsewhere = {"REMOTE_ADDR": "192.0.2.7"}
    codes = [
        site.client.post(f"{address}/feedback", {"vote": "up", "csrf_token": token}, environ_base=elsewhere).status_code
        for _ in range(3)
    ]
    assert codes == [303, 303, 429]


def test_a_vote_is_kept_as_it_was_meant(site: Site) -> None:
    """No reason stands beside a thumb up, whatever the form held."""
    address = site.keep_returns()
    site.client.post(f"{address}/feedback", {"vote": "up", "reason": "wrong", "words": "\0 good "})
    assert votes(site, address) == [(True, None, "good")]
    assert site.services.feedback.by("made-up", None) is None
    assert Vote(good=True) == Vote(True)
