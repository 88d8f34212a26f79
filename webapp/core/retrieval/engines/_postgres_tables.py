"""The tables of the engine postgres: lists of what there is, and those of each segment, in a schema of its own."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import LiteralString

from psycopg import sql

NARROW = 8_000  # rows: so many are compared in the time of a walk through their graph, and none is missed
_LARGEST_INDEXED = 4_000  # numbers of a vector that a graph can be made of
_LARGEST_INSIDE = 3_900  # numbers of a vector that fits in its row
_LONGEST_TERM = 1_000  # bytes; an index of the database takes 2,700

# `place` is the collection's name, or that of what is tried beside it. A segment may stand in several places.
LISTS: LiteralString = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS evidencedesk_index;
CREATE SEQUENCE IF NOT EXISTS evidencedesk_index.numbers;
CREATE TABLE IF NOT EXISTS evidencedesk_index.segments (place text, name text, number bigint NOT NULL,
    sealed boolean NOT NULL DEFAULT false, about text, lengths bytea, sums text, PRIMARY KEY (place, name));
CREATE TABLE IF NOT EXISTS evidencedesk_index.versions (place text, id text, manifest text NOT NULL,
    PRIMARY KEY (place, id));
CREATE TABLE IF NOT EXISTS evidencedesk_index.live (place text PRIMARY KEY, version text NOT NULL,
    FOREIGN KEY (place, version) REFERENCES evidencedesk_index.versions)
"""
# What searches compare stands apart, in short rows, which are read through from the first to the last of a range. What
# ranking asks of a chunk is one value, and stays in its row as long as that fits a page of the database; records, which
# are read for the few that win, give way to it.
_TABLES = """
CREATE SCHEMA {schema};
CREATE TABLE {schema}.vectors (number int NOT NULL, half halfvec({dim}) NOT NULL);
ALTER TABLE {schema}.vectors ALTER half SET STORAGE {storage};
CREATE TABLE {schema}.chunks (number int PRIMARY KEY, ranked bytea NOT NULL, record bytea NOT NULL)
    WITH (toast_tuple_target = 8160);
ALTER TABLE {schema}.chunks ALTER ranked SET STORAGE MAIN;
CREATE TABLE {schema}.documents (number int PRIMARY KEY, document bytea NOT NULL, body bytea NOT NULL);
CREATE TABLE {schema}.terms (term bytea, part int, rows bytea NOT NULL, counts bytea NOT NULL,
    PRIMARY KEY (term, part));
ALTER TABLE {schema}.terms ALTER rows SET STORAGE EXTERNAL, ALTER counts SET STORAGE EXTERNAL
"""
_RANGES = "CREATE INDEX ON {schema}.vectors USING brin (number) WITH (pages_per_range = 8)"
_GRAPH = "CREATE INDEX ON {schema}.vectors USING hnsw (half halfvec_ip_ops)"
COMPARED = ("chunks", "vectors", "documents", "terms")  # when damage is looked for
# Counting them is quick, the sums read every row.
COUNTS = """
SELECT (SELECT count(*) FROM {schema}.chunks), (SELECT count(*) FROM {schema}.vectors),
    (SELECT count(*) FROM {schema}.documents), (SELECT count(*) FROM {schema}.terms)
"""
SUMS = """
SELECT (SELECT md5(string_agg(md5(ranked || record), '' ORDER BY number)) FROM {schema}.chunks),
    (SELECT md5(string_agg(md5(halfvec_send(half)), '' ORDER BY number)) FROM {schema}.vectors),
    (SELECT md5(string_agg(md5(document || body), '' ORDER BY number)) FROM {schema}.documents),
    (SELECT md5(string_agg(md5(rows || counts), '' ORDER BY term, part)) FROM {schema}.terms)
"""


def has_graph(rows: int, dim: int) -> bool:
    """Tell whether a segment has a graph for searching by meaning; all of its rows are compared otherwise."""
    return rows > NARROW and dim <= _LARGEST_INDEXED


def are_few(visible: int, rows: int) -> bool:
    """Tell whether so many visible rows are compared sooner than found by a walk through the graph of all: that takes
    the longer the fewer of those that it meets are visible."""
    return visible**2 <= NARROW * rows


def tables(number: int, dim: int) -> sql.Composed:
    """Return what makes the tables of a segment."""
    storage = sql.SQL("PLAIN" if dim <= _LARGEST_INSIDE else "EXTERNAL")
    return filled(_TABLES, number, dim=sql.Literal(dim), storage=storage)


def indexes(number: int, rows: int, dim: int) -> sql.Composed:
    """Return what makes the indexes of a segment that has so many rows."""
    return filled(f"{_RANGES}; {_GRAPH}" if has_graph(rows, dim) else _RANGES, number)


def filled(statement: LiteralString, number: int, **values: sql.Composable) -> sql.Composed:
    """Return a statement about a segment, with the name of its schema filled in."""
    return sql.SQL(statement).format(schema=schema_of(number), **values)


@lru_cache(maxsize=512)
def composed(statement: LiteralString, number: int, dim: int) -> bytes:
    """Return the same once for all: with the length of the segment's vectors, and ready to be sent."""
    return filled(statement, number, dim=sql.Literal(dim)).as_bytes(None)


def schema_of(number: int) -> sql.Identifier:
    """Return the name of the schema that a segment lies in."""
    return sql.Identifier(f"evidencedesk_segment_{number}")


def term_bytes(term: str) -> bytes:
    """Return a term as it is kept: text of the database can't hold every character, and an index no term of any length.
    What stands for a long one begins with a byte that no text has."""
    whole = term.encode("utf-8", "surrogatepass")
    return whole if len(whole) <= _LONGEST_TERM else b"\xff" + hashlib.sha256(whole).digest()
