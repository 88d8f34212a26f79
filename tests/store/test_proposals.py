from __future__ import annotations

from webapp.store.proposals import DISMISSED, OPEN, proposal
from webapp.store.store import Store


def test_a_proposal_comes_back_as_it_was_made(store: Store) -> None:
    made = proposal("shop", "Which bulb fits?", "reader", None, {"document": "bulbs"}, "not what I asked")
    assert store.proposals.put(made) == made.id
    assert store.proposals.get(made.id) == made
    assert store.proposals.open("shop", 10) == [made]
    assert store.proposals.open("school", 10) == []


def test_an_open_one_that_asks_the_same_learns_what_the_new_one_knows(store: Store) -> None:
    first = store.proposals.put(proposal("shop", "Which bulb  fits?", "reader", note="no"))
    label = {"document": "bulbs", "lines": [10, 10]}
    assert store.proposals.put(proposal("shop", "which bulb fits?", "agent", None, label, "line 10")) == first
    assert store.proposals.put(proposal("shop", "which bulb fits?", "reader", note="no")) == first
    kept = store.proposals.get(first)
    assert kept
    assert (kept.label, kept.note, kept.origin) == (label, "no\nline 10", "reader")
    assert store.proposals.count_open("shop") == 1


def test_what_was_settled_waits_no_longer_and_can_be_asked_again(store: Store) -> None:
    first = store.proposals.put(proposal("shop", "Which bulb fits?", "gap"))
    store.proposals.settle(first, DISMISSED)
    assert store.proposals.count_open("shop") == 0
    second = store.proposals.put(proposal("shop", "Which bulb fits?", "gap"))
    assert second != first
    store.proposals.settle(first, OPEN)
    assert store.proposals.count_open("shop") == 2


def test_the_newest_come_first_page_by_page(store: Store) -> None:
    ids = [store.proposals.put(proposal("shop", f"Question {n}?", "gap")) for n in range(5)]
    found = [one.id for skip in (0, 2, 4) for one in store.proposals.open("shop", 2, skip)]
    assert found == ids[::-1]
