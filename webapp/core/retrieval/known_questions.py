"""Questions that are asked again and again, with every setting and every version, are embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from webapp.core.retrieval.cache import VectorCache
from webapp.core.retrieval.embedders.base import Embedder, Vectors


class KnownQuestions:
    """An embedder that remembers the questions it was asked: as long as it lives or, given a `folder`, in there."""

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self.name, self.dim, self.passages = embedder.name, embedder.dim, embedder.passages
        self._ask = VectorCache(folder, _AsPassages(embedder)).passages if folder else embedder.query
        self._known: dict[str, Vectors] = {}

    def query(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each question."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= dict(zip(new, self._ask(new), strict=True))
        return np.stack([self._known[text] for text in texts])


class _AsPassages:
    """Embeds questions where a cache embeds passages; the name keeps their vectors apart."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dim = f"{embedder.name}-questions", embedder.dim
        self.query = self.passages = embedder.query
