"""The models that fastembed knows, from a folder."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from webapp.core.retrieval.embedders._local import Encode, LocalEmbedder, LocalOptions, needs
from webapp.core.retrieval.embedders.base import Embedder, embedders

NAME = "fastembed"


class FastEmbedOptions(LocalOptions, frozen=True, extra="forbid"):
    """Options of fastembed."""

    model: str = Field(
        "BAAI/bge-small-en-v1.5", min_length=1, description="Name, in fastembed's list, of the model in the folder"
    )


@embedders.register(NAME, "A model that fastembed knows, from a folder", FastEmbedOptions)
def make(options: FastEmbedOptions) -> Embedder:
    """Return the embedder. Raises PartUnavailable."""

    def load(folder: Path) -> Encode:
        from fastembed import TextEmbedding

        model = TextEmbedding(options.model, threads=1, specific_model_path=str(folder), local_files_only=True)
        return lambda texts, query: list(model.query_embed(texts) if query else model.passage_embed(texts))

    return LocalEmbedder(NAME, needs(NAME, "fastembed", "fastembed"), options, load)
