from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.core.retrieval.helpers import Hashing
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.known_questions import KnownQuestions, Meanings


class Counting(Hashing):
    """Notes the questions it is asked, and tells them from passages."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def query(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return -self.passages(texts)


def test_each_question_is_embedded_once_and_stays_a_question() -> None:
    embedder = Counting()
    known = KnownQuestions(embedder)
    first = known.query(["a", "b", "a"])
    assert np.array_equal(known.query(["b", "a"]), first[[1, 0]])
    assert np.array_equal(first, Counting().query(["a", "b", "a"]))
    assert embedder.asked == ["a", "b"]
    assert (known.name, known.dim) == (embedder.name, embedder.dim)


def test_a_folder_keeps_them_for_others_apart_from_passages(tmp_path: Path) -> None:
    first = KnownQuestions(Counting(), tmp_path).query(["a"])
    later = Counting()
    assert np.array_equal(KnownQuestions(later, tmp_path).query(["a"]), first)
    assert later.asked == []
    assert not np.array_equal(later.passages(["a"]), first)


def test_the_last_questions_are_embedded_once_for_readers_with_the_same_rights() -> None:
    embedder, meanings = Counting(), Meanings(most=2)
    first = meanings.known_to("reader", embedder).query(["a", "b", "a"])
    again = meanings.known_to("reader", embedder)
    assert np.array_equal(again.query(["a", "b", "a"]), first)
    assert np.array_equal(first, Counting().query(["a", "b", "a"]))
    assert embedder.asked == ["a", "b"]
    meanings.known_to("agent", embedder).query(["a"])
    assert embedder.asked == ["a", "b", "a"], "and nobody learns what others asked"
    again.query(["a"])
    assert embedder.asked == ["a", "b", "a", "a"], "of three, the one that was used longest ago is forgotten"
    assert (again.name, again.dim) == (embedder.name, embedder.dim)


def test_another_model_and_no_memory_read_every_question_themselves() -> None:
    class Another(Counting):
        name = "another"

    embedder, another, meanings = Counting(), Another(), Meanings(most=10)
    meanings.known_to("reader", embedder).query(["a"])
    meanings.known_to("reader", another).query(["a"])
    assert (embedder.asked, another.asked) == (["a"], ["a"])
    forgets = Meanings(most=0).known_to("reader", embedder)
    assert np.array_equal(forgets.query(["b"]), forgets.query(["b"]))
    assert embedder.asked == ["a", "b", "b"]
