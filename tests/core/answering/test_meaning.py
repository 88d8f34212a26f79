from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from webapp.core.answering.meaning import FLOORS, scorer_for
from webapp.core.retrieval.embedders.base import Vectors


class Letters:
    """Embeds a text as the letters it begins with."""

    dim = 2

    def __init__(self, name: str) -> None:
        self.name = name

    def query(self, texts: Sequence[str]) -> Vectors:
        return np.array([[text[0] == "a", text[0] == "b"] for text in texts], dtype=np.float32)

    passages = query


def test_an_embedder_whose_floor_is_known_scores():
    scorer = scorer_for(Letters("e5-small"))
    assert scorer is not None
    assert scorer.floor == FLOORS["e5-small"]
    assert list(scorer.similarity("ax", ["ay", "bz"])) == pytest.approx([1, 0])


def test_another_one_does_not():
    assert scorer_for(Letters("unknown")) is None
