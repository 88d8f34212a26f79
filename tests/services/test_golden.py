from __future__ import annotations

import pytest

from tests.conftest import Desks
from webapp.services.model import UnknownCollection


def test_a_vote_becomes_a_proposal(desks: Desks) -> None:
    golden = desks.services.golden
    label = {"document": "bulbs", "lines": [10, 10]}
    made = golden.propose("shop", "  Which bulb\nfits? ", "reader", None, label, " wrong page ")
    found, more = golden.proposals("shop")
    assert not more
    assert [(one.id, one.question, one.note) for one in found] == [(made, "Which bulb fits?", "wrong page")]
    assert golden.proposal("shop", made) == found[0]
    assert golden.proposal("school", made) is None


def test_what_is_dismissed_can_be_brought_back(desks: Desks) -> None:
    golden = desks.services.golden
    made = golden.propose("shop", "Which bulb fits?", "agent")
    golden.dismiss(made)
    assert golden.waiting("shop") == 0
    golden.reopen(made)
    assert golden.waiting("shop") == 1
    golden.take(made)
    assert golden.waiting("shop") == 0


def test_a_proposal_needs_a_question_an_origin_and_a_collection(desks: Desks) -> None:
    golden = desks.services.golden
    with pytest.raises(ValueError, match="question"):
        golden.propose("shop", " \n ", "reader")
    with pytest.raises(ValueError, match="origin"):
        golden.propose("shop", "Which bulb fits?", "robot")
    with pytest.raises(UnknownCollection):
        golden.propose("cellar", "Which bulb fits?", "reader")
