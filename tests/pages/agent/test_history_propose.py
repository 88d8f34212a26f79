"""A vote against an answer becomes a proposal for the golden set in one press."""

from __future__ import annotations

from tests.conftest import Desks
from tests.pages.agent.test_answers import agent_of, ask
from webapp.core.retrieval.model import Reader
from webapp.store.feedback import Vote


def test_a_vote_down_becomes_a_proposal(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    votes = desks.services.store.feedback
    votes.put(one, "a", Vote(good=False, reason="outdated", words="It is 30 now"))
    votes.put(one, "b", Vote(good=True, words="Fine"))
    votes.put(one, "c", Vote(good=False))
    response = agent_of(desks).post(f"/agent/answers/{one}/propose")
    assert response.status_code == 303
    assert response.headers["Location"] == f"/agent/answers/{one}?proposed=1#votes"
    ((proposal,), more) = desks.services.golden.proposals("shop")
    assert not more
    assert (proposal.question, proposal.origin, proposal.answer_id) == (
        "Within how many days can I return a lamp?",
        "reader",
        one,
    )
    assert proposal.note == "outdated: It is 30 now"


def test_without_votes_it_is_the_agents_proposal(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    agent_of(desks).post(f"/agent/answers/{one}/propose")
    ((proposal,), _) = desks.services.golden.proposals("shop")
    assert (proposal.origin, proposal.note) == ("agent", "")


def test_an_answer_that_does_not_open_cannot_be_proposed(desks: Desks) -> None:
    secret = desks.services.desk().ask("What discount do members of staff get?", Reader(groups=frozenset({"staff"})))
    client = agent_of(desks)
    assert client.post(f"/agent/answers/{secret.id}/propose").status_code == 404
    assert desks.services.golden.proposals("shop") == ([], False)


def test_erasing_the_answer_takes_the_proposal_along(desks: Desks) -> None:
    (one,) = ask(desks, "Within how many days can I return a lamp?")
    agent_of(desks).post(f"/agent/answers/{one}/propose")
    desks.services.history.erase(one)
    assert desks.services.golden.proposals("shop") == ([], False)
