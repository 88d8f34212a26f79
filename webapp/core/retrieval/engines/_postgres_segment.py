"""Reading one segment of the engine postgres."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, LiteralString

import numpy as np

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.columns import Columns
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry, IndexProblem, Scores, StoredDocument, VisiblePart
from webapp.core.retrieval.engines import _postgres_tables as tables
from webapp.core.retrieval.engines._postgres_servers import Connection, Servers
from webapp.core.retrieval.engines._postgres_values import (
    VECTOR_AT,
    Integers,
    Reals,
    columns_of,
    sentences_of,
    vectors_of,
)
from webapp.core.retrieval.engines._postings import Postings, best_rows, length_norms
from webapp.core.retrieval.engines._rows import SegmentRows
from webapp.core.retrieval.records import chunk_from_line, entry_from_line
from webapp.core.retrieval.vectors import Rows, dots

_RANKED_KEPT = 4_096
_SOME_MORE = 8  # rows than are wanted: halves of numbers put forward, whole ones decide
_POSTINGS_KEPT = 4_000_000

_COMPARED = """
SELECT number FROM unnest(%(starts)s::int[], %(ends)s::int[]) AS slice (first, over)
JOIN {schema}.vectors ON number >= first AND number < over
ORDER BY -(half <#> %(vector)s::real[]::halfvec({dim})) DESC, number LIMIT %(limit)s
"""
_WALKED = """
SELECT number FROM {schema}.vectors WHERE number <@ %(ranges)s::int4multirange
ORDER BY half <#> %(vector)s::real[]::halfvec({dim}) LIMIT %(limit)s
"""
# How many rows a walk through the graph keeps in sight: as many as it takes to meet enough visible ones.
_EFFORT = "SELECT set_config('hnsw.ef_search', %s, false)"
_LEAST_EFFORT, _MOST_EFFORT = 100, 1_000
_VECTORS = "SELECT number, substr(ranked, 1, %s) FROM {schema}.chunks WHERE number = ANY(%s)"
_RANKED = "SELECT number, ranked FROM {schema}.chunks WHERE number = ANY(%s)"
_RECORDS = "SELECT number, record FROM {schema}.chunks WHERE number = ANY(%s)"
_TERMS = "SELECT term, rows, counts FROM {schema}.terms WHERE term = ANY(%s) ORDER BY term, part"
_KNOWN = "SELECT DISTINCT term FROM {schema}.terms WHERE term = ANY(%s)"
_LENGTHS = "SELECT lengths FROM evidencedesk_index.segments WHERE number = %s LIMIT 1"
_SUMS = "SELECT sums FROM evidencedesk_index.segments WHERE number = %s LIMIT 1"


class PostgresSegment(SegmentRows):
    """Rows of one build, read where they lie; what is asked for again and again is kept."""

    def __init__(self, servers: Servers, name: str, number: int, about: Mapping[str, Any]) -> None:
        super().__init__(name, int(about["rows"]), about["accesses"])
        self.number = number
        self._servers = servers
        self._dim = int(about["dim"])
        self._letters = str(about["letters"])
        self._ranked: dict[int, bytes] = {}
        self._postings: dict[str, Postings] = {}
        self._postings_kept = 0
        self._is_sound = False  # every row was found to be as it was written

    def _read(self, statement: LiteralString, values: Any = (), effort: int = 0) -> list[tuple[Any, ...]]:
        """Return the rows that a statement gives; `effort` is that of a walk through the graph."""
        composed = tables.composed(statement, self.number, self._dim)

        def work(connection: Connection) -> list[tuple[Any, ...]]:
            if effort and effort != connection.effort:
                connection.execute(_EFFORT, [str(effort)])
                connection.effort = effort
            return connection.cursor(binary=True).execute(composed, values).fetchall()

        return self._servers.search(self.number, work)

    @cached_property
    def documents(self) -> dict[str, StoredDocument]:
        """Its documents by id; their rows are counted from 0."""
        kept = self._read("SELECT document FROM {schema}.documents ORDER BY number")
        documents = (StoredDocument.model_validate_json(document) for (document,) in kept)
        return {document.id: document for document in documents}

    @property
    def letters(self) -> str:
        """The letters that its terms are written in."""
        return self._letters

    def search_meaning(self, vector: Vectors, visible: VisiblePart, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows nearest in meaning and their cosines, best first."""
        wanted = min(limit + _SOME_MORE, visible.rows)
        near = sorted(self._near(vector, visible, wanted))
        cosines = dots(vectors_of(self._ranked_of(near), self._dim), vector).astype(np.float32, copy=False)
        best = np.argsort(-cosines, kind="stable")[:limit]
        return np.array(near, dtype=np.int64)[best], cosines[best]

    def _near(self, vector: Vectors, visible: VisiblePart, limit: int) -> list[int]:
        """Return the visible rows whose halves of numbers are the nearest."""
        given = {"vector": Reals(vector), "limit": limit}
        if not tables.has_graph(self.rows, self._dim) or tables.are_few(visible.rows, self.rows):
            starts, ends = [start for start, _ in visible.slices], [end for _, end in visible.slices]
            found = self._read(_COMPARED, given | {"starts": starts, "ends": ends})
        else:
            ranges = ",".join(f"[{start},{end})" for start, end in visible.slices)
            # A walk that meets too few visible rows is followed by another one: better look at half as many hidden ones
            # again as stand between the wanted ones on average.
            hidden = limit * (self.rows - visible.rows) // visible.rows
            effort = min(_MOST_EFFORT, max(_LEAST_EFFORT, limit + 3 * hidden // 2))
            found = self._read(_WALKED, given | {"ranges": f"{{{ranges}}}"}, effort)
        return [row for (row,) in found]

    def columns(self, rows: Rows, vector: Vectors) -> Columns:
        """Return what ranking asks of the rows, in that order, beside a question's vector."""
        return columns_of(self._ranked_of(rows.tolist()), vector)

    def _ranked_of(self, rows: Sequence[int]) -> list[bytes]:
        """Return what ranking asks of the rows as it is kept."""
        found = {row: ranked for row in rows if (ranked := self._ranked.get(row))}
        if missing := [row for row in rows if row not in found]:
            read = dict(self._read(_RANKED, [Integers(missing)]))
            self._ranked.update(read)
            for row in list(self._ranked)[:-_RANKED_KEPT]:  # the oldest, not all: that would take longer than a search
                self._ranked.pop(row, None)
            found |= read
        return [found[row] for row in rows]

    def vectors_of(self, rows: Rows) -> Vectors:
        """Return the vectors of those rows, of which there is one at least, (rows, dim)."""
        by_row = dict(self._read(_VECTORS, [VECTOR_AT + 4 * self._dim, Integers(rows.tolist())]))
        return vectors_of((by_row[row] for row in rows.tolist()), self._dim)

    def search_words(self, weights: Mapping[str, float], visible: VisiblePart, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows that hold any of the terms and their BM25 scores, best first."""
        wanted = {term: weight for term, weight in weights.items() if weight > 0}
        return best_rows(wanted, self._postings_of(wanted), self.rows, visible.slices, limit)

    def counts(self, terms: Iterable[str], visible: VisiblePart) -> dict[str, int]:
        """Return in how many visible rows each term stands."""
        return {term: postings.within(visible.slices) for term, postings in self._postings_of(terms).items()}

    def known(self, terms: Iterable[str]) -> set[str]:
        """Return those of the terms that any row holds."""
        given = {tables.term_bytes(term): term for term in terms}
        return {given[term] for (term,) in self._read(_KNOWN, [list(given)])}

    def _postings_of(self, terms: Iterable[str]) -> dict[str, Postings]:
        found = {term: self._postings.get(term) for term in terms}
        read = self._read_postings([term for term, postings in found.items() if postings is None])
        return {term: postings or read[term] for term, postings in found.items()}

    def _read_postings(self, terms: Sequence[str]) -> dict[str, Postings]:
        if not terms:
            return {}
        parts: dict[bytes, list[tuple[bytes, bytes]]] = {tables.term_bytes(term): [] for term in terms}
        for term, rows, counts in self._read(_TERMS, [list(parts)]):
            parts[term].append((rows, counts))
        read = {term: Postings.unpacked(parts[tables.term_bytes(term)], self._norms) for term in terms}
        self._postings_kept += sum(len(postings.rows) + 1 for postings in read.values())
        if self._postings_kept > _POSTINGS_KEPT:
            self._postings.clear()
            self._postings_kept = 0
        self._postings.update(read)
        return read

    @cached_property
    def _norms(self) -> Scores:
        ((lengths,),) = self._read(_LENGTHS, [self.number])
        return length_norms(np.frombuffer(lengths, dtype="<u4"))

    def entries(self, rows: Sequence[int]) -> list[Entry]:
        """Return the entries of those rows, in that order."""
        records = dict(self._read(_RECORDS, [Integers(rows)]))
        ranked = self._ranked_of(rows)
        vectors = vectors_of(ranked, self._dim)
        return [
            entry_from_line(records[row], vector, sentences_of(value, self._dim))
            for row, vector, value in zip(rows, vectors, ranked, strict=True)
        ]

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks alone of those rows, in that order."""
        records = dict(self._read(_RECORDS, [Integers(rows)]))
        return [chunk_from_line(records[row]) for row in rows]

    def text_of(self, document_id: str) -> str:
        """Return a document's decoded text. Raises KeyError."""
        if document_id not in self.documents:
            raise KeyError(document_id)
        number = list(self.documents).index(document_id)
        ((body,),) = self._read("SELECT body FROM {schema}.documents WHERE number = %s", [number])
        return bytes(body).decode("utf-8")

    def damage(self) -> list[str]:
        """Return the names of tables that are missing or not as they were written.

        Every row is read once in a process; from then on, as nothing here ever changes one, they are only counted.
        """
        try:
            differing = self._differing()
        except IndexProblem as problem:
            return [str(problem)]
        self._is_sound = not differing
        return differing

    def _differing(self) -> list[str]:
        kept = json.loads(self._read(_SUMS, [self.number])[0][0])
        found = {"counts": self._read(tables.COUNTS)[0]}
        if not self._is_sound:
            found["sums"] = self._read(tables.SUMS)[0]
        return [
            name
            for number, name in enumerate(tables.COMPARED)
            if any(sums[number] != kept[kind][number] for kind, sums in found.items())
        ]
