"""Values as the engine postgres sends and keeps them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry
from webapp.core.retrieval.records import entry_from_parts, parts_of

_LENGTHS = struct.Struct("<II")  # of the two parts of a record
VECTOR_AT = _LENGTHS.size  # where in a packed entry its vector begins
_QUICKLY = 1  # a chunk is made a third as long; more effort would gain little
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


def packed(entry: Entry) -> bytes:
    """Return an entry as one value: two lengths, its vector, what ranking asks for, its chunk, sentences' vectors."""
    ranked, chunk = parts_of(entry)
    chunk = zlib.compress(chunk, _QUICKLY)
    lengths = _LENGTHS.pack(len(ranked), len(chunk))
    numbers = entry.vector.astype("<f4").tobytes(), entry.sentence_vectors.astype("<f2").tobytes()
    return b"".join((lengths, numbers[0], ranked, chunk, numbers[1]))


def unpacked(values: Iterable[bytes], dim: int) -> list[Entry]:
    """Read back what `packed` gave; the numbers of all at once, which takes a fraction of the time."""
    values = list(values)
    ranked_at = VECTOR_AT + 4 * dim
    chunk_at = [ranked_at + _LENGTHS.unpack_from(value)[0] for value in values]
    sentences_at = [at + _LENGTHS.unpack_from(value)[1] for at, value in zip(chunk_at, values, strict=True)]
    vectors = vectors_of((value[VECTOR_AT:ranked_at] for value in values), dim)
    joined = b"".join(value[at:] for at, value in zip(sentences_at, values, strict=True))
    sentences = np.frombuffer(joined, dtype="<f2").astype(np.float32).reshape(-1, dim)
    ends = np.cumsum([(len(value) - at) // (2 * dim) for at, value in zip(sentences_at, values, strict=True)]).tolist()
    places = zip(values, chunk_at, sentences_at, vectors, [0, *ends], ends, strict=False)
    return [
        entry_from_parts(value[ranked_at:at], partial(_unzipped, value, at, over), vector, sentences[first:last])
        for value, at, over, vector, first, last in places
    ]


def _unzipped(value: bytes, start: int, end: int) -> bytes:
    return zlib.decompress(value[start:end])


def vectors_of(kept: Iterable[bytes], dim: int) -> Vectors:
    """Read vectors out of packed entries, (vectors, dim)."""
    vectors: Vectors = np.frombuffer(b"".join(kept), dtype="<f4").astype(np.float32, copy=False).reshape(-1, dim)
    return vectors
