"""What a reranker is, and where the registered ones are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from webapp.core.registry import PartUnavailable, Registry

Scores = NDArray[np.float32]


class Reranker(Protocol):
    """Reads question and passage together, which tells more than two vectors do, and takes longer."""

    @property
    def first(self) -> int:
        """How many of the best hits it is shown."""
        ...

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        """Return how well each passage answers, (passages,); only their order means something. Raises
        PartUnavailable."""
        ...


# None: the hits stay as they are.
rerankers: Registry[Callable[[Any], Reranker | None]] = Registry("reranker", "webapp.core.retrieval.rerankers")


def load_reranker(name: str, options: Mapping[str, Any]) -> Reranker | None:
    """Return the process's one reranker of that name and those options, None for "none".

    Raises UnknownPart, pydantic's ValueError for options that don't fit, PartUnavailable.
    """
    return _made(name, rerankers.get(name).parse(options))


@lru_cache(maxsize=8)
def _made(name: str, options: BaseModel) -> Reranker | None:
    return rerankers.get(name).make(options)


def new_order(reranker: Reranker, question: str, passages: Sequence[str]) -> list[int]:
    """Return the places of the passages, best first; those that score alike stay in their order.

    Raises PartUnavailable, also when a score is no number: sorted, it would stand anywhere.
    """
    if len(passages) < 2:
        return list(range(len(passages)))
    scores = reranker.scores(question, passages)
    if scores.shape != (len(passages),) or not np.isfinite(scores).all():
        raise PartUnavailable("the reranker gave scores that are no numbers, or too few; look at its model")
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order
