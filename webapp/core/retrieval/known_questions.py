"""Questions that are asked again and again, with every setting and every version, are embedded once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path

import numpy as np

from webapp.core.last_used import LastUsed
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


class Meanings:
    """The vectors of the last questions that readers asked: a question means the same whatever the index version. Safe
    to use from several threads."""

    def __init__(self, most: int) -> None:
        """Remember at most so many; 0: none."""
        self._known: LastUsed[Vectors] = LastUsed(most)

    def known_to(self, reader: Hashable, embedder: Embedder) -> Embedder:
        """Return the embedder with a memory of what readers with the same rights asked of it: what others asked, nobody
        learns by how long an answer takes."""
        return _Remembering(self, reader, embedder)

    def of(self, reader: Hashable, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, (texts, dim), embedding those that are not known."""
        keys = [(reader, embedder.name, text) for text in texts]
        each = dict.fromkeys(keys)
        known = {key: vector for key in each if (vector := self._known.get(key)) is not None}
        if new := [key for key in each if key not in known]:
            for key, vector in zip(new, embedder.query([text for _, _, text in new]), strict=True):
                known[key] = self._known.put(key, vector)
        return np.stack([known[key] for key in keys])


class _Remembering:
    """An embedder whose questions are looked for in a memory first."""

    def __init__(self, meanings: Meanings, reader: Hashable, embedder: Embedder) -> None:
        self._meanings = meanings
        self._reader = reader
        self._embedder = embedder
        self.name, self.passages = embedder.name, embedder.passages

    @property
    def dim(self) -> int:
        """Numbers in a vector. Raises PartUnavailable."""
        return self._embedder.dim

    def query(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each question. Raises PartUnavailable."""
        return self._meanings.of(self._reader, self._embedder, texts)
