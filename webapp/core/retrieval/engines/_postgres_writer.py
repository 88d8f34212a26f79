"""Writing one segment of the engine postgres: a schema of its own, whose tables are filled in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from psycopg import sql

from webapp.core.retrieval.engine import Entry, StoredDocument
from webapp.core.retrieval.engines._postgres_servers import Connection, Servers
from webapp.core.retrieval.engines._postgres_tables import (
    COMPARED,
    COUNTS,
    SUMS,
    filled,
    indexes,
    tables,
    term_bytes,
)
from webapp.core.retrieval.engines._postgres_values import half_bytes, ranked_of
from webapp.core.retrieval.engines._postings import PostingsWriter
from webapp.core.retrieval.engines._rows import AccessRanges
from webapp.core.retrieval.records import line_of

Done = Callable[["PostgresWriter"], None]

_BATCH = 1_000  # rows, or documents, sent at once
_POSTINGS = 4_000_000  # held in memory


class PostgresWriter:
    """A segment under construction. `number` is the one that its place has reserved for it; `done` is told when it is
    finished, `gone` when it is not to be."""

    def __init__(self, servers: Servers, number: int, dim: int, done: Done, gone: Callable[[], None]) -> None:
        self.number = number
        self.documents = 0
        self.rows = 0
        self._servers = servers
        self._dim = dim
        self._accesses = AccessRanges()
        self._postings = PostingsWriter()
        self._parts = 0
        self._chunks: list[tuple[int, bytes, bytes]] = []
        self._vectors: list[tuple[int, bytes]] = []
        self._documents: list[tuple[Any, ...]] = []
        self._done, self._gone = done, gone
        self._execute(tables(number, dim))

    def put(self, document: StoredDocument, text: str, entries: Sequence[Entry]) -> None:
        """Add a document, its text and its entries. Documents of one access had best come one after another."""
        stored = document.model_copy(update={"first_row": self.rows, "chunks": len(entries)})
        for entry in entries:
            self._accesses.add(entry.chunk, self.rows)
            self._postings.add(entry.terms)
            self._chunks.append((self.rows, ranked_of(entry), line_of(entry)))
            self._vectors.append((self.rows, half_bytes(entry.vector)))
            self.rows += 1
        self._documents.append((self.documents, stored.model_dump_json().encode(), text.encode("utf-8")))
        self.documents += 1
        if len(self._chunks) >= _BATCH or len(self._documents) >= _BATCH:
            self._send()

    def _send(self) -> None:
        chunks, self._chunks = self._chunks, []
        vectors, self._vectors = self._vectors, []
        documents, self._documents = self._documents, []
        self._copy("chunks", ("int4", "bytea", "bytea"), chunks)
        self._copy("vectors", ("int4", "bytea"), vectors)
        self._copy("documents", ("int4", "bytea", "bytea"), documents)
        if self._postings.held >= _POSTINGS:
            self._send_postings()

    def _send_postings(self) -> None:
        rows = [(term_bytes(term), self._parts, *packed) for term, *packed in self._postings.take()]
        self._copy("terms", ("bytea", "int4", "bytea", "bytea"), rows)
        self._parts += 1

    def _copy(self, table: str, types: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        statement = filled("COPY {schema}.{table} FROM STDIN (FORMAT BINARY)", self.number, table=sql.Identifier(table))

        def work(connection: Connection) -> None:
            with connection.cursor() as cursor, cursor.copy(statement) as copy:
                copy.set_types(types)
                for row in rows:
                    copy.write_row(row)

        self._servers.write(work)

    def finish(self) -> None:
        """Write what can only be written at the end; from here on nothing changes."""
        self._send()
        self._send_postings()
        self._execute(indexes(self.number, self.rows, self._dim))
        for table in COMPARED:  # no row will ever change, so none need be looked at again to know that all may see it
            self._execute(filled("VACUUM (FREEZE, ANALYZE) {schema}.{table}", self.number, table=sql.Identifier(table)))
        self._done(self)

    def about(self) -> dict[str, Any]:
        """Return what the segment says about itself."""
        accesses, letters = self._accesses.listed, self._postings.letters
        return {"rows": self.rows, "dim": self._dim, "letters": letters, "accesses": accesses}

    def sums(self) -> dict[str, Any]:
        """Return what the tables are compared with when damage is looked for."""
        return {"counts": self._counted(filled(COUNTS, self.number)), "sums": self._counted(filled(SUMS, self.number))}

    def _counted(self, statement: sql.Composed) -> Any:
        return self._servers.write(lambda connection: connection.execute(statement).fetchone())

    def lengths(self) -> bytes:
        """Return how many terms each row has, packed."""
        return np.asarray(self._postings.lengths).astype("<u4").tobytes()

    def abandon(self) -> None:
        """Remove every trace of it."""
        self._gone()

    def _execute(self, statement: sql.Composed) -> None:
        self._servers.write(lambda connection: connection.execute(statement))
