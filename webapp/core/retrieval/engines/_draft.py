"""A version of the local engine under construction: what it takes over, and one segment for all that is new."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from webapp.core.documents.model import Document
from webapp.core.retrieval.engine import Entry, Manifest, SegmentReference, StoredDocument
from webapp.core.retrieval.engines._segment import open_segment
from webapp.core.retrieval.engines._segment_writer import SegmentWriter
from webapp.core.retrieval.engines._version import DRAFT, MANIFEST, SEGMENTS, TEXTS, Held, LocalVersion, text_file
from webapp.core.retrieval.files import replace_file

SMALL = 2_000  # rows: a segment that has fewer is written anew with the next edit
# With the settings, which are the same, these decide everything about a document; the day may come from git.
_TELLING = ("path", "content_hash", "updated")


class LocalDraft:
    """A version being written. `base` is the version that it follows, if any of that may be taken over."""

    def __init__(self, folder: Path, manifest: Manifest, base: LocalVersion | None) -> None:
        self._home = folder
        self._manifest = manifest
        self._base = base
        self._kept: set[str] = set()  # documents taken over
        self._documents = 0
        self._sections = 0
        self._rows = 0
        self._writer = SegmentWriter(folder / SEGMENTS / DRAFT.format(manifest.id), manifest.dim)

    def keeps(self, document: Document) -> bool:
        """Take a document over from the version that this one follows, if it is there just as it is; say whether."""
        known = self._base.documents().get(document.id) if self._base else None
        if known is None or any(getattr(known, name) != getattr(document, name) for name in _TELLING):
            return False
        self._kept.add(document.id)
        self._count(document, known.chunks)
        return True

    def put(self, document: Document, entries: Sequence[Entry]) -> None:
        """Add a document and its entries. Documents of one access had best come one after another."""
        new = _stored(document)
        file = text_file(self._home / TEXTS, new.text_hash)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file, document.text.encode("utf-8"), durable=False)
        self._writer.put(new, entries)
        self._count(document, len(entries))

    def _count(self, document: Document, rows: int) -> None:
        self._documents += 1
        self._sections += len(document.sections)
        self._rows += rows

    def preview(self) -> LocalVersion:
        """End the filling, and return the version to be tried before it is sealed."""
        stay = [one for one in self._held() if self._stays(one)]
        for one in self._held():
            if not self._stays(one):
                self._write_anew(one)
        self._writer.finish()
        references = [SegmentReference(name=one.segment.name, gone=self._gone(one)) for one in stay]
        if self._writer.documents or not stay:
            references.append(SegmentReference(name=self._manifest.id))
        counts = {"documents": self._documents, "sections": self._sections, "chunks": self._rows}
        self._manifest = self._manifest.model_copy(update=counts | {"segments": tuple(references)})
        return self._version(self._writer.folder)

    def _held(self) -> Sequence[Held]:
        return self._base.held if self._base else ()

    def _wanted(self, one: Held) -> set[str]:
        return (one.segment.documents.keys() & self._kept) - one.gone

    def _stays(self, one: Held) -> bool:
        rows = one.segment.rows_of(self._wanted(one))
        return rows >= SMALL and 2 * rows >= one.segment.rows

    def _gone(self, one: Held) -> tuple[str, ...]:
        return tuple(sorted(one.segment.documents.keys() - self._wanted(one)))

    def _write_anew(self, one: Held) -> None:
        for document_id in sorted(self._wanted(one), key=one.segment.range_of):
            rows = range(*one.segment.range_of(document_id))
            self._writer.put(one.segment.documents[document_id], [one.segment.entry(row) for row in rows])

    def _version(self, written: Path) -> LocalVersion:
        """Return the version, whose new segment lies in that folder."""
        segments = [
            open_segment(written if one.name == self._manifest.id else self._home / SEGMENTS / one.name)
            for one in self._manifest.segments
        ]
        return LocalVersion(self._manifest, segments, self._home / TEXTS)

    def seal(self, calibration: Mapping[str, Any] | None) -> LocalVersion:
        """Finish the version; from here on it never changes."""
        self._manifest = self._manifest.model_copy(update={"calibration": dict(calibration) if calibration else None})
        id_, written = self._manifest.id, self._writer.folder
        if id_ in (one.name for one in self._manifest.segments):
            written.rename(self._home / SEGMENTS / id_)
        else:
            self._writer.abandon()
        (self._home / id_).mkdir()
        replace_file(self._home / id_ / MANIFEST, self._manifest.model_dump_json(indent=1).encode())
        return self._version(self._home / SEGMENTS / id_)

    def abandon(self) -> None:
        """Remove every trace of it."""
        self._writer.abandon()


def _stored(document: Document) -> StoredDocument:
    """Return the document as a version keeps it."""
    kept = {name: getattr(document, name) for name in StoredDocument.model_fields if hasattr(document, name)}
    text_hash = hashlib.sha256(document.text.encode("utf-8")).hexdigest()
    return StoredDocument(**kept, text_hash=text_hash)
