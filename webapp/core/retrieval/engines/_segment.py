"""Reading one segment of the local engine: rows in memory-mapped files that any number of versions and processes share.

A segment never changes once it is written. A version names its segments, and which of their documents it holds no more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from webapp.core.documents.model import Chunk
from webapp.core.last_used import LastUsed
from webapp.core.retrieval.columns import Columns, Ragged, number_of, terms_in
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry, Scores, StoredDocument, VisiblePart
from webapp.core.retrieval.engines._rows import SegmentRows
from webapp.core.retrieval.files import sha256_of
from webapp.core.retrieval.keyword import KeywordIndex
from webapp.core.retrieval.records import chunk_from_line, entry_from_line
from webapp.core.retrieval.rounded import Rounded
from webapp.core.retrieval.vectors import Rows, dots, whole

ABOUT = "segment.json"
DOCUMENTS = "documents.jsonl"
RECORDS = "records.jsonl"
RECORD_STARTS = "record_starts.i64"
VECTORS = "vectors.f32"
CODES = "codes.i8"  # these three are the vectors rounded
STEPS = "steps.f32"
SLACK = "slack.f32"
SENTENCES = "sentences.f16"  # half precision ranks sentences the same and halves the largest file
SENTENCE_STARTS = "sentence_starts.i64"
NUMBERS = "numbers.u64"  # what ranking asks of each row
NUMBER_STARTS = "number_starts.i64"
WORDS = "words"
TEXTS = "texts"  # beside the segments: documents' texts by their hash
_HELD_KEPT = 1_000_000  # terms of rows that were read to count them: some 100 bytes each


class Segment(SegmentRows):
    """Rows of one build, read where they lie. Raises OSError and ValueError when its files are missing or broken."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        about = json.loads((folder / ABOUT).read_bytes())
        super().__init__(folder.name, int(about["rows"]), about["accesses"])
        self.dim = int(about["dim"])
        self._checksums: dict[str, str] = about["checksums"]
        self.vectors = self._map(VECTORS, np.float32).reshape(self.rows, self.dim)
        codes = self._map(CODES, np.int8).reshape(self.rows, self.dim)
        steps, slack = self._map(STEPS, np.float32), self._map(SLACK, np.float32)
        self._rounded = Rounded(codes, steps, slack, float(about["longest"]))
        sentences = self._map(SENTENCES, np.float16).reshape(-1, self.dim)
        self._sentences = _rows(sentences, self._map(SENTENCE_STARTS, np.int64))
        self._numbers = _rows(self._map(NUMBERS, np.uint64), self._map(NUMBER_STARTS, np.int64))
        self._record_starts = self._map(RECORD_STARTS, np.int64)
        self._records = self._map(RECORDS, np.uint8)
        self.words = KeywordIndex(folder / WORDS)
        self._held: LastUsed[Mapping[int, int]] = LastUsed(_HELD_KEPT, lambda held: min(1 + len(held), _HELD_KEPT))

    def _map(self, name: str, dtype: Any) -> Any:
        file = self._folder / name
        if not file.stat().st_size:
            return np.empty(0, dtype=dtype)
        return np.asarray(np.memmap(file, dtype=dtype, mode="r"))  # a plain array: each look at a memmap costs more

    def search_meaning(self, vector: Vectors, visible: VisiblePart, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows nearest in meaning and their cosines, best first."""
        return self._rounded.top_rows(self.vectors, vector, visible.slices, limit)

    def vectors_of(self, rows: Rows) -> Vectors:
        """Return the vectors of those rows, (rows, dim)."""
        vectors: Vectors = self.vectors.take(rows, axis=0)
        return vectors

    def columns(self, rows: Rows, vector: Vectors) -> Columns:
        """Return what ranking asks of the rows, in that order, beside a question's vector."""
        sentences = self._sentences.take(rows).together()
        cosines = Ragged.of(dots(whole(sentences.values), vector), sentences.lengths)
        return Columns(dots(self.vectors_of(rows), vector), cosines, self._numbers.take(rows).together())

    def search_words(self, weights: Mapping[str, float], visible: VisiblePart, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows that hold any of the terms and their BM25 scores, best first."""
        return self.words.search(weights, visible, limit)

    def counts(self, terms: Iterable[str], visible: VisiblePart) -> dict[str, int]:
        """Return in how many visible rows each term stands. Read are those, or the ones left out: the fewer."""
        if visible.rows < sum(end - start for start, end in visible.left_out):
            held = self._holding(visible.slices)
            return {term: held.get(number_of(term), 0) for term in terms}
        left_out = self._holding(visible.left_out)
        return {
            term: count - left_out.get(number_of(term), 0) for term, count in self.words.counts(terms, visible).items()
        }

    def _holding(self, slices: tuple[tuple[int, int], ...]) -> Mapping[int, int]:
        """Return in how many rows of the slices each term stands, by its number."""
        held = self._held.get(slices)
        if held is None:
            rows = (row for start, end in slices for row in range(start, end))
            held = self._held.put(slices, Counter(term for row in rows for term in terms_in(self._numbers[row])))
        return held

    def known(self, terms: Iterable[str]) -> set[str]:
        """Return those of the terms that any row holds."""
        return self.words.known(terms)

    @property
    def letters(self) -> str:
        """The letters that its terms are written in."""
        return self.words.letters

    @cached_property
    def documents(self) -> dict[str, StoredDocument]:
        """Its documents by id; their rows are counted from 0."""
        lines = (self._folder / DOCUMENTS).read_bytes().split(b"\n")
        documents = map(StoredDocument.model_validate_json, filter(None, lines))
        return {document.id: document for document in documents}

    def text_of(self, document_id: str) -> str:
        """Return the file's decoded text. Raises KeyError."""
        texts = self._folder.parent.parent / TEXTS
        return text_file(texts, self.documents[document_id].text_hash).read_bytes().decode("utf-8")

    def entries(self, rows: Sequence[int]) -> list[Entry]:
        """Return the entries of those rows, in that order."""
        vectors = self.vectors_of(np.asarray(rows, dtype=np.int64))
        return [
            entry_from_line(line, vector, whole(self._sentences[row]))
            for row, line, vector in zip(rows, self._lines(rows), vectors, strict=True)
        ]

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks alone of those rows, in that order."""
        return list(map(chunk_from_line, self._lines(rows)))

    def _lines(self, rows: Sequence[int]) -> Iterator[bytes]:
        wanted = np.asarray(rows, dtype=np.int64)
        starts, ends = self._record_starts[wanted].tolist(), self._record_starts[wanted + 1].tolist()
        return (self._records[start:end].tobytes() for start, end in zip(starts, ends, strict=True))

    def require_files(self) -> None:
        """Raise FileNotFoundError when a file is missing that was there when it was opened."""
        for name in self._checksums:
            (self._folder / name).stat()

    def damage(self) -> list[str]:
        """Return the names of files that are missing or not as they were written."""
        return [name for name, checksum in self._checksums.items() if _broken(self._folder / name, checksum)]


def _rows(values: NDArray[Any], starts: NDArray[np.int64]) -> Ragged:
    """Return rows by where each begins, and the last one ends."""
    return Ragged(values, starts[:-1], starts[1:])


def text_file(texts: Path, text_hash: str) -> Path:
    """Return where a document's text is kept."""
    return texts / text_hash[:2] / text_hash


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
