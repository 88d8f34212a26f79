"""An old question today: asked for the same kind of reader, kept nowhere, and what differs is named."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from tests.conftest import Desks
from tests.store.test_answers import answer, citation
from webapp.core.answering.model import Answer, Reason
from webapp.core.retrieval.model import Reader, Role
from webapp.services.again import Difference, ask_again, difference
from webapp.services.model import Record

AGENT = Reader(Role.AGENT)
QUESTION = "Within how many days can I return a lamp?"


def recorded(desks: Desks, question: str, asker: Reader, reader: Reader) -> Record:
    record = desks.services.record(desks.services.desk().ask(question, asker).id, reader)
    assert record
    return record


def edit(desks: Desks, name: str, old: str, new: str) -> None:
    text = (desks.shop / name).read_text(encoding="utf-8")
    assert old in text
    (desks.shop / name).write_text(text.replace(old, new), encoding="utf-8")


def count(desks: Desks) -> int:
    with sa.create_engine(desks.settings.database).connect() as connection:
        return int(connection.execute(sa.text("SELECT count(*) FROM answers")).scalar_one())


def test_nothing_differs_while_nothing_changes_and_nothing_is_kept(desks: Desks) -> None:
    record = recorded(desks, QUESTION, Reader(), AGENT)
    kept = count(desks)
    again = ask_again(desks.services.desk(), record, AGENT)
    assert again.differs is Difference.SAME
    assert again.answer.statements == record.answer.statements
    assert count(desks) == kept == 1


def test_an_edited_page_gives_other_words(desks: Desks) -> None:
    record = recorded(desks, QUESTION, Reader(), AGENT)
    edit(desks, "returns.md", "within 45 days", "within 60 days")
    again = ask_again(desks.services.desk(), record, AGENT)
    assert again.differs is Difference.WORDS
    assert "60 days" in again.answer.answer


def test_a_withdrawn_page_leaves_no_answer(desks: Desks) -> None:
    record = recorded(desks, QUESTION, Reader(), AGENT)
    edit(desks, "returns.md", "status: current", "status: withdrawn")
    assert ask_again(desks.services.desk(), record, AGENT).differs is Difference.ABSTAINS


def test_it_is_asked_with_the_groups_of_whoever_asked(desks: Desks) -> None:
    colleague = Reader(Role.CUSTOMER, frozenset({"staff"}))
    insider = Reader(Role.AGENT, frozenset({"staff"}))
    question = "Which discount do members of staff get?"
    record = recorded(desks, question, colleague, insider)
    assert record.reader_groups == frozenset({"staff"})
    assert ask_again(desks.services.desk(), record, insider).differs is Difference.SAME
    outside = recorded(desks, question, Reader(), insider)
    assert "discounts" not in [
        one.document_id for one in ask_again(desks.services.desk(), outside, insider).answer.retrieved
    ]


def test_an_answer_from_a_page_closed_to_the_agent_is_not_shown(desks: Desks) -> None:
    edit(desks, "discounts.md", "audience: staff", "audience: public")
    record = recorded(
        desks, "Which discount do members of staff get?", Reader(Role.CUSTOMER, frozenset({"staff"})), AGENT
    )
    assert not record.answer.abstained
    edit(desks, "discounts.md", "audience: public", "audience: staff")
    again = ask_again(desks.services.desk(), record, AGENT)
    assert again.closed
    assert "30 percent" not in again.answer.model_dump_json()


@pytest.mark.parametrize(
    ("then", "now", "differs"),
    [
        ({}, {}, Difference.SAME),
        ({}, {"answer": "Within  30\ndays."}, Difference.SAME),
        ({}, {"answer": "Within 45 days."}, Difference.WORDS),
        ({}, {"citations": (citation(1, "other"),)}, Difference.SOURCES),
        ({}, {"citations": (citation(1).model_copy(update={"first_line": 9, "last_line": 9}),)}, Difference.SAME),
        ({}, {"citations": (citation(1).model_copy(update={"version": "4"}),)}, Difference.SOURCES),
        ({}, {"answer": "No.", "citations": (citation(1, "other"),)}, Difference.ANSWER),
    ],
)
def test_words_and_sources_are_compared_apart(then: dict[str, Any], now: dict[str, Any], differs: Difference) -> None:
    assert difference(answer("one", citation(), **then), answer("two", citation(), **now)) is differs


def test_answers_and_abstentions() -> None:
    given, none = answer("one", citation()), answer("two")
    weak: Answer = answer("three", reason=Reason.WEAK_EVIDENCE)
    assert difference(given, none) is Difference.ABSTAINS
    assert difference(none, given) is Difference.ANSWERS
    assert difference(none, none) is Difference.SAME
    assert difference(none, weak) is Difference.REASON
