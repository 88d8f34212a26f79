"""What stores and searches index versions. Ranking and judging stand above it, so every engine ranks alike.

An engine holds versions: each is begun, filled, sealed, and only then may be made the live one. A sealed version never
changes, so whoever holds one reads a single state of the collection from start to end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.lazy import found_on_first_use, on_first_use
from webapp.core.documents.model import Chunk, Document
from webapp.core.retrieval.columns import Columns, Numbers, numbers_of
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.vectors import Rows

Scores = NDArray[np.float32]
KEPT = 5  # versions that an engine keeps: the live one and the newest others


class IndexProblem(Exception):
    """An index can't be built, opened or switched to; the message says why and what to do."""


class HeldBack(BaseModel, frozen=True):
    """A file that stayed out of a version, and why."""

    path: str
    line: int
    problem: str


class SegmentReference(BaseModel, frozen=True):
    """A segment that a version holds, less those of its documents that are gone or stand in a later one."""

    name: str
    gone: tuple[str, ...] = ()  # document ids


class Manifest(BaseModel, frozen=True):
    """What a version says about itself."""

    id: str = ""  # given when the version is begun; sorts by age
    format: int
    created_at: datetime
    corpus_hash: str
    config: CollectionConfig
    strategy: str
    options: dict[str, int]
    embedder: str
    dim: int
    author: str = ""  # who had it built; "": the program, because files had changed
    documents: int = 0
    sections: int = 0
    chunks: int = 0
    held_back: tuple[HeldBack, ...] = ()
    calibration: dict[str, Any] | None = None  # None: the default one of the embedder
    segments: tuple[SegmentReference, ...] = ()


class StoredDocument(BaseModel, frozen=True):
    """A document as it was when the version was built; its text is fetched apart, by `text_hash`."""

    id: str
    title: str
    version: str
    status: str
    lang: str
    path: str
    audience: frozenset[str]
    updated: date | None
    valid_until: date | None
    superseded_by: str | None
    attributes: dict[str, str]
    body_line: int
    content_hash: str  # sha256 of the file's bytes
    text_hash: str
    first_row: int = 0  # its chunks stand in consecutive rows
    chunks: int = 0


def _numbers(entry: Entry) -> Numbers:
    return numbers_of((entry.document_id, entry.lang, entry.ordinal), entry.terms, len(entry.context_terms))


_FROM_ITS_TERMS = on_first_use(_numbers)


@found_on_first_use("chunk", "numbers")
@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A chunk as it is stored for search: its terms, and the vectors of itself and of its sentences."""

    document_id: str  # these three as the chunk has them
    ordinal: int
    lang: str
    terms: tuple[str, ...]  # of title, headings and text, as indexed
    context_terms: tuple[str, ...]  # of title and headings alone: the first of them
    vector: Vectors  # (dim,)
    sentence_vectors: Vectors  # (sentences, dim)
    chunk: Chunk
    numbers: Numbers = _FROM_ITS_TERMS  # what ranking asks of it

    @classmethod
    def of(cls, chunk: Chunk, terms: Sequence[str], context_terms: Sequence[str], vectors: Vectors) -> Entry:
        """Return the entry of a chunk; `vectors` are its own and those of its sentences, (1 + sentences, dim)."""
        place = (chunk.document_id, chunk.ordinal, chunk.lang)
        return cls(*place, tuple(terms), tuple(context_terms), vectors[0], vectors[1:], chunk)


@dataclass(frozen=True, slots=True)
class VisiblePart:
    """What one reader may be shown of one segment: numbers of the accesses allowed, and the rows of these, counted from
    the segment's first, less those of documents that are left out."""

    accesses: tuple[int, ...]
    slices: tuple[tuple[int, int], ...]
    left_out: tuple[tuple[int, int], ...] = ()  # rows of the same accesses, ranges in order

    @property
    def rows(self) -> int:
        """How many rows are visible."""
        return sum(end - start for start, end in self.slices)


@dataclass(frozen=True, slots=True)
class Visible:
    """What one reader may be shown of a version, segment by segment."""

    parts: tuple[VisiblePart, ...]

    @property
    def rows(self) -> int:
        """How many rows are visible."""
        return sum(part.rows for part in self.parts)


