"""The local engine: every version is a folder of memory-mapped files, the live one is named by a small file.

<folder>/current              the id of the live version
<folder>/<version>/           a sealed version
<folder>/.<version>.draft/    one under construction; debris when nobody holds the build lock
<folder>/texts/               the documents' texts by their hash, shared by the versions
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from typing import Any

import numpy as np

from webapp.core.documents.model import Document
from webapp.core.retrieval.engine import Entry, IndexProblem, Manifest, StoredDocument
from webapp.core.retrieval.engines._version import (
    DOCUMENTS,
    MANIFEST,
    RECORD_STARTS,
    RECORDS,
    SENTENCE_STARTS,
    SENTENCES,
    TEXTS,
    VECTORS,
    WORDS,
    LocalVersion,
    read_manifest,
    text_file,
)
from webapp.core.retrieval.files import replace_file, sha256_of
from webapp.core.retrieval.keyword import KeywordIndex
from webapp.core.retrieval.records import Record
from webapp.core.retrieval.visibility import Access

CURRENT = "current"
KEPT = 5  # versions: the live one and the newest others


class IndexFolder:
    """The versions of one collection's index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._live: LocalVersion | None = None

    def begin(self, manifest: Manifest) -> LocalDraft:
        """Start a version, after removing what a killed build left. Hold the build lock."""
        for debris in self.folder.glob(".*.draft"):
            shutil.rmtree(debris)
        return LocalDraft(self.folder, manifest.model_copy(update={"id": self._new_id(manifest)}))

    def _new_id(self, manifest: Manifest) -> str:
        """An id that sorts by age and reads as a time: 20250131-120000-000-<corpus hash>."""
        newest = max((path.name for path in self._sealed()), default="")
        created = manifest.created_at.astimezone(UTC)
        stamp = f"{created:%Y%m%d-%H%M%S}-{created.microsecond // 1000:03}"
        if stamp <= newest[: len(stamp)]:  # the clock went back, or two builds in one millisecond
            stamp = newest[: len(stamp) - 3] + f"{int(newest[len(stamp) - 3 : len(stamp)]) + 1:03}"
        return f"{stamp}-{manifest.corpus_hash[:8]}"

    def current(self) -> LocalVersion | None:
        """Return the live version, None when there is none yet. Reading it once per request is enough and cheap."""
        try:
            version = (self.folder / CURRENT).read_text(encoding="utf-8").strip()
        except OSError:
            return None
        live = self._live
        if live is None or live.manifest.id != version:
            live = self._live = self.open(version)
        return live

    def versions(self) -> list[Manifest]:
        """Return the sealed versions that can be read, newest first."""
        found = []
        for folder in sorted(self._sealed(), reverse=True):
            with suppress(IndexProblem):
                found.append(read_manifest(folder))
        return found

    def _sealed(self) -> list[Path]:
        return [file.parent for file in self.folder.glob("[0-9]*/" + MANIFEST)]

    def open(self, version: str) -> LocalVersion:
        """Return a sealed version. Raises IndexProblem."""
        folder = self.folder / version
        if folder not in self._sealed():
            known = ", ".join(sorted(path.name for path in self._sealed())) or "none yet"
            raise IndexProblem(f"there is no index version {version!r}; there are: {known}")
        try:
            return LocalVersion(folder, read_manifest(folder), self.folder / TEXTS)
        except (OSError, ValueError) as error:
            raise IndexProblem(f"index version {version} is damaged ({error}); build the index again") from error

    def switch(self, version: str) -> LocalVersion:
        """Make a sealed version the live one, in one step. Raises IndexProblem when it is missing or damaged."""
        opened = self.open(version)
        broken = opened.damage()
        if broken:
            raise IndexProblem(f"index version {version} is damaged ({', '.join(broken)}); build the index again")
        replace_file(self.folder / CURRENT, version.encode())
        self._live = opened
        return opened

    def drop(self, version: str) -> None:
        """Remove a version that isn't live. Raises IndexProblem."""
        live = self.current()
        if live is not None and live.manifest.id == version:
            raise IndexProblem(f"index version {version} is live; switch to another one first")
        shutil.rmtree(self.open(version)._folder)

    def prune(self) -> list[str]:
        """Drop all versions but the live one and the newest others, KEPT in all, those that can't be read, and texts
        that none of the rest needs."""
        live = self.current()
        assert live is not None  # a build has just switched to it
        others = [version for version in self._readable() if version.manifest.id != live.manifest.id]
        kept = {version.manifest.id: version for version in (live, *others[: KEPT - 1])}
        dropped = [folder for folder in self._sealed() if folder.name not in kept]
        for folder in dropped:
            shutil.rmtree(folder)
        self._prune_texts(kept.values())
        return sorted(folder.name for folder in dropped)

    def _readable(self) -> Iterator[LocalVersion]:
        """Yield the versions that can be read with all their documents, newest first."""
        for manifest in self.versions():
            with suppress(IndexProblem, OSError, ValueError):
                version = self.open(manifest.id)
                version.documents()
                yield version

    def _prune_texts(self, versions: Iterable[LocalVersion]) -> None:
        needed = {document.text_hash for version in versions for document in version.documents().values()}
        for file in (self.folder / TEXTS).glob("*/*"):
            if file.name not in needed:
                file.unlink()


