"""Static vectors of words, averaged: no network of neurons, hence hundreds of times faster and a little less exact."""

from __future__ import annotations

from pathlib import Path

from webapp.core.retrieval.embedders._local import Encode, LocalEmbedder, LocalOptions, needs
from webapp.core.retrieval.embedders.base import Embedder, embedders

NAME = "model2vec"


@embedders.register(NAME, "Static vectors of a model2vec model, from a folder; the fastest", LocalOptions)
def make(options: LocalOptions) -> Embedder:
    """Return the embedder. Raises PartUnavailable."""
    return LocalEmbedder(NAME, needs(NAME, "model2vec", "model2vec"), options, _load)


def _load(folder: Path) -> Encode:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(folder)  # a folder that exists is never looked for elsewhere
    return lambda texts, query: model.encode(texts, use_multiprocessing=False)
