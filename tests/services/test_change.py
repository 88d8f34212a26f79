"""What would a change of a page change? Which answers differ, how, and that nothing else is touched."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.conftest import Desks
from webapp.core.evaluation.questions import Label, Question
from webapp.services.change import ChangeKind, Tried, to_try, what_would_change
from webapp.store.asked import Asked

RETURN = "Within how many days can I return a lamp?"
OPEN = "On which day does the shop close early?"


def change(desks: Desks, path: str, text: str, *questions: str, golden: tuple[Question, ...] = ()) -> dict[str, Any]:
    """What a file that says this would change, for these questions."""
    tried = to_try(golden, [Asked(one, "en", 2, datetime.now(UTC)) for one in questions], 200)
    return what_would_change(desks.services.desk(), path, text.encode(), tried, lambda *_: None)


def said(desks: Desks, name: str) -> str:
    return (desks.shop / name).read_text(encoding="utf-8")


def test_each_change_has_its_kind_and_both_sides(desks: Desks) -> None:
    found = change(desks, "returns.md", said(desks, "returns.md").replace("45 days", "60 days"), RETURN, OPEN)
    [one] = found["changes"]
    assert (one["kind"], one["question"], one["times"]) == (ChangeKind.TEXT, RETURN, 2)
    assert "45 days" in one["before"]["answer"]
    assert "60 days" in one["after"]["answer"]
    assert one["after"]["citations"][0]["document_id"] == "returns"


def test_an_answer_that_goes_and_one_that_comes(desks: Desks) -> None:
    gone = change(desks, "returns.md", said(desks, "returns.md").replace("current", "withdrawn"), RETURN)
    assert [one["kind"] for one in gone["changes"]] == [ChangeKind.ABSTAINS]
    page = "---\ntitle: Hours\n---\n## When the shop closes\nOn Friday the shop closes early, at two o'clock.\n"
    comes = change(desks, "hours.md", page, OPEN)
    assert [one["kind"] for one in comes["changes"]] == [ChangeKind.ANSWERED]
    assert comes["document_id"] == "hours"


def test_lines_that_only_move_change_nothing(desks: Desks) -> None:
    moved = said(desks, "returns.md").replace("lang: en", "lang: en\nupdated: 2026-11-30")
    assert change(desks, "returns.md", moved, RETURN)["changes"] == []


def test_nothing_is_served_or_kept_of_it(desks: Desks) -> None:
    desk = desks.services.desk()
    live, files = desk.live().manifest.id, sorted(desks.shop.rglob("*"))
    change(desks, "new.md", "# New\n\nWords of a page that nobody has written.\n", RETURN)
    assert desk.live().manifest.id == live
    assert len(desk.versions()) == 1
    assert sorted(desks.shop.rglob("*")) == files
    assert desks.services.store.asked.most_asked("shop", 10) == []


def test_labels_that_are_lines_move_with_them(desks: Desks) -> None:
    golden = (Question(id="q", question=RETURN, answerable=True, labels=(Label(document="returns", lines=(10, 10)),)),)
    moved = said(desks, "returns.md").replace("lang: en", "lang: en\nupdated: 2026-11-30")
    figures = change(desks, "returns.md", moved, golden=golden)["figures"]
    assert [(one["before"], one["after"], one["fell"]) for one in figures[:2]] == [(1, 1, False)] * 2


def test_each_question_is_tried_once() -> None:
    golden = (Question(id="q", question="When do you open?", answerable=False),)
    asked = [Asked(one, "en", 3, datetime.now(UTC)) for one in ("when do you  OPEN?", "Where?", "Who?", "Why?")]
    tried = to_try(golden, asked, 2, ["Where?"])
    assert tried == [
        Tried("When do you open?", None, golden=golden[0]),
        Tried("Where?"),
        Tried("Who?", "en", 3),
        Tried("Why?", "en", 3),
    ]
