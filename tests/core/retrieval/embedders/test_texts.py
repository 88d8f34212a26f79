from __future__ import annotations

import numpy as np
import pytest

from webapp.core.retrieval.embedders._texts import embedded, knows
from webapp.core.retrieval.embedders.base import Vectors

LATIN = ("LATIN",)


@pytest.mark.parametrize(
    ("scripts", "text", "known"),
    [
        (LATIN, "When do gift cards expire?", True),
        (LATIN, "Où est-ce que ça se passe, à Łódź?", True),
        (LATIN, "উপহার কার্ডের মেয়াদ কবে শেষ হয়?", False),
        (LATIN, "RD2-24 রিকল কী নিয়ে?", False),
        (LATIN, "What does ফেরত mean?", True),
        (LATIN, "Когда истекает срок карты?", False),
        (LATIN, "42?", True),
        (("LATIN", "BENGALI"), "RD2-24 রিকল কী নিয়ে?", True),
        ((), "উপহার কার্ড", True),
        (("CYRILLIC",), "gift card", False),
    ],
)
def test_a_model_reads_the_scripts_it_was_taught(scripts: tuple[str, ...], text: str, known: bool) -> None:
    assert knows(scripts, text) is known


def test_only_what_can_be_read_goes_to_the_model_with_its_prefix() -> None:
    seen: list[str] = []

    def encode(texts: list[str]) -> Vectors:
        seen.extend(texts)
        return np.ones((len(texts), 1), dtype=np.float32)

    vectors = embedded(["a card", " ", "কার্ড", "a\ud800"], "query: ", LATIN, 1, encode)
    assert vectors.tolist() == [[1], [0], [0], [1]]
    assert seen == ["query: a card", "query: a?"]


def test_nothing_to_read_doesn_t_wake_the_model() -> None:
    def encode(texts: list[str]) -> Vectors:
        raise AssertionError

    assert embedded(["", "কার্ড"], "", LATIN, 3, encode).tolist() == [[0, 0, 0], [0, 0, 0]]
