"""An embedder for the tests of pages: it only counts words, so texts with the same words get like vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest

from webapp.core.registry import NoOptions, Part
from webapp.core.retrieval.embedders.base import Vectors, embedders


class WordCounts:
    """The embedder, as collections name it."""

    name = "word-counts-of-pages"
    dim = 64

    def query(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        rows = np.full((len(texts), self.dim), 0.01, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[hashlib.sha256(word.encode()).digest()[0] % self.dim] += 1
        vectors: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return vectors


def add_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let collections name it, only while a test runs: the documentation lists the parts there are."""
    embedders.all()
    part = Part(WordCounts.name, "For tests: counts words", NoOptions, lambda _: WordCounts())
    monkeypatch.setitem(embedders._parts, WordCounts.name, part)
