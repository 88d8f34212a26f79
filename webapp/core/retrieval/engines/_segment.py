"""Reading one segment of the local engine: rows in memory-mapped files that any number of versions and processes share.

A segment never changes once it is written. A version names its segments, and which of their documents it holds no more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from webapp.core.retrieval.engine import Entry, Scores, StoredDocument, VisiblePart
from webapp.core.retrieval.files import sha256_of
from webapp.core.retrieval.keyword import KeywordIndex
from webapp.core.retrieval.records import entry_from_line
from webapp.core.retrieval.vectors import Rows, cut_out
from webapp.core.retrieval.visibility import Access

ABOUT = "segment.json"
DOCUMENTS = "documents.jsonl"
RECORDS = "records.jsonl"
RECORD_STARTS = "record_starts.i64"
VECTORS = "vectors.f32"
SENTENCES = "sentences.f16"  # half precision ranks sentences the same and halves the largest file
SENTENCE_STARTS = "sentence_starts.i64"
WORDS = "words"

ENTRIES_KEPT = 4096

Allowed = Callable[[Access], bool]


class Segment:
    """Rows of one build, read where they lie. Raises OSError and ValueError when its files are missing or broken."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self._folder = folder
        about = json.loads((folder / ABOUT).read_bytes())
        self.rows, self.dim = int(about["rows"]), int(about["dim"])
        self._checksums: dict[str, str] = about["checksums"]
        self._accesses = [Access.from_json(kept) for kept in about["accesses"]]
        self._ranges = [(int(kept["start"]), int(kept["end"])) for kept in about["accesses"]]
        self.vectors = self._map(VECTORS, np.float32).reshape(self.rows, self.dim)
        self._sentences = self._map(SENTENCES, np.float16).reshape(-1, self.dim)
        self._sentence_starts = self._map(SENTENCE_STARTS, np.int64)
        self._record_starts = self._map(RECORD_STARTS, np.int64)
        self._records = self._map(RECORDS, np.uint8)
        self.words = KeywordIndex(folder / WORDS)
        self.entry = lru_cache(maxsize=ENTRIES_KEPT)(self._read_entry)

    def _map(self, name: str, dtype: Any) -> Any:
        file = self._folder / name
        if not file.stat().st_size:
            return np.empty(0, dtype=dtype)
        return np.asarray(np.memmap(file, dtype=dtype, mode="r"))  # a plain array: each look at a memmap costs more

    def visible(self, allowed: Allowed, without: Iterable[str]) -> VisiblePart:
        """Return what of its rows is allowed, less those documents; its rows are counted from 0."""
        numbers = tuple(number for number, access in enumerate(self._accesses) if allowed(access))
        hidden = sorted(self.documents.keys() & without)
        slices = cut_out([self._ranges[number] for number in numbers], [self.range_of(id_) for id_ in hidden])
        return VisiblePart(numbers, tuple(slices), tuple(hidden))

    def search_words(self, weights: Mapping[str, float], visible: VisiblePart, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows that hold any of the terms and their BM25 scores, best first."""
        return self.words.search(weights, visible, limit)

    @cached_property
    def documents(self) -> dict[str, StoredDocument]:
        """Its documents by id; their rows are counted from 0."""
        lines = (self._folder / DOCUMENTS).read_bytes().split(b"\n")
        documents = map(StoredDocument.model_validate_json, filter(None, lines))
        return {document.id: document for document in documents}

    def range_of(self, document_id: str) -> tuple[int, int]:
        """Return the first row of a document and the one after its last. Raises KeyError."""
        document = self.documents[document_id]
        return document.first_row, document.first_row + document.chunks

    def rows_of(self, documents: Iterable[str]) -> int:
        """Return how many rows those of the documents have that it holds."""
        return sum(self.documents[one].chunks for one in self.documents.keys() & documents)

    def _read_entry(self, row: int) -> Entry:
        start, end = self._record_starts[row : row + 2].tolist()
        first, last = self._sentence_starts[row : row + 2].tolist()
        sentences = self._sentences[first:last].astype(np.float32)
        return entry_from_line(self._records[start:end].tobytes(), self.vectors[row], sentences)

    def require_files(self) -> None:
        """Raise FileNotFoundError when a file is missing that was there when it was opened."""
        for name in self._checksums:
            (self._folder / name).stat()

    def damage(self) -> list[str]:
        """Return the names of files that are missing or not as they were written."""
        return [name for name, checksum in self._checksums.items() if _broken(self._folder / name, checksum)]


def open_segment(folder: Path) -> Segment:
    """Return the segment in that folder: the same one to everybody in this process, as long as anybody holds it.

    Raises OSError, ValueError and KeyError when its files are missing or broken.
    """
    found = (folder / ABOUT).stat()
    key = (str(folder), found.st_ino, found.st_mtime_ns)
    segment = _open.get(key)
    if segment is None:
        segment = _open[key] = Segment(folder)
    segment.require_files()
    return segment


_open: WeakValueDictionary[tuple[str, int, int], Segment] = WeakValueDictionary()
_sums: dict[tuple[int, int, int, int], str] = {}  # check sums of files by device, number, size and time of change


def _broken(file: Path, checksum: str) -> bool:
    try:
        found = file.stat()
        key = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        if key not in _sums:
            _sums[key] = sha256_of(file)
    except OSError:
        return True
    return _sums[key] != checksum
