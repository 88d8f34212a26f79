"""Votes as services keep them."""

from __future__ import annotations

import pytest

from tests.conftest import Desks
from webapp.core.retrieval.model import Reader
from webapp.services.feedback import MAX_WORDS, REASONS, InvalidVote, checked
from webapp.services.model import Gone, StoredAnswer
from webapp.store.feedback import Vote


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (Vote(True), Vote(True)),
        (Vote(True, "wrong", " so good "), Vote(True, None, "so good")),
        (Vote(False, "wrong", " \n "), Vote(False, "wrong", None)),
        (Vote(False, "", "a\0b"), Vote(False, None, "ab")),
        (Vote(False, None, "x" * MAX_WORDS), Vote(False, None, "x" * MAX_WORDS)),
    ],
)
def test_a_vote_is_kept_in_one_form(given: Vote, kept: Vote) -> None:
    assert checked(given) == kept
    assert checked(kept) == kept


@pytest.mark.parametrize("given", [Vote(False, "boring"), Vote(False, "wrong", "x" * (MAX_WORDS + 1))])
def test_what_is_no_vote_is_refused(given: Vote) -> None:
    with pytest.raises(InvalidVote):
        checked(given)


def test_every_reason_is_one() -> None:
    assert [checked(Vote(False, reason)).reason for reason in REASONS] == list(REASONS)


def test_a_vote_is_cast_changed_and_taken_back_by_whoever_may_open_the_answer(desks: Desks) -> None:
    """P02."""
    member = Reader(groups=frozenset({"staff"}))
    secret = desks.services.desk().ask("What discount do members of staff get on lamps?", member).id
    feedback = desks.services.feedback
    assert feedback.cast(secret, Reader(), "x", Vote(True)) is None
    assert feedback.on(secret, member) == ()
    assert isinstance(feedback.cast(secret, member, "x", Vote(False)), StoredAnswer)
    feedback.cast(secret, member, "x", Vote(True))
    assert [vote.good for vote in feedback.on(secret, member)] == [True]
    assert feedback.on(secret, Reader()) == (), "votes on what doesn't open are nobody's business"
    feedback.cast(secret, member, "x", None)
    assert feedback.by(secret, "x") is None
    desks.services.history.erase(secret)
    assert isinstance(feedback.cast(secret, member, "x", Vote(True)), Gone)
    assert feedback.cast("nothing", member, "x", Vote(True)) is None
