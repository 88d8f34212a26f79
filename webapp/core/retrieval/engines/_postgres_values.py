"""Values as the engine postgres sends and keeps them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

from webapp.core.retrieval.columns import Columns, Ragged
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry
from webapp.core.retrieval.vectors import dots, whole

_COUNT = struct.Struct("<I")
VECTOR_AT = _COUNT.size  # where the vector begins in what ranking asks for
_ARRAY_HEAD = struct.Struct(">iiIii")  # dimensions, whether any is null, type, how many, the first one's number


@dataclass(frozen=True, slots=True, eq=False)
class Reals:
    """A vector on its way to the server, where it is a real[]."""

    numbers: Vectors


@dataclass(frozen=True, slots=True, eq=False)
class Integers:
    """Numbers of rows on their way to the server, where they are an int[]."""

    numbers: Sequence[int]


class RealsDumper(Dumper):
    """Writes them in binary, all at once, which spares both sides the decimals."""

    format = Format.BINARY
    oid = psycopg.adapters.types["float4"].array_oid

    def dump(self, obj: Reals) -> bytes:
        """Return the array as the server reads it."""
        return _array(obj.numbers, ">f4", psycopg.adapters.types["float4"].oid)


class IntegersDumper(Dumper):
    """Likewise."""

    format = Format.BINARY
    oid = psycopg.adapters.types["int4"].array_oid

    def dump(self, obj: Integers) -> bytes:
        """Return the array as the server reads it."""
        return _array(obj.numbers, ">i4", psycopg.adapters.types["int4"].oid)


def _array(numbers: Sequence[int] | Vectors, kind: str, oid: int) -> bytes:
    items = np.empty(len(numbers), dtype=[("size", ">i4"), ("number", kind)])
    items["size"], items["number"] = 4, numbers
    return _ARRAY_HEAD.pack(1, 0, oid, len(items), 1) + items.tobytes()


def half_bytes(vector: Vectors) -> bytes:
    """Return a vector as pgvector takes a halfvec: how many numbers, two empty bytes, and the numbers."""
    numbers: bytes = vector.astype(">f2").tobytes()
    return len(vector).to_bytes(2, "big") + b"\0\0" + numbers


def ranked_of(entry: Entry) -> bytes:
    """Return what ranking asks of an entry as one value: how many sentences, its vector, theirs, and its numbers."""
    numbers = ((entry.vector, "<f4"), (entry.sentence_vectors, "<f2"), (entry.numbers, "<u8"))
    return _COUNT.pack(len(entry.sentence_vectors)) + b"".join(each.astype(kind).tobytes() for each, kind in numbers)


def columns_of(ranked: Sequence[bytes], vector: Vectors) -> Columns:
    """Read back what `ranked_of` gave, beside a question's vector. All numbers are read at once, which takes a fraction
    of the time."""
    dim = len(vector)
    counts = [_COUNT.unpack_from(value)[0] for value in ranked]
    ends = [_sentences_at(dim) + 2 * dim * count for count in counts]
    sentences = _halves(b"".join(value[_sentences_at(dim) : end] for value, end in zip(ranked, ends, strict=True)), dim)
    numbers = np.frombuffer(b"".join(value[end:] for value, end in zip(ranked, ends, strict=True)), dtype="<u8")
    lengths = [(len(value) - end) // numbers.itemsize for value, end in zip(ranked, ends, strict=True)]
    return Columns(
        dots(vectors_of(ranked, dim), vector),
        Ragged.of(dots(sentences, vector), np.array(counts, dtype=np.int64)),
        Ragged.of(numbers, np.array(lengths, dtype=np.int64)),
    )


def vectors_of(ranked: Iterable[bytes], dim: int) -> Vectors:
    """Return the vectors in what `ranked_of` gave, (vectors, dim)."""
    whole = b"".join(value[VECTOR_AT : _sentences_at(dim)] for value in ranked)
    vectors: Vectors = np.frombuffer(whole, dtype="<f4").astype(np.float32, copy=False).reshape(-1, dim)
    return vectors


def sentences_of(ranked: bytes, dim: int) -> Vectors:
    """Return the vectors of the sentences, (sentences, dim)."""
    return _halves(ranked[_sentences_at(dim) : _sentences_at(dim) + 2 * dim * _COUNT.unpack_from(ranked)[0]], dim)


def _sentences_at(dim: int) -> int:
    return VECTOR_AT + 4 * dim


def _halves(kept: bytes, dim: int) -> Vectors:
    return whole(np.frombuffer(kept, dtype="<f2")).reshape(-1, dim)
