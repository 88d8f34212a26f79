"""Example questions: what nothing answers any more is not suggested."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from tests.conftest import Desks
from tests.services.test_root import CUSTOMER, edit
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.chosen import embedder_of
from webapp.core.retrieval.embedders.base import Embedder, Vectors
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


def test_an_example_goes_with_the_last_day_of_its_page(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    class Tomorrow(date):
        @classmethod
        def today(cls) -> date:  # type: ignore[override]
            return date.today() + timedelta(days=1)

    desk = with_examples(desks)
    edit(desks, "bulbs.md", "status: current", f"status: current\nvalid_until: {date.today()}")
    assert desk.examples(CUSTOMER, "en") == (RETURN, SOCKET)
    for module in ("core.retrieval.visibility", "services.examples"):
        monkeypatch.setattr(f"webapp.{module}.date", Tomorrow)
    assert desk.examples(CUSTOMER, "en") == (RETURN,)


def test_an_example_is_for_those_who_may_see_its_page(desks: Desks) -> None:
    desk = with_examples(desks)
    edit(desks, "bulbs.md", "status: current", "status: current\naudience: staff")
    assert desk.examples(CUSTOMER, "en") == (RETURN,)
    assert desk.examples(Reader(groups=frozenset({"staff"})), "en") == (RETURN, SOCKET)


def test_all_are_shown_when_nobody_can_tell(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(version: IndexVersion, question: str, reader: Reader, embedder: Embedder) -> bool:
        raise PartUnavailable("the embedder is away")

    monkeypatch.setattr("webapp.services.examples._has_evidence", away)
    assert with_examples(desks).examples(CUSTOMER, "en") == (RETURN, SOCKET)


def test_a_language_without_examples_has_none(desks: Desks) -> None:
    assert with_examples(desks).examples(CUSTOMER, "bn") == ()


class Reading:
    """An embedder that notes what it reads, and takes its time."""

    def __init__(self, embedder: Embedder, read: list[str]) -> None:
        self.name, self.dim, self.passages = embedder.name, embedder.dim, embedder.passages
        self._query, self._read = embedder.query, read

    def query(self, texts: Sequence[str]) -> Vectors:
        time.sleep(0.05)
        self._read.extend(texts)
        return self._query(texts)


def test_one_finds_out_for_all_and_reads_no_example_again_for_a_new_version(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr("webapp.services.examples.embedder_of", lambda manifest: Reading(embedder_of(manifest), read))
    desk = with_examples(desks)
    desk.index()
    shown: list[tuple[str, ...]] = []
    readers = [threading.Thread(target=lambda: shown.append(desk.examples(CUSTOMER, "en"))) for _ in range(6)]
    for one in readers:
        one.start()
    for one in readers:
        one.join()
    assert shown == [(RETURN, SOCKET)] * 6
    edit(desks, "bulbs.md", "status: current", "status: withdrawn")
    assert desk.examples(CUSTOMER, "en") == (RETURN,)
    assert read == [RETURN, SOCKET]


def test_nobody_waits_long_for_who_is_finding_out(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = with_examples(desks)
    monkeypatch.setattr("webapp.services.examples._PATIENCE", 0.01)
    edit(desks, "bulbs.md", "status: current", "status: withdrawn")
    with desk._examples._finding_out:
        assert desk.examples(CUSTOMER, "en") == (RETURN, SOCKET)
    assert desk.examples(CUSTOMER, "en") == (RETURN,)
    with desk._examples._finding_out:
        assert desk.examples(CUSTOMER, "en") == (RETURN,), "what is known needs nobody to find it out"
