"""Open questions: which ones, what is known of them, and that an editor has put them aside."""

from __future__ import annotations

from tests.store.test_answers import COPY, citation
from tests.store.test_finding import put
from webapp.core.answering.model import Reason
from webapp.store.feedback import Vote
from webapp.store.store import Store
from webapp.store.words import position_of

NOBODY: frozenset[str] = frozenset()


def newest(store: Store, closed: frozenset[str] = NOBODY, limit: int = 100, since: int | None = None) -> list[str]:
    return [one.answer_id for one in store.gaps.newest("shop", closed, limit, since)]


def test_what_has_no_answer_or_a_vote_down_is_open(store: Store) -> None:
    put(store, 0, "Answered", citation(1))
    put(store, 1, "Answered badly", citation(1))
    put(store, 2, "Open")
    put(store, 3, "Cut short", reason=Reason.TRUNCATED)
    put(store, 4, "No model", reason=Reason.MODEL_UNAVAILABLE)
    put(store, 5, "And that?", reason=Reason.WEAK_EVIDENCE, leans=True)
    put(store, 6, 'Is "leans":true a word?', reason=Reason.WEAK_EVIDENCE)
    put(store, 7, "Elsewhere", collection="school")
    store.feedback.put("a0", "x", Vote(good=True))
    for reader in ("x", "y"):
        store.feedback.put("a1", reader, Vote(good=False))
    assert newest(store) == ["a6", "a2", "a1"]
    assert newest(store, limit=1) == ["a6"]
    assert newest(store, frozenset({COPY.hash})) == ["a6", "a2"]
    (first, *_) = store.gaps.newest("shop", NOBODY, 1)
    assert newest(store, since=position_of(first.at)) == ["a6"]
    assert [one.down for one in store.gaps.newest("shop", NOBODY, 100)] == [0, 0, 2]


def test_meanings_and_what_is_put_aside_are_kept_beside_each_other(store: Store) -> None:
    for number in (0, 1):
        put(store, number, "Open")
    store.gaps.keep_vectors("e", [("a0", b"one")])
    store.gaps.dismiss(["a0", "a1"], True)
    store.gaps.keep_vectors("e", [("a0", b"two"), ("gone", b"three")])
    one, other = store.gaps.newest("shop", NOBODY, 2)[::-1]
    assert (one.embedder, one.vector, one.dismissed) == ("e", b"two", True)
    assert (other.embedder, other.vector, other.dismissed) == (None, None, True)
    store.gaps.dismiss(["a0"], False)
    assert not store.gaps.newest("shop", NOBODY, 2)[1].dismissed
