"""What an embedder is, and where the registered ones are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from webapp.core.registry import Registry

Vectors = NDArray[np.float32]  # (texts, dim), every row of length 1


class EmbedderUnavailable(Exception):
    """The embedder can't be used here and now; the message says what to do."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how near their meanings are."""

    name: str  # kept in every index version: vectors of different names don't compare
    dim: int

    def query(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each question. Raises EmbedderUnavailable."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each passage. Raises EmbedderUnavailable."""
        ...


embedders: Registry[Callable[[Any], Embedder]] = Registry("embedder", "webapp.core.retrieval.embedders")


@lru_cache(maxsize=8)
def load_embedder(name: str) -> Embedder:
    """Return the process's one embedder of that name, with its default options. Raises UnknownPart."""
    part = embedders.get(name)
    return part.make(part.parse({}))
