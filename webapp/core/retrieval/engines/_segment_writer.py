"""Writing one segment of the local engine, row by row."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from webapp.core.retrieval.engine import Entry, StoredDocument
from webapp.core.retrieval.engines._rows import AccessRanges
from webapp.core.retrieval.engines._segment import (
    ABOUT,
    CODES,
    DOCUMENTS,
    NUMBER_STARTS,
    NUMBERS,
    RECORD_STARTS,
    RECORDS,
    SENTENCE_STARTS,
    SENTENCES,
    SLACK,
    STEPS,
    TEXTS,
    VECTORS,
    WORDS,
    text_file,
)
from webapp.core.retrieval.files import replace_file, sha256_of
from webapp.core.retrieval.keyword import KeywordWriter
from webapp.core.retrieval.records import line_of
from webapp.core.retrieval.rounded import Rounded

_FILES = (VECTORS, CODES, STEPS, SLACK, SENTENCES, NUMBERS, RECORDS, DOCUMENTS)
_AT_ONCE = 4_096  # rows that are rounded together


class SegmentWriter:
    """A segment under construction in a folder of its own."""

    def __init__(self, folder: Path, dim: int) -> None:
        self.folder = folder
        self._dim = dim
        folder.mkdir(parents=True)
        self._files = {name: (folder / name).open("wb") for name in _FILES}
        self._record_starts = [0]
        self._sentence_starts = [0]
        self._number_starts = [0]
        self._accesses = AccessRanges()
        self._words = KeywordWriter(folder / WORDS)
        self.documents = 0

    @property
    def rows(self) -> int:
        """How many rows there are so far."""
        return len(self._record_starts) - 1

    def put(self, document: StoredDocument, text: str, entries: Sequence[Entry]) -> None:
        """Add a document, its text and its entries. Documents of one access had best come one after another."""
        self._keep_text(document.text_hash, text)
        stored = document.model_copy(update={"first_row": self.rows, "chunks": len(entries)})
        for entry in entries:
            self._put_entry(entry)
        self.documents += 1
        self._files[DOCUMENTS].write(stored.model_dump_json().encode() + b"\n")

    def _keep_text(self, text_hash: str, text: str) -> None:
        file = text_file(self.folder.parent.parent / TEXTS, text_hash)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file, text.encode("utf-8"), durable=False)

    def _put_entry(self, entry: Entry) -> None:
        row = self.rows
        written = self._files[RECORDS].write(line_of(entry))
        self._record_starts.append(self._record_starts[-1] + written)
        self._files[VECTORS].write(entry.vector.astype("<f4").tobytes())
        self._files[SENTENCES].write(entry.sentence_vectors.astype("<f2").tobytes())
        self._sentence_starts.append(self._sentence_starts[-1] + len(entry.sentence_vectors))
        self._files[NUMBERS].write(entry.numbers.astype("<u8").tobytes())
        self._number_starts.append(self._number_starts[-1] + len(entry.numbers))
        self._words.add(self._accesses.add(entry.chunk, row), entry.terms)

    def finish(self) -> None:
        """Write what can only be written at the end; from here on nothing changes."""
        longest = self._round()
        for file in self._files.values():
            file.close()
        all_starts = {
            RECORD_STARTS: self._record_starts,
            SENTENCE_STARTS: self._sentence_starts,
            NUMBER_STARTS: self._number_starts,
        }
        for name, starts in all_starts.items():
            (self.folder / name).write_bytes(np.array(starts, dtype="<i8").tobytes())
        self._words.finish()
        about = {"rows": self.rows, "dim": self._dim, "longest": longest, "accesses": self._accesses.listed}
        about["checksums"] = self._checksums()
        replace_file(self.folder / ABOUT, json.dumps(about, ensure_ascii=False).encode())

    def _round(self) -> float:
        """Write the vectors rounded, which is quicker for many at once; return the length of the longest."""
        self._files[VECTORS].flush()
        longest = 0.0
        with (self.folder / VECTORS).open("rb") as whole:
            while len(block := np.fromfile(whole, "<f4", _AT_ONCE * self._dim)):
                rounded = Rounded.of(block.reshape(-1, self._dim))
                self._files[CODES].write(rounded.codes.tobytes())
                self._files[STEPS].write(rounded.steps.astype("<f4").tobytes())
                self._files[SLACK].write(rounded.slack.astype("<f4").tobytes())
                longest = max(longest, rounded.longest)
        return longest

    def _checksums(self) -> dict[str, str]:
        files = sorted(path for path in self.folder.rglob("*") if path.is_file() and path.suffix != ".lock")
        return {path.relative_to(self.folder).as_posix(): sha256_of(path) for path in files}

    def abandon(self) -> None:
        """Remove every trace of it."""
        for file in self._files.values():
            with suppress(OSError):
                file.close()
        shutil.rmtree(self.folder, ignore_errors=True)
