"""Any model of sentence-transformers, from a folder; by PyTorch, on whatever this machine has for it."""

from __future__ import annotations

from pathlib import Path

from webapp.core.retrieval.embedders._local import Encode, LocalEmbedder, LocalOptions, needs
from webapp.core.retrieval.embedders.base import Embedder, embedders

NAME = "sentence-transformers"


@embedders.register(NAME, "Any model of sentence-transformers, from a folder, by PyTorch", LocalOptions)
def make(options: LocalOptions) -> Embedder:
    """Return the embedder. Raises PartUnavailable."""
    return LocalEmbedder(NAME, needs(NAME, "sentence-transformers", "sentence_transformers"), options, _load)


def _load(folder: Path) -> Encode:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), local_files_only=True)

    def encode(texts: list[str], query: bool) -> object:
        # A model that was taught prompts brings them along, and these two put them in front.
        return (model.encode_query if query else model.encode_document)(texts, show_progress_bar=False)

    return encode
