from __future__ import annotations

import pytest

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Document
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.labels import LabelProblem, Searcher, check_label, check_questions, label_of, text_of
from webapp.core.evaluation.questions import Label, Place, Question

LAMPS = """---
id: lamps
---
## Returning
You can return a lamp within 45 days
of delivery for a full refund.

## Bulbs
Every lamp takes an **E14** bulb.
"""


def page(text: str, name: str = "lamps", **head: str) -> Document:
    lines = "".join(f"{key}: {value}\n" for key, value in head.items())
    return document_from_bytes(
        text.replace("id: lamps\n", f"id: {name}\n{lines}").encode(), f"{name}.md", CollectionConfig()
    )


def test_a_label_that_holds_has_a_place() -> None:
    for label in (Label(document="lamps", lines=(9, 9)), Label(document="lamps", fact="takes an E14 bulb")):
        checked = check_label(label, page(LAMPS))
        assert (checked.place, checked.problem) == (Place("lamps", 9, 9), None)


@pytest.mark.parametrize(
    ("label", "document", "problem"),
    [
        (Label(document="lamps", fact="E14"), None, LabelProblem.NO_DOCUMENT),
        (Label(document="lamps", fact="E14"), page(LAMPS, status="superseded"), LabelProblem.NOT_CURRENT),
        (Label(document="lamps", fact="E27"), page(LAMPS), LabelProblem.NO_FACT),
        (Label(document="lamps", lines=(9, 10)), page(LAMPS), LabelProblem.NO_LINES),
    ],
)
def test_a_label_that_no_longer_holds_says_why(label: Label, document: Document | None, problem: LabelProblem) -> None:
    checked = check_label(label, document)
    assert (checked.place, checked.problem) == (None, problem)


def test_a_question_with_one_label_left_is_broken_and_still_scored() -> None:
    labels = (Label(document="lamps", fact="E14"), Label(document="gone", fact="E14"))
    asked = [
        Question(id="a", question="Which bulb?", answerable=True, labels=labels),
        Question(id="b", question="Which bulb?", answerable=True, labels=labels[1:]),
        Question(id="c", question="Which cheese?", answerable=False),
    ]
    checked = check_questions(asked, [page(LAMPS)])
    assert [(one.broken, one.scored) for one in checked] == [(True, True), (True, False), (False, True)]


def test_a_label_of_lines_keeps_their_words_and_follows_them() -> None:
    label = label_of(page(LAMPS), 5, 6)
    assert label.fact == "You can return a lamp within 45 days of delivery for a full refund."
    longer = page(LAMPS.replace("## Returning", "## About\nWe sell lamps.\n\n## Returning"))
    assert check_label(label, longer).place == Place("lamps", 8, 9)


def test_a_label_of_some_words_keeps_the_lines_that_hold_them() -> None:
    label = label_of(page(LAMPS), 5, 9, "  takes an\nE14 bulb ")
    assert (label.lines, label.fact) == ((9, 9), "takes an E14 bulb")


@pytest.mark.parametrize(
    ("first", "last", "fact"), [(1, 2, ""), (7, 7, ""), (9, 10, ""), (6, 5, ""), (0, 0, ""), (5, 6, "E14")]
)
def test_lines_that_say_nothing_are_no_label(first: int, last: int, fact: str) -> None:
    with pytest.raises(ValueError, match="these"):
        label_of(page(LAMPS), first, last, fact)


def test_a_changed_text_is_found_where_it_stands() -> None:
    changed = page(LAMPS.replace("45 days", "60 days"))
    label = Label(document="lamps", fact="return a lamp within 45 days of delivery")
    assert Searcher([changed]).suggest(label, label.fact or "") == Place("lamps", 5, 6)


def test_a_text_is_looked_for_in_what_replaces_its_page_first() -> None:
    old = page(LAMPS, "old", status="superseded", superseded_by="lamps")
    copy = page(LAMPS, "a-copy")
    label = Label(document="old", fact="Every lamp takes an E14 bulb")
    assert Searcher([copy, page(LAMPS), old]).suggest(label, label.fact or "") == Place("lamps", 9, 9)


def test_a_text_whose_page_is_gone_is_looked_for_everywhere() -> None:
    label = Label(document="gone", fact="Every lamp takes an E14 bulb")
    assert Searcher([page(LAMPS)]).suggest(label, label.fact or "") == Place("lamps", 9, 9)


@pytest.mark.parametrize("text", ["", " – ", "the spring term begins in March"])
def test_nothing_is_suggested_for_what_is_nowhere(text: str) -> None:
    assert Searcher([page(LAMPS)]).suggest(Label(document="lamps", lines=(90, 91)), text) is None


def test_the_text_of_lines_is_folded() -> None:
    assert text_of(page(LAMPS), 5, 6) == "You can return a lamp within 45 days of delivery for a full refund."
