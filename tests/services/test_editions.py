"""The states of one document through time, and who may see which."""

from __future__ import annotations

import pytest

from tests.conftest import Desks
from tests.services.test_again import AGENT, QUESTION, edit
from webapp.core.retrieval.model import Reader, Role
from webapp.services.editions import COPY, INDEX, NOW, PAGE, Editions, cited_pages

COLLEAGUE = Reader(Role.AGENT, frozenset({"staff"}))


def editions(desks: Desks, document_id: str, reader: Reader = AGENT) -> Editions:
    return Editions(desks.services.desk(), desks.services.store, document_id, reader)


def test_a_page_that_never_changed_has_one_edition_and_its_relatives(desks: Desks) -> None:
    desks.services.desk().ensure_index()
    keys = [one.key for one in editions(desks, "returns").all()]
    assert keys == [NOW, f"{PAGE}returns-1"]
    assert [one.key for one in editions(desks, "bulbs").all()] == [NOW]


def test_every_state_that_differs_is_there_once_newest_first(desks: Desks) -> None:
    desk = desks.services.desk()
    desk.ask(QUESTION, Reader())
    for days in ("60", "90"):
        edit(desks, "returns.md", "lamp within 45" if days == "60" else "lamp within 60", f"lamp within {days}")
        desk.ask(QUESTION, Reader())
    found = editions(desks, "returns").all()
    assert ["90" in found[0].text, "60" in found[1].text, "45" in found[2].text] == [True] * 3
    assert found[0].key == NOW
    assert {one.key.split(":")[0] + ":" for one in found[1:3]} <= {INDEX, COPY}
    assert found[3].key == f"{PAGE}returns-1"
    assert all(one.since for one in found[1:3])


def test_a_copy_outlives_the_index_version_it_came_from(desks: Desks) -> None:
    desk = desks.services.desk()
    record = desks.services.record(desk.ask(QUESTION, Reader()).id, AGENT)
    assert record
    (page,) = cited_pages(desk, desks.services.store, record).values()
    copy = editions(desks, "returns").get(page.key)
    assert copy
    assert copy.text == page.then == page.now
    assert editions(desks, "delivery").get(page.key) is None, "a copy of another page"


@pytest.mark.parametrize("key", [NOW, f"{PAGE}discounts", f"{COPY}none", f"{INDEX}none", "nonsense"])
def test_what_is_closed_or_made_up_is_none(desks: Desks, key: str) -> None:
    assert editions(desks, "discounts").get(key) is None


def test_a_page_that_was_closed_stays_closed_in_its_old_states(desks: Desks) -> None:
    desks.services.desk().ensure_index()
    edit(desks, "discounts.md", "audience: staff", "audience: public")
    desks.services.desk().ensure_index()
    assert [one.key for one in editions(desks, "discounts").all()] == [NOW]
    assert len(editions(desks, "discounts", COLLEAGUE).all()) == 2


def test_pages_that_replace_each_other_in_a_ring_end(desks: Desks) -> None:
    edit(desks, "returns.md", "lang: en", "lang: en\nsuperseded_by: returns-1")
    assert [one.document_id for one in editions(desks, "returns").all()] == ["returns", "returns-1"]
