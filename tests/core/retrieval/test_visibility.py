from dataclasses import replace
from datetime import date

import pytest

from webapp.core.documents.model import Status
from webapp.core.retrieval.model import Query, Reader, Role
from webapp.core.retrieval.visibility import Access, may_retrieve, may_see

OPEN = Access(Status.CURRENT, "en", frozenset({"public"}), None, (("product", "bike"),))
ASKED = Query("?", "en", today=date(2025, 6, 1))


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.CURRENT])
def test_only_current_documents_are_evidence(status: Status) -> None:
    assert may_retrieve(OPEN, ASKED, False)
    assert not may_retrieve(replace(OPEN, status=status), ASKED, False)


def test_a_document_is_evidence_up_to_and_on_its_last_day() -> None:
    assert may_retrieve(replace(OPEN, valid_until=date(2025, 6, 1)), ASKED, False)
    assert not may_retrieve(replace(OPEN, valid_until=date(2025, 5, 31)), ASKED, False)


@pytest.mark.parametrize(
    ("reader", "staff_see_groups", "may"),
    [
        (Reader(), True, False),
        (Reader(groups=frozenset({"staff"})), False, True),
        (Reader(Role.AGENT), False, False),
        (Reader(Role.AGENT), True, True),
        (Reader(Role.ADMIN), False, False),
        (Reader(Role.ADMIN, frozenset({"sales"})), False, False),
    ],
)
def test_who_sees_a_page_of_a_group(reader: Reader, staff_see_groups: bool, may: bool) -> None:
    assert may_see(frozenset({"staff"}), reader, staff_see_groups) is may
    closed = replace(OPEN, audience=frozenset({"staff"}))
    assert may_retrieve(closed, replace(ASKED, reader=reader), staff_see_groups) is may


def test_filters_are_exact() -> None:
    assert may_retrieve(OPEN, replace(ASKED, attributes={"product": "bike"}), False)
    assert not may_retrieve(OPEN, replace(ASKED, attributes={"product": "lamp"}), False)
    assert not may_retrieve(OPEN, replace(ASKED, attributes={"borough": "north"}), False)
    assert not may_retrieve(OPEN, replace(ASKED, only_lang="bn"), False)


def test_an_access_survives_the_manifest() -> None:
    access = Access(Status.DRAFT, "bn", frozenset({"a", "b"}), date(2025, 1, 1), (("x", "1"), ("y", "2")))
    assert Access.from_json(access.as_json()) == access
