"""Gaps: open questions that want the same stand together, whatever their words, and the same ones always do."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Desks
from webapp.core.retrieval.model import Reader, Role
from webapp.services.gaps import MOST, Wording, grouped, page_for, wordings_of
from webapp.services.work.gaps import run
from webapp.store.feedback import Vote
from webapp.store.gaps import OpenQuestion

NOW = datetime(2026, 11, 29, tzinfo=UTC)
EDITOR = Reader(Role.EDITOR)
CUSTOMER = Reader()
MIDDLE = np.zeros(2, dtype=np.float32)


def wording(name: str, angle: float | None, count: int = 1, dismissed: bool = False) -> Wording:
    """A question whose meaning points that way."""
    vector = None if angle is None else np.array([np.cos(angle), np.sin(angle)], dtype=np.float32).tobytes()
    return Wording(name, "en", tuple(f"{name}{n}" for n in range(count)), 0, NOW, dismissed, vector)


def names(groups: list[list[Wording]]) -> list[list[str]]:
    return [[one.question for one in group] for group in groups]


def test_like_meanings_stand_together_round_the_most_asked() -> None:
    asked = [wording("b", 0.1), wording("a", 0.0, count=3), wording("c", 2.0), wording("d", 0.5)]
    assert names(grouped(asked, MIDDLE)) == [["a", "b", "d"], ["c"]]


def test_a_meaning_that_is_not_known_is_near_to_nothing() -> None:
    silent = Wording("z", "en", ("z0",), 0, NOW, False, np.zeros(2, dtype=np.float32).tobytes())
    assert names(grouped([wording("a", None), wording("b", None), silent], MIDDLE)) == [["a"], ["b"], ["z"]]
    assert grouped([], MIDDLE) == []


def test_what_is_put_aside_takes_later_questions_along() -> None:
    asked = [wording("new", 0.2, count=9), wording("aside", 0.0, dismissed=True)]
    assert names(grouped(asked, MIDDLE)) == [["aside", "new"]]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 6.28), st.integers(1, 3), st.booleans()), max_size=12), st.randoms())
def test_groups_are_parts_of_the_whole_in_whatever_order(
    asked: list[tuple[float, int, bool]], chance: random.Random
) -> None:
    wordings = [wording(f"q{n:02}", angle, count, aside) for n, (angle, count, aside) in enumerate(asked)]
    groups = names(grouped(wordings, MIDDLE))
    assert sorted(name for group in groups for name in group) == [one.question for one in wordings]
    chance.shuffle(wordings)
    assert names(grouped(wordings, MIDDLE)) == groups


def test_the_same_words_are_one_wording() -> None:
    def asked(id_: str, question: str, hours: int, down: int = 0, dismissed: bool = False) -> OpenQuestion:
        embedder = "e" if id_ == "old" else None
        vector = b"v" if embedder else None
        return OpenQuestion(id_, question, "en", NOW - timedelta(hours=hours), down, embedder, vector, dismissed)

    found = wordings_of(
        [
            asked("new", "  do you SELL ladders", 0),
            asked("old", "Do you sell ladders?", 5, 2, True),
            asked("c", "???", 6),
        ],
        "e",
    )
    assert [one.answer_ids for one in found] == [("new", "old"), ("c",)]
    assert (found[0].question, found[0].down, found[0].dismissed, found[0].vector) == (
        "do you SELL ladders",
        2,
        True,
        b"v",
    )
    assert wordings_of([asked("old", "Do you sell ladders?", 5)], "another")[0].vector is None


def ask(desks: Desks, *questions: str, reader: Reader = CUSTOMER) -> list[str]:
    return [desks.services.desk().ask(question, reader).id for question in questions]


SAME = ("What is the weather on Mars?", "How is the weather on Mars today?", "what is the weather on mars")
OTHER = "Who won the cricket match?"


def test_questions_without_an_answer_are_grouped_by_meaning(desks: Desks) -> None:
    asked = ask(desks, *SAME, OTHER, "Within how many days can I return a lamp?")
    desks.services.store.feedback.put(asked[4], "x", Vote(good=False))
    found = desks.services.gaps.overview("shop", EDITOR)
    assert (found.count, found.aside, found.unread) == (3, 0, 0)
    assert set(found.gaps[0].answer_ids) == set(asked[:3])
    assert {gap.wordings[0].question for gap in found.gaps[1:]} == {OTHER, "Within how many days can I return a lamp?"}
    (unhelpful,) = [gap for gap in found.gaps if gap.down]
    assert unhelpful.nearest
    assert unhelpful.nearest.id == "returns"


def test_what_is_put_aside_stays_there_with_what_is_asked_like_it(desks: Desks) -> None:
    ask(desks, SAME[0], OTHER)
    gaps = desks.services.gaps
    mars = next(gap for gap in gaps.overview("shop", EDITOR).gaps if "Mars" in gap.wordings[0].question)
    gaps.put_aside(mars)
    ask(desks, SAME[1])
    assert [gap.wordings[0].question for gap in gaps.overview("shop", EDITOR).gaps] == [OTHER]
    aside = gaps.overview("shop", EDITOR, aside=True)
    assert (aside.count, aside.aside) == (1, 1)
    assert {one.question for one in aside.gaps[0].wordings} == set(SAME[:2])
    gaps.put_aside(aside.gaps[0], aside=False)
    assert gaps.overview("shop", EDITOR).count == 2


def test_many_questions_are_left_to_a_worker(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.services.gaps.AT_ONCE", 1)
    ask(desks, *SAME, OTHER)
    gaps = desks.services.gaps
    before = gaps.overview("shop", EDITOR)
    assert (before.count, before.unread) == (3, 3)
    told: list[tuple[str, int, int]] = []
    result = run(desks.services, "shop", {}, lambda *where: told.append(where))
    assert result == {"questions": 3}
    assert told == [("comparing", 0, 3), ("comparing", 3, 3)]
    after = gaps.overview("shop", EDITOR)
    assert (after.count, after.unread) == (2, 0)


def test_questions_to_pages_that_are_closed_to_the_editor_are_no_gaps_of_theirs(desks: Desks) -> None:
    """P04: neither the question of an answer that cites such a page, nor that page's name as the nearest."""
    member = Reader(groups=frozenset({"staff"}))
    (secret,) = ask(desks, "What discount do members of staff get on lamps?", reader=member)
    desks.services.store.feedback.put(secret, "x", Vote(good=False))
    assert desks.services.gaps.overview("shop", EDITOR).count == 0
    insider = Reader(Role.EDITOR, frozenset({"staff"}))
    assert desks.services.gaps.overview("shop", insider).count == 1


