"""How an answer was made has words for every code it is kept with."""

from __future__ import annotations

from tests.conftest import Desks
from webapp.core.retrieval.signals import NAMES
from webapp.pages.agent.answer_words import signal_words


def test_every_signal_has_words_of_its_own(shared_desks: Desks) -> None:
    with shared_desks.app.test_request_context():
        words = {signal_words(name) for name in NAMES}
    assert len(words) == len(NAMES)
    assert not words & set(NAMES)
