"""A small collection on disk, and an embedder that needs no model: shared words make texts near."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from webapp.core.documents.collection import load_collection
from webapp.core.documents.model import Collection
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.index import IndexFolder, IndexVersion, build
from webapp.core.retrieval.words import terms


class Hashing:
    """Deterministic vectors of hashed terms. `embedded` counts the passages asked for."""

    name = "hashing"
    dim = 64

    def __init__(self) -> None:
        self.embedded = 0

    def query(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        return self._vectors(texts)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        vectors = np.full((len(texts), self.dim), 0.01, dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms(text, "en"):
                vectors[row, zlib.crc32(term.encode()) % self.dim] += 1
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


class Broken(Hashing):
    """Gives what is no number."""

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        return super()._vectors(texts) * np.float32("nan")


def write_page(folder: Path, document_id: str, body: str, **head: str) -> Path:
    """Write a page with front matter; `head` adds to it or replaces parts of it."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = {"id": document_id, "title": document_id.title(), "status": "current", "lang": "en"} | head
    front = "".join(f"{key}: {value}\n" for key, value in fields.items())
    file = folder / f"{document_id}.md"
    file.write_text(f"---\n{front}---\n\n{body}\n", encoding="utf-8")
    return file


def a_collection(folder: Path, pages: Mapping[str, str], settings: str = "") -> Collection:
    """Write pages (id → body) and a collection.toml, and read them."""
    for document_id, body in pages.items():
        write_page(folder, document_id, body)
    if settings:
        (folder / "collection.toml").write_text(settings, encoding="utf-8")
    return load_collection(folder)


def built(collection: Collection, folder: Path, embedder: Hashing | None = None) -> IndexVersion:
    """Build an index and return its live version."""
    build(collection, folder, embedder or Hashing())
    version = IndexFolder(folder).current()
    assert version is not None
    return version
