"""Groups decide which pages are evidence: on the college's handbook, and from one question to the next."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Desks, make_settings
from tests.services.test_again import edit
from webapp.core.retrieval.model import Reader, Role
from webapp.paths import shared
from webapp.services.desk import Desk
from webapp.services.root import Services

STUDENT = Reader(groups=frozenset({"students"}))
TEACHER = Reader(groups=frozenset({"staff"}))
STAFF_PAGES = {"hb-invigilation", "hb-moderation"}


@pytest.fixture
def handbook(tmp_path: Path) -> Iterator[Desk]:
    shutil.copytree(shared("corpus") / "handbook", tmp_path / "corpus" / "handbook")
    services = Services.open(make_settings(tmp_path, collection="handbook"))
    yield services.desk()
    services.close()


def evidence(desk: Desk, question: str, reader: Reader) -> set[str]:
    return {chunk.document_id for chunk in desk.ask(question, reader).retrieved}


def test_a_student_and_a_teacher_get_different_evidence(handbook: Desk) -> None:
    question = "How many sessions does a teacher invigilate?"
    taught, asked = handbook.ask(question, TEACHER), handbook.ask(question, STUDENT)
    assert "hb-invigilation" in {one.document_id for one in taught.citations}
    assert asked.abstained
    assert STAFF_PAGES.isdisjoint(chunk.document_id for chunk in asked.retrieved)
    assert STAFF_PAGES.isdisjoint(page.document_id for page in asked.nearest)
    assert evidence(handbook, "What attendance is needed for exams?", STUDENT) > {"hb-attendance"}


def test_a_role_opens_no_group(handbook: Desk) -> None:
    """Agents and administrators see a group's pages only where the collection says so, which this one doesn't."""
    for role in Role:
        assert STAFF_PAGES.isdisjoint(one.id for one in handbook.documents(Reader(role)))
        assert STAFF_PAGES.isdisjoint(evidence(handbook, "Who moderates question papers?", Reader(role)))


def test_a_changed_audience_counts_from_the_next_question(desks: Desks) -> None:
    desk, question = desks.services.desk(), "Which discount do members of staff get?"
    assert "discounts" not in evidence(desk, question, Reader())
    edit(desks, "discounts.md", "audience: staff", "audience: public")
    opened = desk.ask(question, Reader())
    assert "discounts" in {chunk.document_id for chunk in opened.retrieved}
    edit(desks, "discounts.md", "audience: public", "audience: staff")
    assert "discounts" not in evidence(desk, question, Reader())
    assert desks.services.answer(opened.id, Reader()) is None or opened.abstained
