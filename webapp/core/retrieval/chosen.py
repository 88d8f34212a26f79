"""The parts of retrieval that a collection has chosen."""

from __future__ import annotations

from webapp.core.documents.config import CollectionConfig
from webapp.core.retrieval.embedders.base import Embedder, load_embedder
from webapp.core.retrieval.engine import IndexProblem, Manifest
from webapp.core.retrieval.rerankers.base import Reranker, load_reranker


def chosen_embedder(config: CollectionConfig) -> Embedder:
    """Return the embedder that a collection asks for. Raises as `load_embedder` does."""
    return load_embedder(config.embedder, config.embedder_options)


def chosen_reranker(config: CollectionConfig) -> Reranker | None:
    """Return the reranker that a collection asks for, None where it wants none. Raises as `load_reranker` does."""
    return load_reranker(config.reranker, config.reranker_options)


def embedder_of(manifest: Manifest) -> Embedder:
    """Return the embedder that an index version was built with.

    Raises as `load_embedder` does, and IndexProblem when the model in its place is another one by now.
    """
    embedder = chosen_embedder(manifest.config)
    if embedder.name != manifest.embedder:
        raise IndexProblem(
            f"the index was built with {manifest.embedder}, but the model is {embedder.name} now; "
            "run: evidencedesk index"
        )
    return embedder
