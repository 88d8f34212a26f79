"""What an embedder is, and where the registered ones are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from webapp.core.registry import PartUnavailable, Registry

Vectors = NDArray[np.float32]  # (texts, dim), every row of length 1, or 0 where the model can't read the text
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how near their meanings are.

    A text in a script that the model wasn't taught gets a vector of zeros: it is near to nothing, so that the model has
    no vote on it.
    """

    @property
    def name(self) -> str:
        """Kept in every index version: vectors of different names don't compare. Changes with all that changes them."""
        ...

    @property
    def dim(self) -> int:
        """Numbers in a vector. Raises PartUnavailable."""
        ...

    def query(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each question. Raises PartUnavailable."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each passage. Raises PartUnavailable."""
        ...


@runtime_checkable
class Remote(Protocol):
    """An embedder that sends texts to a server."""

    @property
    def outside(self) -> str:
        """Host that texts leave this machine for; "" for a server on this machine."""
        ...


embedders: Registry[Callable[[Any], Embedder]] = Registry("embedder", "webapp.core.retrieval.embedders")


def load_embedder(name: str, options: Mapping[str, Any] = NO_OPTIONS) -> Embedder:
    """Return the process's one embedder of that name and those options.

    Raises UnknownPart, pydantic's ValueError for options that don't fit, PartUnavailable.
    """
    return _made(name, embedders.get(name).parse(options))


@lru_cache(maxsize=8)
def _made(name: str, options: BaseModel) -> Embedder:
    return embedders.get(name).make(options)


def numbers_of(embedder: Embedder, vectors: Vectors) -> Vectors:
    """Return what an embedder gave, made sure to be numbers: one that is none would spoil every order it takes part in.

    Raises PartUnavailable.
    """
    if not np.isfinite(vectors).all():
        raise PartUnavailable(f"the embedder {embedder.name} gave something that is no number; look at its model")
    return vectors


def unit_rows(rows: Any, texts: int) -> Vectors:
    """Return what a model gave for so many texts with rows of length 1 (zeros stay). Raises ValueError."""
    vectors = np.asarray(rows, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != texts or not np.isfinite(vectors).all():
        raise ValueError(f"it gave something else than {texts} vectors of numbers")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    unit: Vectors = vectors / lengths
    return unit
