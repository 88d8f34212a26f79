"""What every segment is, wherever its rows lie: which of them one reader may see, and which are whose."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.columns import Columns
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry, Scores, StoredDocument, VisiblePart
from webapp.core.retrieval.vectors import Rows, cut_out
from webapp.core.retrieval.visibility import Access

Allowed = Callable[[Access], bool]


class SegmentRows(ABC):
    """Rows that one build wrote, counted from 0, those of one access in few ranges. It never changes; a version names
    its segments, and which of their documents it holds no more."""

    def __init__(self, name: str, rows: int, accesses: Sequence[dict[str, Any]]) -> None:
        self.name = name
        self.rows = rows
        self._accesses = [Access.from_json(kept) for kept in accesses]
        self._ranges = [[(int(start), int(end)) for start, end in kept["ranges"]] for kept in accesses]

    def visible(self, allowed: Allowed, without: Iterable[str]) -> VisiblePart:
        """Return what of its rows is allowed, less those documents; its rows are counted from 0."""
        numbers = tuple(number for number, access in enumerate(self._accesses) if allowed(access))
        ranges = [one for number in numbers for one in self._ranges[number]]
        slices = cut_out(ranges, [self.range_of(id_) for id_ in self.documents.keys() & without])
        return VisiblePart(numbers, tuple(slices), tuple(cut_out(ranges, slices)))

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

    def chunks_of(self, document_id: str) -> list[Chunk]:
        """Return the chunks of a document in order. Raises KeyError."""
        return self.chunks(range(*self.range_of(document_id)))

    @abstractmethod
    def vectors_of(self, rows: Rows) -> Vectors:
        """Return the vectors of those rows, of which there is one at least, (rows, dim)."""

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
    def columns(self, rows: Rows, vector: Vectors) -> Columns:
        """Return what ranking asks of the rows, in that order, beside a question's vector."""

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
    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks alone of those rows, in that order."""

    @abstractmethod
    def text_of(self, document_id: str) -> str:
        """Return a document's decoded text. Raises KeyError."""

    @abstractmethod
    def damage(self) -> list[str]:
        """Return the names of its parts that are missing or not as they were written."""


class AccessRanges:
    """The accesses of rows that are being written, each with the ranges that its rows stand in."""

    def __init__(self) -> None:
        self._known: dict[Access, tuple[int, list[list[int]]]] = {}  # their numbers and ranges

    def add(self, chunk: Chunk, row: int) -> int:
        """Take in the next row; return the number of its access, the same for all rows that have it."""
        number, ranges = self._known.setdefault(Access.of(chunk), (len(self._known), []))
        if not ranges or ranges[-1][1] != row:
            ranges.append([row, row])
        ranges[-1][1] = row + 1
        return number

    @property
    def listed(self) -> list[dict[str, Any]]:
        """The accesses by their numbers, as they are kept."""
        return [access.as_json() | {"ranges": ranges} for access, (_, ranges) in self._known.items()]
