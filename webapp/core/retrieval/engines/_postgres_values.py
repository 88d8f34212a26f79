"""Values as the engine postgres sends and keeps them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
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
_REAL = psycopg.adapters.types["float4"]
_REALS_HEAD = struct.Struct(">iiIii")  # dimensions, whether any is null, type, how many, the first one's number
_REALS = np.dtype([("size", ">i4"), ("number", ">f4")])


@dataclass(frozen=True, slots=True, eq=False)
class Reals:
    """A vector on its way to the server, where it is a real[]."""

    numbers: Vectors


class RealsDumper(Dumper):
    """Writes them in binary, which spares both sides the decimals."""

    format = Format.BINARY
    oid = _REAL.array_oid

    def dump(self, obj: Reals) -> bytes:
        """Return the array as the server reads it."""
        numbers = np.empty(len(obj.numbers), dtype=_REALS)
        numbers["size"], numbers["number"] = _REALS["number"].itemsize, obj.numbers
        return _REALS_HEAD.pack(1, 0, _REAL.oid, len(numbers), 1) + numbers.tobytes()


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
