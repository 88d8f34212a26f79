"""Reading one sealed version of the local engine: memory-mapped files that any number of processes share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry, IndexProblem, Manifest, Scores, StoredDocument, Visible
from webapp.core.retrieval.files import sha256_of
from webapp.core.retrieval.keyword import KeywordIndex
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.records import Record
from webapp.core.retrieval.vectors import Rows, cut_out, merged, spread_sample, top_rows
from webapp.core.retrieval.visibility import Access, may_retrieve

MANIFEST = "manifest.json"
DOCUMENTS = "documents.jsonl"
RECORDS = "records.jsonl"
RECORD_STARTS = "record_starts.i64"
VECTORS = "vectors.f32"
SENTENCES = "sentences.f16"  # half precision ranks sentences the same and halves the largest file
SENTENCE_STARTS = "sentence_starts.i64"
WORDS = "words"
TEXTS = "texts"  # beside the versions, shared by them

ENTRIES_KEPT = 4096
SAMPLED = 512


class LocalVersion:
    """A version in a folder of its own."""

    def __init__(self, folder: Path, manifest: Manifest, texts: Path) -> None:
        self.manifest = manifest
        self._folder = folder
        self._texts = texts
        self._accesses = [Access.from_json(kept) for kept in manifest.accesses]
        self._ranges = [(int(kept["start"]), int(kept["end"])) for kept in manifest.accesses]
        rows, dim = manifest.chunks, manifest.dim
        self._vectors = self._map(VECTORS, np.float32).reshape(rows, dim)
        self._sentences = self._map(SENTENCES, np.float16).reshape(-1, dim)
        self._sentence_starts = self._map(SENTENCE_STARTS, np.int64)
        self._record_starts = self._map(RECORD_STARTS, np.int64)
        self._records = self._map(RECORDS, np.uint8)
        self._words = KeywordIndex(folder / WORDS)
        self._entry = lru_cache(maxsize=ENTRIES_KEPT)(self._read_entry)

    def _map(self, name: str, dtype: Any) -> Any:
        file = self._folder / name
        if not file.stat().st_size:
            return np.empty(0, dtype=dtype)
        return np.memmap(file, dtype=dtype, mode="r")

    def visible(self, query: Query) -> Visible:
        """Return what may be retrieved for the query."""
        staff_see_groups = self.manifest.config.staff_see_groups
        allowed = [i for i, access in enumerate(self._accesses) if may_retrieve(access, query, staff_see_groups)]
        slices = merged([self._ranges[i] for i in allowed])
        for document_id in query.without & self._documents.keys() if query.without else ():
            document = self._documents[document_id]
            slices = cut_out(slices, (document.first_row, document.first_row + document.chunks))
        return Visible(tuple(allowed), tuple(slices), tuple(sorted(query.without)))

    def search_meaning(self, vector: Vectors, visible: Visible, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows nearest in meaning and their cosines, best first."""
        return top_rows(self._vectors, vector, visible.slices, limit)

    def background(self, vector: Vectors, visible: Visible) -> float:
        """Return the mean cosine with a spread sample of the visible rows, 0 when there are none."""
        if not visible.rows:
            return 0.0
        return float((self._vectors[spread_sample(visible.slices, SAMPLED)] @ vector).mean())

    def search_words(self, weights: Mapping[str, float], visible: Visible, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows that hold any of the terms and their BM25 scores, best first."""
        return self._words.search(weights, visible, limit)

    def counts(self, terms: Iterable[str], visible: Visible) -> dict[str, int]:
        """Return in how many visible rows each term stands."""
        return self._words.counts(terms, visible)

    def letters(self) -> str:
        """Return the letters that the indexed terms are written in."""
        return self._words.letters

    def holds(self, term: str) -> bool:
        """Tell whether any row, visible or not, holds the term."""
        return self._words.holds(term)

    def fetch(self, rows: Sequence[int]) -> list[Entry]:
        """Return the entries of those rows, in that order."""
        return [self._entry(int(row)) for row in rows]

    def _read_entry(self, row: int) -> Entry:
        start, end = self._record_starts[row : row + 2]
        record = Record.from_line(self._records[start:end].tobytes())
        first, last = self._sentence_starts[row : row + 2]
        sentences = self._sentences[first:last].astype(np.float32)
        return Entry(record.chunk, record.terms, record.context_terms, self._vectors[row], sentences)

    def documents(self) -> Mapping[str, StoredDocument]:
        """Return every document of the version, whatever its status, by id."""
        return self._documents

    @cached_property
    def _documents(self) -> dict[str, StoredDocument]:
        lines = (self._folder / DOCUMENTS).read_text(encoding="utf-8").splitlines()
        documents = [StoredDocument.model_validate_json(line) for line in lines]
        return {document.id: document for document in documents}

    def document_text(self, document_id: str) -> str:
        """Return the file's decoded text. Raises KeyError for a document that the version doesn't hold."""
        return text_file(self._texts, self._documents[document_id].text_hash).read_bytes().decode("utf-8")

    def chunks_of(self, document_id: str) -> list[Chunk]:
        """Return the chunks of a document in order. Raises KeyError."""
        document = self._documents[document_id]
        return [entry.chunk for entry in self.fetch(range(document.first_row, document.first_row + document.chunks))]

    def damage(self) -> list[str]:
        """Return the names of files that are missing or not as they were sealed."""
        broken = []
        for name, checksum in self.manifest.checksums.items():
            file = self._folder / name
            if not file.exists() or sha256_of(file) != checksum:
                broken.append(name)
        return broken


def text_file(texts: Path, text_hash: str) -> Path:
    """Return where a document's text is kept."""
    return texts / text_hash[:2] / text_hash


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a sealed version. Raises IndexProblem."""
    try:
        return Manifest.model_validate(json.loads((folder / MANIFEST).read_bytes()))
    except (OSError, ValueError) as error:
        raise IndexProblem(f"index version {folder.name} can't be read ({error}); build the index again") from error
