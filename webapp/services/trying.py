"""What trying settings on documents needs to know first: how much of it has never been read for its meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from webapp.core.chunking.cut import cut
from webapp.core.documents.model import Document
from webapp.core.retrieval.cache import VectorCache
from webapp.core.retrieval.chosen import chosen_embedder
from webapp.core.retrieval.index import passage, sentence_passages

if TYPE_CHECKING:
    from webapp.services.desk import Desk


def vectors_of(desk: Desk) -> VectorCache:
    """Return the vectors that are known to the collection's embedder. Raises PartUnavailable."""
    return VectorCache(desk.vectors, chosen_embedder(desk.files().config))


def unknown_texts(
    desk: Desk, documents: Sequence[Document], settings: Sequence[tuple[str, Mapping[str, int]]]
) -> list[str]:
    """Return the texts that have no vector yet, of chunks and their sentences, each once. Raises PartUnavailable."""
    chunks = (chunk for one in documents for strategy, options in settings for chunk in cut(one, strategy, options))
    return vectors_of(desk).missing(text for chunk in chunks for text in (passage(chunk), *sentence_passages(chunk)))
