"""No reranking."""

from __future__ import annotations

from webapp.core.registry import NoOptions
from webapp.core.retrieval.rerankers.base import Reranker, rerankers


@rerankers.register("none", "The hits stay in the order that words and meaning give them")
def make(options: NoOptions) -> Reranker | None:
    """Return None."""
    return None
