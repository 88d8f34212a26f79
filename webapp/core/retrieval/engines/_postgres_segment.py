"""Reading one segment of the engine postgres."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, LiteralString

import numpy as np
from psycopg import sql

from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry, IndexProblem, Scores, StoredDocument, VisiblePart
from webapp.core.retrieval.engines import _postgres_tables as tables
from webapp.core.retrieval.engines._postgres_servers import Connection, Servers
from webapp.core.retrieval.engines._postings import Postings, best_rows, length_norms
from webapp.core.retrieval.engines._rows import SegmentRows
from webapp.core.retrieval.records import entry_from_line
from webapp.core.retrieval.vectors import Rows

_HEAD = 4  # bytes that pgvector sends before the numbers
_ENTRIES_KEPT = 4_096
_POSTINGS_KEPT = 4_000_000
_SAMPLES_KEPT = 16

_NEAR_EXACT = """
SELECT number, -(vector <#> %(vector)s::vector) FROM unnest(%(starts)s::int[], %(ends)s::int[]) AS slice (first, over)
JOIN {schema}.chunks ON number >= first AND number < over ORDER BY vector <#> %(vector)s::vector, number LIMIT %(limit)s
"""
# The graph holds numbers of half the precision: it puts forward twice as many, and the order comes from the whole ones.
# `half` is `vector` again, because a value has one type in a statement.
_NEAR = """
SELECT number, -(vector <#> %(vector)s::vector) FROM (
    SELECT number, vector FROM {schema}.chunks WHERE number <@ %(ranges)s::int4multirange
    ORDER BY vector::halfvec({dim}) <#> %(half)s::halfvec({dim}) LIMIT 2 * %(limit)s
) AS near ORDER BY vector <#> %(vector)s::vector, number LIMIT %(limit)s
"""
# How many rows the walk through the graph keeps in sight: as many as it takes to meet enough visible ones.
_EFFORT = "SELECT set_config('hnsw.ef_search', %(effort)s, false)"
_LEAST_EFFORT, _MOST_EFFORT = 200, 1_000
_VECTORS = "SELECT number, vector_send(vector) FROM {schema}.chunks WHERE number = ANY(%s)"
_ENTRIES = "SELECT number, vector_send(vector), record, sentences FROM {schema}.chunks WHERE number = ANY(%s)"
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
        self._known: dict[int, Entry] = {}
        self._postings: dict[str, Postings] = {}
        self._postings_kept = 0
        self._sampled: dict[bytes, Vectors] = {}
        self._is_sound = False  # every row was found to be as it was written

    def _read(self, statement: LiteralString, values: Any = (), **filling: sql.Composable) -> list[tuple[Any, ...]]:
        composed = tables.filled(statement, self.number, **filling)

        def work(connection: Connection) -> list[tuple[Any, ...]]:
            if "effort" in values:
                connection.execute(_EFFORT, values)
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
        given = {"vector": _written(vector), "limit": limit}
        if visible.rows <= tables.NARROW or not tables.has_graph(self.rows, self._dim):
            starts, ends = [start for start, _ in visible.slices], [end for _, end in visible.slices]
            found = self._read(_NEAR_EXACT, given | {"starts": starts, "ends": ends})
        else:
            ranges = ",".join(f"[{start},{end})" for start, end in visible.slices)
            effort = min(_MOST_EFFORT, max(_LEAST_EFFORT, 2 * limit * self.rows // visible.rows))
            given |= {"half": given["vector"], "ranges": f"{{{ranges}}}", "effort": str(effort)}
            found = self._read(_NEAR, given, dim=sql.Literal(self._dim))
        rows, cosines = [row for row, _ in found], [cosine for _, cosine in found]
        return np.array(rows, dtype=np.int64), np.array(cosines, dtype=np.float32)

    def cosines(self, rows: Rows, vector: Vectors) -> Scores:
        """Return how near each of the rows is in meaning. Question after question asks for the same few samples, so
        their vectors are kept."""
        key = rows.tobytes()
        vectors = self._sampled.get(key)
        if vectors is None:
            vectors = self._vectors(rows.tolist())
            if len(self._sampled) >= _SAMPLES_KEPT:
                self._sampled.clear()
            self._sampled[key] = vectors
        cosines: Scores = vectors @ vector
        return cosines

    def _vectors(self, rows: list[int]) -> Vectors:
        by_row = {number: _vector(sent) for number, sent in self._read(_VECTORS, [rows])}
        return np.array([by_row[row] for row in rows], dtype=np.float32).reshape(-1, self._dim)

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
        found = {row: entry for row in rows if (entry := self._known.get(row))}
        missing = [row for row in dict.fromkeys(rows) if row not in found]
        if missing:
            read = _entries(self._read(_ENTRIES, [missing]), self._dim)
            if len(self._known) + len(read) > _ENTRIES_KEPT:
                self._known.clear()
            self._known.update(read)
            found |= read
        return [found[row] for row in rows]

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


def _written(vector: Vectors) -> str:
    return f"[{','.join(map(repr, vector.tolist()))}]"


def _vector(sent: bytes) -> Vectors:
    """Read a vector as pgvector sends it: how many numbers, two empty bytes, and the numbers."""
    return np.frombuffer(sent, dtype=">f4", offset=_HEAD).astype(np.float32)


def _entries(kept: Sequence[tuple[int, bytes, bytes, bytes]], dim: int) -> dict[int, Entry]:
    """Read rows of chunks: number, vector, record and sentences; all numbers at once, which takes a fraction of the
    time."""
    vectors = np.frombuffer(b"".join(row[1][_HEAD:] for row in kept), dtype=">f4").astype(np.float32).reshape(-1, dim)
    sentences = np.frombuffer(b"".join(row[3] for row in kept), dtype="<f2").astype(np.float32).reshape(-1, dim)
    ends = np.cumsum([len(row[3]) // (2 * dim) for row in kept]).tolist()
    ranges = zip([0, *ends], ends, strict=False)
    return {
        row[0]: entry_from_line(row[2], vector, sentences[start:end])
        for row, vector, (start, end) in zip(kept, vectors, ranges, strict=True)
    }
