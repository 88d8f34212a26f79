"""Vectors by embedder and text, kept on disk, so that text that didn't change is never embedded again.

One file an embedder: records of one size, only ever appended, each with the hash of its text and a check sum. Writers
take a lock, so processes can share it; a record cut short by a crash is cut off before the next is written.
"""

from __future__ import annotations

import hashlib
import re
import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from webapp.core.retrieval.embedders.base import Embedder, Remote, Vectors, numbers_of
from webapp.core.retrieval.files import locked

BATCH = 64  # texts sent away at once
STEP = 16  # texts embedded here between two writes: what a crash can lose, and how soon the work can be called off
Progress = Callable[[int, int], None]


def _ignore(done: int, total: int) -> None:
    """Report to nobody."""


class VectorCache:
    """The passage vectors known to one embedder."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self._file = folder / f"{re.sub(r'[^a-zA-Z0-9._-]', '_', embedder.name)}-{embedder.dim}.vectors"
        self._known = _records_of(self._file, embedder.dim)
        self._known.refresh()

    def missing(self, texts: Iterable[str]) -> list[str]:
        """Return those of the texts that have no vector yet, once each."""
        return [text for text in dict.fromkeys(texts) if not self._known.holds(_key(text))]

    def passages(self, texts: Sequence[str], progress: Progress = _ignore) -> Vectors:
        """Return a vector for each text, (texts, dim); those not yet known are embedded and kept."""
        self.fill(texts, progress)
        return self.known(texts)

    def known(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, (texts, dim). Raises KeyError for one that isn't known."""
        return self._known.vectors([_key(text) for text in texts])

    def fill(self, texts: Iterable[str], progress: Progress = _ignore) -> None:
        """Embed and keep those of the texts that aren't known yet."""
        texts = sorted(self.missing(texts), key=len)  # a batch of like lengths keeps every core busy to its end
        if not texts:
            return
        step = BATCH if isinstance(self._embedder, Remote) else STEP
        for start in range(0, len(texts), step):
            batch = texts[start : start + step]
            vectors = numbers_of(self._embedder, self._embedder.passages(batch))
            self._known.append([_key(text) for text in batch], vectors)
            progress(start + len(batch), len(texts))
        self._known.refresh()


class _Records:
    """The file of one embedder and what is known of it: a process reads a record's key once, however often it asks."""

    def __init__(self, file: Path, dim: int) -> None:
        self._file = file
        self._type = np.dtype([("key", "u1", 32), ("vector", "<f4", dim), ("check", "<u4")])
        self._reading = threading.Lock()
        self._forget(0)

    def _forget(self, inode: int) -> None:
        self._inode = inode
        self._rows: dict[bytes, int] = {}
        self._records = np.empty(0, dtype=self._type)

    def refresh(self) -> None:
        """Take in what has been written since."""
        with self._reading:
            found = self._file.stat() if self._file.exists() else None
            size = found.st_size // self._type.itemsize if found else 0
            known = len(self._records)
            if found is None or found.st_ino != self._inode or size < known:
                self._forget(found.st_ino if found else 0)
                known = 0
            if size > known:
                self._records = np.asarray(np.memmap(self._file, dtype=self._type, mode="r", shape=(size,)))
                keys = self._records["key"][known:].tobytes()
                self._rows |= {keys[i * 32 : i * 32 + 32]: known + i for i in range(size - known)}

    def holds(self, key: bytes) -> bool:
        """Tell whether there is a vector for the key, undamaged."""
        row = self._rows.get(key)
        if row is None:
            return False
        record = self._records[row]
        kept = record["key"].tobytes()
        return kept == key and bool(record["check"] == _check(kept, record["vector"].tobytes()))

    def vectors(self, keys: Sequence[bytes]) -> Vectors:
        """Return the vectors of keys that are held, (keys, dim)."""
        vectors: Vectors = self._records["vector"][[self._rows[key] for key in keys]].astype(np.float32, copy=False)
        return vectors

    def append(self, keys: list[bytes], vectors: Vectors) -> None:
        """Write records; what a crash has cut short is cut off first."""
        records = np.empty(len(keys), dtype=self._type)
        records["key"] = np.frombuffer(b"".join(keys), dtype="u1").reshape(-1, 32)
        records["vector"] = vectors
        records["check"] = [_check(key, row.tobytes()) for key, row in zip(keys, records["vector"], strict=True)]
        with locked(self._file), self._file.open("ab") as file:
            size = self._file.stat().st_size
            file.truncate(size - size % self._type.itemsize)
            file.write(records.tobytes())


@lru_cache(maxsize=8)
def _records_of(file: Path, dim: int) -> _Records:
    return _Records(file, dim)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _check(key: bytes, vector: bytes) -> int:
    return zlib.crc32(vector, zlib.crc32(key))
