"""Example questions: what nothing answers any more is not suggested."""

from __future__ import annotations

import pytest

from tests.conftest import Desks
from tests.services.test_root import CUSTOMER, edit
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.index import IndexVersion
from webapp.core.retrieval.model import Reader
from webapp.services.desk import Desk

RETURN, SOCKET = "Within how many days can I return a lamp?", "Which socket does a desk lamp have?"


def with_examples(desks: Desks) -> Desk:
    settings = desks.shop / "collection.toml"
    settings.write_text(f'{settings.read_text("utf-8")}\n[examples]\nen = ["{RETURN}", "{SOCKET}"]\n', "utf-8")
    return desks.services.desk()


def test_an_example_goes_with_the_page_that_answered_it(desks: Desks) -> None:
    desk = with_examples(desks)
    assert desk.examples(CUSTOMER, "en") == (RETURN, SOCKET)
    edit(desks, "bulbs.md", "status: current", "status: withdrawn")
    assert desk.examples(CUSTOMER, "en") == (RETURN,)
    edit(desks, "bulbs.md", "status: withdrawn", "status: current")
    assert desk.examples(CUSTOMER, "en") == (RETURN, SOCKET)


def test_an_example_is_for_those_who_may_see_its_page(desks: Desks) -> None:
    desk = with_examples(desks)
    edit(desks, "bulbs.md", "status: current", "status: current\naudience: staff")
    assert desk.examples(CUSTOMER, "en") == (RETURN,)
    assert desk.examples(Reader(groups=frozenset({"staff"})), "en") == (RETURN, SOCKET)


def test_all_are_shown_when_nobody_can_tell(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(version: IndexVersion, question: str, reader: Reader) -> bool:
        raise PartUnavailable("the embedder is away")

    monkeypatch.setattr("webapp.services.examples._has_evidence", away)
    assert with_examples(desks).examples(CUSTOMER, "en") == (RETURN, SOCKET)


def test_a_language_without_examples_has_none(desks: Desks) -> None:
    assert with_examples(desks).examples(CUSTOMER, "bn") == ()
