"""The parts of retrieval that a collection has chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from webapp.core.documents.config import CollectionConfig, CollectionError
from webapp.core.retrieval.embedders.base import Embedder, load_embedder
from webapp.core.retrieval.engine import IndexProblem, Manifest
from webapp.core.retrieval.rerankers.base import Reranker, load_reranker

T = TypeVar("T")


def chosen_embedder(config: CollectionConfig) -> Embedder:
    """Return the embedder that a collection asks for. Raises UnknownPart, PartUnavailable, CollectionError."""
    return _fitting("embedder_options", load_embedder, config.embedder, config.embedder_options)


def chosen_reranker(config: CollectionConfig) -> Reranker | None:
    """Return the reranker that a collection asks for, None where it wants none. Raises as `chosen_embedder` does."""
    return _fitting("reranker_options", load_reranker, config.reranker, config.reranker_options)


def _fitting(key: str, load: Callable[[str, Mapping[str, Any]], T], name: str, options: Mapping[str, Any]) -> T:
    try:
        return load(name, options)
    except ValidationError as error:
        first = error.errors()[0]
        option = ".".join(map(str, first["loc"]))
        raise CollectionError(f"{option} under [{key}] in collection.toml: {first['msg']}") from error


def embedder_of(manifest: Manifest) -> Embedder:
    """Return the embedder that an index version was built with.

    Raises as `chosen_embedder` does, and IndexProblem when the model in its place is another one by now.
    """
    embedder = chosen_embedder(manifest.config)
    if embedder.name != manifest.embedder:
        raise IndexProblem(
            f"the index was built with {manifest.embedder}, but the model is {embedder.name} now; "
            "run: evidencedesk index"
        )
    return embedder
