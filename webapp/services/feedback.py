"""What readers think of answers: a thumb up or down, why, and in what words. One vote for each reader and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.core.retrieval.model import Reader
from webapp.services.model import Gone, StoredAnswer
from webapp.store.feedback import Vote

if TYPE_CHECKING:
    from webapp.services.root import Services

REASONS = ("wrong", "outdated", "incomplete", "not_mine", "other")  # not_mine: it answers another question
MAX_WORDS = 1000  # characters


class InvalidVote(ValueError):
    """A vote that can't be taken; the message (English) says why."""


class Feedback:
    """The votes on all answers; `services.feedback`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._votes = services.store.feedback

    def cast(self, answer_id: str, reader: Reader, voter: str, vote: Vote | None) -> StoredAnswer | Gone | None:
        """Keep somebody's vote in place of an earlier one, or take it back (None), if they may open the answer.

        Returns the answer as that reader opens it: when it isn't a StoredAnswer, nothing was kept. `voter` is a hash
        that stands for the person. Raises InvalidVote.
        """
        if vote:
            vote = checked(vote)
        opened = self._services.answer(answer_id, reader)
        if isinstance(opened, StoredAnswer):
            if vote:
                self._votes.put(answer_id, voter, vote)
            else:
                self._votes.remove(answer_id, voter)
        return opened

    def by(self, answer_id: str, voter: str | None) -> Vote | None:
        """Return somebody's own vote."""
        return self._votes.get(answer_id, voter) if voter else None

    def on(self, answer_id: str, reader: Reader) -> tuple[Vote, ...]:
        """Return every vote on an answer, the first first: for staff. None when the reader may not open it."""
        opened = self._services.answer(answer_id, reader)
        return self._votes.all(answer_id) if isinstance(opened, StoredAnswer) else ()


def checked(vote: Vote) -> Vote:
    """Return the vote as it is kept: no reason beside a thumb up, no blanks around the words. Raises InvalidVote."""
    words = (vote.words or "").replace("\0", "").strip()
    if vote.reason and vote.reason not in REASONS:
        raise InvalidVote(f"there is no reason {vote.reason!r}; there are: {', '.join(REASONS)}")
    if len(words) > MAX_WORDS:
        raise InvalidVote(f"say it in at most {MAX_WORDS} characters")
    return Vote(vote.good, None if vote.good else vote.reason or None, words or None)
