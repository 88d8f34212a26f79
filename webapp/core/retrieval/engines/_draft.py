"""A version under construction: what it takes over, and one segment for all that is new."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Protocol

from webapp.core.documents.model import Document
from webapp.core.retrieval.engine import Entry, Manifest, SegmentReference, StoredDocument
from webapp.core.retrieval.engines._rows import SegmentRows
from webapp.core.retrieval.engines._version import Held, SegmentedVersion
from webapp.core.retrieval.visibility import Access

SMALL = 2_000  # rows: a segment that has fewer is written anew with the next edit
# With the settings, which are the same, these decide everything about a document; the day may come from git.
_TELLING = ("path", "content_hash", "updated")


class Writer(Protocol):
    """A segment under construction."""

    @property
    def documents(self) -> int:
        """How many documents it has so far."""
        ...

    def put(self, document: StoredDocument, text: str, entries: Sequence[Entry]) -> None:
        """Add a document, its text and its entries."""
        ...

    def finish(self) -> None:
        """Write what can only be written at the end; from here on nothing changes."""
        ...

    def abandon(self) -> None:
        """Remove every trace of it."""
        ...


class SegmentedDraft(ABC):
    """A version being written. `base` is the version that it follows, if any of that may be taken over."""

    def __init__(self, manifest: Manifest, base: SegmentedVersion | None, writer: Writer) -> None:
        self._manifest = manifest
        self._base = base
        self._kept: set[str] = set()  # documents taken over
        self._documents = 0
        self._sections = 0
        self._rows = 0
        self._writer = writer

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
        self._writer.put(_stored(document), document.text, entries)
        self._count(document, len(entries))

    def _count(self, document: Document, rows: int) -> None:
        self._documents += 1
        self._sections += len(document.sections)
        self._rows += rows

    def preview(self) -> SegmentedVersion:
        """End the filling, and return the version to be tried before it is sealed."""
        stay = [one for one in self._held() if self._stays(one)]
        self._write_anew([one for one in self._held() if not self._stays(one)])
        self._writer.finish()
        references = [SegmentReference(name=one.segment.name, gone=self._gone(one)) for one in stay]
        if self._writer.documents or not stay:
            references.append(SegmentReference(name=self._manifest.id))
        counts = {"documents": self._documents, "sections": self._sections, "chunks": self._rows}
        self._manifest = self._manifest.model_copy(update=counts | {"segments": tuple(references)})
        return self._version()

    def _version(self) -> SegmentedVersion:
        names = [one.name for one in self._manifest.segments]
        return SegmentedVersion(self._manifest, [self._segment(name) for name in names])

    def _held(self) -> Sequence[Held]:
        return self._base.held if self._base else ()

    def _wanted(self, one: Held) -> set[str]:
        return (one.segment.documents.keys() & self._kept) - one.gone

    def _stays(self, one: Held) -> bool:
        rows = one.segment.rows_of(self._wanted(one))
        return rows >= SMALL and 2 * rows >= one.segment.rows

    def _gone(self, one: Held) -> tuple[str, ...]:
        return tuple(sorted(one.segment.documents.keys() - self._wanted(one)))

    def _write_anew(self, held: Iterable[Held]) -> None:
        """Write what is still wanted of those segments, rows of one access side by side again."""
        places = [
            (Access.of(one.segment.documents[id_]).place, number, one.segment.range_of(id_), one.segment, id_)
            for number, one in enumerate(held)
            for id_ in self._wanted(one)
        ]
        for _, _, _, segment, id_ in sorted(places, key=itemgetter(0, 1, 2, 4)):
            self._writer.put(segment.documents[id_], segment.text_of(id_), segment.entries_of(id_))

    def seal(self, calibration: Mapping[str, Any] | None) -> SegmentedVersion:
        """Finish the version; from here on it never changes."""
        self._manifest = self._manifest.model_copy(update={"calibration": dict(calibration) if calibration else None})
        wrote = self._manifest.id in (one.name for one in self._manifest.segments)
        if not wrote:
            self._writer.abandon()
        self._keep(wrote)
        return self._version()

    @abstractmethod
    def _segment(self, name: str) -> SegmentRows:
        """Return a segment: one that is kept, or, by the name of this version, the new one."""

    @abstractmethod
    def _keep(self, wrote: bool) -> None:
        """Keep the manifest in one step, and the new segment if the version `wrote` one."""

    def abandon(self) -> None:
        """Remove every trace of it."""
        self._writer.abandon()


def _stored(document: Document) -> StoredDocument:
    """Return the document as a version keeps it."""
    kept = {name: getattr(document, name) for name in StoredDocument.model_fields if hasattr(document, name)}
    text_hash = hashlib.sha256(document.text.encode("utf-8")).hexdigest()
    return StoredDocument(**kept, text_hash=text_hash)
