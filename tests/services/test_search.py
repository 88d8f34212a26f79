"""Staff's search: every status, inside what the reader may see, exact filters, matched lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

import pytest

from tests.conftest import Desks
from webapp.core.documents.model import Status
from webapp.core.retrieval.model import Query, Reader, Role
from webapp.services.desk import Desk
from webapp.services.search import PAGE, Found, Passage, Passed, Wanted, passed_over, search_documents

AGENT = Reader(Role.AGENT)
COLLEAGUE = Reader(Role.AGENT, frozenset({"staff"}))


@pytest.fixture
def shop(shared_desks: Desks) -> Desk:
    return shared_desks.services.desk()


def found(desk: Desk, words: str = "", reader: Reader = AGENT, **wanted: object) -> list[str]:
    """The ids of what is found."""
    results = search_documents(desk, reader, Wanted(words, **wanted))  # type: ignore[arg-type]
    assert results.count == len(results.found)
    return [one.document.id for one in results.found]


def first(desk: Desk, words: str, reader: Reader = AGENT) -> Found:
    return search_documents(desk, reader, Wanted(words)).found[0]


def reasons(passed: Iterable[Passed]) -> list[tuple[str, str]]:
    return [(one.document.id, one.why) for one in passed]


def marked(passage: Passage) -> list[str]:
    return [passage.text[start:end] for start, end in passage.marks]


def test_without_words_every_document_the_reader_may_see_is_listed_by_title(shop: Desk) -> None:
    assert found(shop) == ["bulbs", "delivery", "plans", "returns", "returns-1"]
    assert found(shop, reader=COLLEAGUE) == ["bulbs", "delivery", "discounts", "plans", "returns", "returns-1"]


@pytest.mark.parametrize("meaning", [True, False])
def test_drafts_and_superseded_pages_are_found_by_their_words(shop: Desk, meaning: bool) -> None:
    assert found(shop, "Sylhet", meaning=meaning)[0] == "plans"
    assert set(found(shop, "return a lamp", meaning=meaning)) >= {"returns", "returns-1"}


def test_it_finds_by_meaning_what_holds_none_of_the_words(shop: Desk) -> None:
    assert "delivery" in found(shop, "postage fee")
    assert found(shop, "postage fee", meaning=False) == []


def test_a_match_names_its_lines_and_marks_the_words(shop: Desk) -> None:
    (passage,) = first(shop, "brightest socket").passages[:1]
    assert (passage.first_line, passage.last_line) == (10, 10)
    assert passage.text == "Every desk lamp takes a bulb with an E14 socket." or "brightest" in marked(passage)
    assert set(marked(passage)) & {"socket", "brightest"}


def test_a_word_forgiven_a_typo_is_marked_as_it_is_written(shop: Desk) -> None:
    assert marked(first(shop, "Sylhat").passages[0]) == ["Sylhet"]


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (Wanted(status=Status.DRAFT), ["plans"]),
        (Wanted("lamp", status=Status.SUPERSEDED), ["returns-1"]),
        (Wanted("lamp", version="2"), ["returns"]),
        (Wanted(lang="bn"), []),
        (Wanted(audience="staff"), ["discounts"]),
        (Wanted("discount", audience="staff"), ["discounts"]),
        (Wanted("discount", audience="nobody"), []),
    ],
)
def test_filters_are_exact(shop: Desk, wanted: Wanted, ids: list[str]) -> None:
    for meaning in (True, False):
        results = search_documents(shop, COLLEAGUE, replace(wanted, meaning=meaning))
        assert [one.document.id for one in results.found] == ids


def test_closed_pages_are_neither_found_nor_offered_as_a_choice(shop: Desk) -> None:
    for words in ("discount", "staff", "30 percent", ""):
        results = search_documents(shop, AGENT, Wanted(words))
        assert "discounts" not in [one.document.id for one in results.found]
        assert results.choices.audiences == ("public",)
    assert search_documents(shop, COLLEAGUE, Wanted()).choices.audiences == ("public", "staff")


def test_choices_are_what_there_is(shop: Desk) -> None:
    choices = search_documents(shop, AGENT, Wanted()).choices
    assert choices.statuses == (Status.CURRENT, Status.DRAFT, Status.SUPERSEDED)
    assert (choices.langs, choices.versions) == (("en",), ("1", "2"))


def test_pages_hold_so_many_documents_and_no_more(desks: Desks) -> None:
    for number in range(PAGE + 3):
        head = f"---\nid: more-{number}\ntitle: More {number:02}\nstatus: current\nlang: en\n---\n\n"
        (desks.shop / f"more-{number}.md").write_text(f"{head}## Lamps\nLamp {number}.\n", encoding="utf-8")
    desk = desks.services.desk()
    pages = [search_documents(desk, AGENT, Wanted(page=number)) for number in (1, 2, 3)]
    assert [len(one.found) for one in pages] == [PAGE, pages[0].count - PAGE, 0]


def test_what_an_asker_was_not_shown_is_named_with_the_reason(shop: Desk) -> None:
    query = Query("Within how many days can I return a lamp?", "en")
    assert reasons(passed_over(shop, query, AGENT, 0.0))[0] == ("returns-1", "status")
    of_staff = Query("Which discount do members of staff get?", "en")
    assert ("discounts", "audience") in reasons(passed_over(shop, of_staff, COLLEAGUE, 0.0))
    assert "discounts" not in [one.document.id for one in passed_over(shop, of_staff, AGENT, 0.0)]
    bangla = replace(query, only_lang="bn")
    assert {one.why for one in passed_over(shop, bangla, AGENT, 0.0)} == {"filter", "status"}


def test_a_page_whose_time_is_over_says_so(desks: Desks) -> None:
    text = (desks.shop / "bulbs.md").read_text(encoding="utf-8")
    (desks.shop / "bulbs.md").write_text(
        text.replace("lang: en", "lang: en\nvalid_until: 2020-01-01"), encoding="utf-8"
    )
    query = Query("Which bulb fits a desk lamp?", "en", today=date(2026, 1, 1))
    assert ("bulbs", "expired") in reasons(passed_over(desks.services.desk(), query, AGENT, 0.0))


def test_what_comes_nowhere_near_is_not_named(shop: Desk) -> None:
    assert passed_over(shop, Query("Within how many days can I return a lamp?", "en"), AGENT, 9.0) == ()
