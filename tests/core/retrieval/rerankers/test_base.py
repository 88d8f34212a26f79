from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from webapp.core.registry import PartUnavailable, UnknownPart
from webapp.core.retrieval.rerankers.base import Scores, load_reranker, new_order, rerankers


class ByLength:
    """Longer passages are better."""

    first = 10

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        return np.array([len(passage) for passage in passages], dtype=np.float32)


def test_the_best_come_first_and_equals_stay_in_order() -> None:
    assert new_order(ByLength(), "?", ["a", "ccc", "bb", "ddd"]) == [1, 3, 2, 0]
    assert new_order(ByLength(), "?", ["a"]) == [0]
    assert new_order(ByLength(), "?", []) == []


def test_none_is_no_reranker() -> None:
    assert load_reranker("none", {}) is None


def test_an_unknown_reranker_is_named_with_those_that_exist() -> None:
    with pytest.raises(UnknownPart, match="none, onnx-cross-encoder"):
        load_reranker("best", {})


def test_every_reranker_describes_itself() -> None:
    for part in rerankers.all():
        assert part.description
        assert all(field.description for field in part.options.model_fields.values())


class Fixed:
    """Gives the same scores whatever it is asked."""

    first = 10

    def __init__(self, *scores: float) -> None:
        self._scores = np.array(scores, dtype=np.float32)

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        return self._scores


@pytest.mark.parametrize("wrong", [Fixed(1, np.nan), Fixed(1, np.inf), Fixed(1), Fixed(1, 2, 3)])
def test_scores_that_are_no_numbers_are_refused(wrong: Fixed) -> None:
    with pytest.raises(PartUnavailable, match="the reranker gave scores that are no numbers, or too few"):
        new_order(wrong, "?", ["a", "b"])
