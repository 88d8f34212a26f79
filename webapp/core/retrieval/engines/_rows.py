"""What every segment is, wherever its rows lie: which of them one reader may see, and which are whose."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry, Scores, StoredDocument, VisiblePart
from webapp.core.retrieval.vectors import Rows, cut_out
from webapp.core.retrieval.visibility import Access

Allowed = Callable[[Access], bool]


class SegmentRows(ABC):
    """Rows that one build wrote, counted from 0, those of one access side by side. It never changes; a version names
    its segments, and which of their documents it holds no more."""

    def __init__(self, name: str, rows: int, accesses: Sequence[dict[str, Any]]) -> None:
        self.name = name
        self.rows = rows
        self._accesses = [Access.from_json(kept) for kept in accesses]
        self._ranges = [(int(kept["start"]), int(kept["end"])) for kept in accesses]

    def visible(self, allowed: Allowed, without: Iterable[str]) -> VisiblePart:
        """Return what of its rows is allowed, less those documents; its rows are counted from 0."""
        numbers = tuple(number for number, access in enumerate(self._accesses) if allowed(access))
        hidden = sorted(self.documents.keys() & without)
        slices = cut_out([self._ranges[number] for number in numbers], [self.range_of(id_) for id_ in hidden])
        return VisiblePart(numbers, tuple(slices), tuple(hidden))

    def range_of(self, document_id: str) -> tuple[int, int]:
        """Return the first row of a document and the one after its last. Raises KeyError."""
        document = self.documents[document_id]
        return document.first_row, document.first_row + document.chunks

    def rows_of(self, documents: Iterable[str]) -> int:
        """Return how many rows those of the documents have that it holds."""
        return sum(self.documents[one].chunks for one in self.documents.keys() & documents)

    def entries_of(self, document_id: str) -> list[Entry]:
        """Return the entries of a document in order. Raises KeyError."""
        return self.entries(range(*self.range_of(document_id)))

    @property
    @abstractmethod
    def documents(self) -> Mapping[str, StoredDocument]:
        """Its documents by id; their rows are counted from 0."""

    @property
    @abstractmethod
    def letters(self) -> str:
        """The letters that its terms are written in."""

    @abstractmethod
    def search_meaning(self, vector: Vectors, visible: VisiblePart, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows nearest in meaning and their cosines, best first."""

    @abstractmethod
    def cosines(self, rows: Rows, vector: Vectors) -> Scores:
        """Return how near each of the rows is in meaning."""

    @abstractmethod
    def search_words(self, weights: Mapping[str, float], visible: VisiblePart, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows that hold any of the terms and their BM25 scores, best first."""

    @abstractmethod
    def counts(self, terms: Iterable[str], visible: VisiblePart) -> Mapping[str, int]:
        """Return in how many visible rows each term stands."""

    @abstractmethod
    def known(self, terms: Iterable[str]) -> set[str]:
        """Return those of the terms that any row holds."""

    @abstractmethod
    def entries(self, rows: Sequence[int]) -> list[Entry]:
        """Return the entries of those rows, in that order."""

    @abstractmethod
    def text_of(self, document_id: str) -> str:
        """Return a document's decoded text. Raises KeyError."""

    @abstractmethod
    def damage(self) -> list[str]:
        """Return the names of its parts that are missing or not as they were written."""


class AccessRanges:
    """The accesses of rows that are being written, each with its range."""

    def __init__(self) -> None:
        self.listed: list[dict[str, Any]] = []

    def add(self, chunk: Chunk, row: int) -> int:
        """Take in the next row; return the number of its access."""
        access = Access.of(chunk).as_json()
        if not self.listed or {key: self.listed[-1][key] for key in access} != access:
            self.listed.append(access | {"start": row})
        self.listed[-1]["end"] = row + 1
        return len(self.listed) - 1