class IndexVersion(Protocol):
    """One sealed version, to be read. Safe to use from several threads at once."""

    @property
    def manifest(self) -> Manifest:
        """What the version says about itself."""
        ...

    def visible(self, query: Query) -> Visible:
        """Return what may be retrieved for the query."""
        ...

    def search_meaning(self, vector: Vectors, visible: Visible, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows nearest in meaning and their cosines, best first."""
        ...

    def sample(self, visible: Visible, at_most: int) -> Rows:
        """Return up to `at_most` of the visible rows, evenly spread over them, the same every time."""
        ...

    def background(self, vector: Vectors, visible: Visible) -> float:
        """Return the mean cosine with a spread sample of the visible rows, 0 when there are none."""
        ...

    def search_words(self, weights: Mapping[str, float], visible: Visible, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows that hold any of the terms and their BM25 scores, best first."""
        ...

    def counts(self, terms: Iterable[str], visible: Visible) -> dict[str, int]:
        """Return in how many visible rows each term stands."""
        ...

    def letters(self) -> str:
        """Return the letters that the indexed terms are written in."""
        ...

    def known(self, terms: Iterable[str]) -> list[str]:
        """Return those of the terms, in their order, that any row holds, visible or not."""
        ...

    def columns(self, rows: Rows, vector: Vectors) -> Columns:
        """Return what ranking asks of those rows, which rise, beside a question's vector."""
        ...

    def fetch(self, rows: Sequence[int]) -> list[Entry]:
        """Return the entries of those rows, in that order."""
        ...

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks alone of those rows, in that order."""
        ...

    def documents(self) -> Mapping[str, StoredDocument]:
        """Return every document of the version, whatever its status, by id."""
        ...

    def document_text(self, document_id: str) -> str:
        """Return the file's decoded text. Raises KeyError for a document that the version doesn't hold."""
        ...

    def chunks_of(self, document_id: str) -> list[Chunk]:
        """Return the chunks of a document in order. Raises KeyError."""
        ...

    def damage(self) -> list[str]:
        """Return the names of what is missing or not as it was sealed; looking takes time."""
        ...


class Draft(Protocol):
    """A version under construction. Nobody else sees it before it is sealed."""

    def keeps(self, document: Document) -> bool:
        """Take a document over from the version that this one follows, if it is there just as it is; say whether."""
        ...

    def put(self, document: Document, entries: Sequence[Entry]) -> None:
        """Add a document and its entries. Documents of one access had best come one after another."""
        ...

    def preview(self) -> IndexVersion:
        """End the filling, and return the version to be tried before it is sealed."""
        ...

    def seal(self, calibration: Mapping[str, Any] | None) -> IndexVersion:
        """Finish the version; from here on it never changes."""
        ...

    def abandon(self) -> None:
        """Remove every trace of it."""
        ...


class Engine(Protocol):
    """A place for the versions of one collection. Everything raises PartUnavailable when the place can't be reached."""

    def alone(self) -> AbstractContextManager[None]:
        """Hold off everybody else who would build, switch or drop here."""
        ...

    def beside(self) -> AbstractContextManager[Engine]:
        """Enter with a place for what is only tried; it has the live version to take documents over from, and is gone
        afterwards."""
        ...

    def begin(self, manifest: Manifest, after: str | None = None) -> Draft:
        """Start a version, after removing what a killed build left; be `alone`. Documents that the version `after`
        holds may be taken over from there."""
        ...

    def live_id(self) -> str:
        """Return the id of the live version, whether or not it can be read; "" when there is none yet."""
        ...

    def current(self) -> IndexVersion | None:
        """Return the live version, None when there is none yet. Once for each request is enough. Raises IndexProblem
        when it can't be read."""
        ...

    def versions(self) -> list[Manifest]:
        """Return the sealed versions that can be read, newest first."""
        ...

    def open(self, version: str) -> IndexVersion:
        """Return a sealed version. Raises IndexProblem."""
        ...

    def switch(self, version: str) -> IndexVersion:
        """Make a sealed version the live one, in one step. Raises IndexProblem when it is missing or damaged."""
        ...

    def drop(self, version: str) -> None:
        """Remove a version that isn't live. Raises IndexProblem."""
        ...

    def discard(self, version: str) -> None:
        """Remove a damaged version, also the live one: then there is none."""
        ...

    def prune(self) -> list[str]:
        """Drop all versions but the live one and the newest others, KEPT in all, those that can't be read, and what
        none of the rest needs; return their ids."""
        ...

    def close(self) -> None:
        """Give back what is open for nobody; whoever asks again opens it anew."""
        ...