def test_erased_questions_are_no_gaps(desks: Desks) -> None:
    (one,) = ask(desks, OTHER)
    assert desks.services.gaps.overview("shop", EDITOR).count == 1
    desks.services.history.erase(one)
    assert desks.services.gaps.overview("shop", EDITOR).count == 0


def test_wordings_are_proposed_for_the_golden_set(desks: Desks) -> None:
    ask(desks, *SAME[:2])
    gaps = desks.services.gaps
    gaps.propose("shop", gaps.overview("shop", EDITOR).gaps[0])
    proposals, _ = desks.services.golden.proposals("shop")
    assert {one.question for one in proposals} == set(SAME[:2])
    assert {one.origin for one in proposals} == {"gap"}


def test_a_page_begins_with_the_question(desks: Desks) -> None:
    ask(desks, 'Do you sell "green": lamps?')
    text = page_for(desks.services.gaps.overview("shop", EDITOR).gaps[0])
    assert text.startswith('---\ntitle: "Do you sell \\"green\\": lamps?"\n')
    (desks.shop / "green.md").write_text(text + "Yes, one.\n", encoding="utf-8")
    documents = {one.title: one for one in desks.services.desk().files().documents}
    assert 'Do you sell "green": lamps?' in documents


def test_no_more_than_the_newest_are_looked_at() -> None:
    assert MOST == 2000


def test_a_draft_forgets_a_question_when_the_last_who_asked_it_is_erased(desks: Desks) -> None:
    services, desk = desks.services, desks.services.desk()
    question = 'Who "repairs" brass lanterns in Khulna?'
    ids = [desk.ask(question, CUSTOMER).id for _ in range(2)]
    editor = services.accounts.of_session(
        services.accounts.accept(services.accounts.invite("ed@x", Role.EDITOR), "", "p" * 20)
    )
    assert editor
    gap = next(one for one in services.gaps.overview("shop", EDITOR).gaps if one.wordings[0].question == question)
    draft = services.gaps.write(gap, desk, editor)
    services.drafts.change(draft, desk, draft.text + "We do, in a week.\n", draft.path)
    services.history.erase(ids[0])
    kept = services.drafts.get(draft.id, editor)
    assert kept
    assert question in kept.text, "somebody else asked it too"
    services.history.erase(ids[1])
    left = services.drafts.get(draft.id, editor)
    assert left
    assert left.questions == ()
    assert not {"lanterns", "Khulna", "khulna"} & set(re.findall(r"\w+", left.text + left.path))
    assert "We do, in a week." in left.text