class LocalDraft:
    """A version being written, row by row."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._home = folder
        self._manifest = manifest
        self._folder = folder / f".{manifest.id}.draft"
        self._folder.mkdir(parents=True)
        self._files = {name: (self._folder / name).open("wb") for name in (VECTORS, SENTENCES, RECORDS, DOCUMENTS)}
        self._record_starts = [0]
        self._sentence_starts = [0]
        self._accesses: list[dict[str, Any]] = []
        self._documents = 0
        self._sections = 0

    def put(self, document: Document, entries: Sequence[Entry]) -> None:
        """Add a document and its entries. Documents of one access must come one after another."""
        first_row = len(self._record_starts) - 1
        for entry in entries:
            self._put_entry(entry)
        self._put_document(document, first_row, len(entries))
        self._documents += 1
        self._sections += len(document.sections)

    def _put_entry(self, entry: Entry) -> None:
        row = len(self._record_starts) - 1
        written = self._files[RECORDS].write(Record(entry.chunk, entry.terms, entry.context_terms).as_line())
        self._record_starts.append(self._record_starts[-1] + written)
        self._files[VECTORS].write(entry.vector.astype("<f4").tobytes())
        self._files[SENTENCES].write(entry.sentence_vectors.astype("<f2").tobytes())
        self._sentence_starts.append(self._sentence_starts[-1] + len(entry.sentence_vectors))
        access = Access.of(entry.chunk).as_json()
        if not self._accesses or {k: self._accesses[-1][k] for k in access} != access:
            self._accesses.append(access | {"start": row})
        self._accesses[-1]["end"] = row + 1

    def _put_document(self, document: Document, first_row: int, chunks: int) -> None:
        text = document.text.encode("utf-8")
        text_hash = hashlib.sha256(text).hexdigest()
        file = text_file(self._home / TEXTS, text_hash)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file, text, durable=False)
        stored = StoredDocument(
            **{name: getattr(document, name) for name in StoredDocument.model_fields if hasattr(document, name)},
            text_hash=text_hash,
            first_row=first_row,
            chunks=chunks,
        )
        self._files[DOCUMENTS].write(stored.model_dump_json().encode() + b"\n")

    def preview(self) -> LocalVersion:
        """End the filling, and return the version to be tried before it is sealed."""
        for file in self._files.values():
            file.close()
        for name, starts in ((RECORD_STARTS, self._record_starts), (SENTENCE_STARTS, self._sentence_starts)):
            (self._folder / name).write_bytes(np.array(starts, dtype="<i8").tobytes())
        self._manifest = self._manifest.model_copy(
            update={
                "documents": self._documents,
                "sections": self._sections,
                "chunks": len(self._record_starts) - 1,
                "accesses": tuple(self._accesses),
            }
        )
        KeywordIndex.build(self._folder / WORDS, self._rows())
        return LocalVersion(self._folder, self._manifest, self._home / TEXTS)

    def _rows(self) -> Any:
        with (self._folder / RECORDS).open("rb") as records:
            for number, access in enumerate(self._accesses):
                for _ in range(access["start"], access["end"]):
                    record = Record.from_line(records.readline())
                    yield number, record.chunk.document_id, record.terms

    def seal(self, calibration: Mapping[str, Any] | None) -> LocalVersion:
        """Finish the version; from here on it never changes."""
        files = sorted(path for path in self._folder.rglob("*") if path.is_file() and path.suffix != ".lock")
        checksums = {path.relative_to(self._folder).as_posix(): sha256_of(path) for path in files}
        manifest = self._manifest.model_copy(
            update={"checksums": checksums, "calibration": dict(calibration) if calibration else None}
        )
        replace_file(self._folder / MANIFEST, manifest.model_dump_json(indent=1).encode())
        sealed = self._home / manifest.id
        self._folder.rename(sealed)
        return LocalVersion(sealed, manifest, self._home / TEXTS)

    def abandon(self) -> None:
        """Remove every trace of it."""
        for file in self._files.values():
            with suppress(OSError):
                file.close()
        shutil.rmtree(self._folder, ignore_errors=True)
