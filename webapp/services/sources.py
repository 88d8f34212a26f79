"""Documents and sources as a reader may open them: as served now, and as they were when an answer cited them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from webapp.core.documents.model import Document, Status
from webapp.core.retrieval.engine import IndexVersion, StoredDocument
from webapp.core.retrieval.model import Reader, Role
from webapp.core.retrieval.visibility import may_see
from webapp.services.copies import audience_of, current_on, document_from, document_in
from webapp.services.model import Listed, Source, Today
from webapp.store.kept import Snapshot

_OPEN_TO_CUSTOMERS = {Status.CURRENT, Status.SUPERSEDED}


class Shelf:
    """One reader's view of one index version. Every question of who may see what is decided here."""

    def __init__(self, version: IndexVersion, reader: Reader) -> None:
        self._version = version
        self._reader = reader
        self._customer = reader.role is Role.CUSTOMER

    def document(self, document_id: str) -> Document | None:
        """Return a document as served now, or None when there is none that this reader may open."""
        stored = self._version.documents().get(document_id)
        return document_in(self._version, document_id) if stored and self._opens(stored) else None

    def listed(self) -> tuple[Listed, ...]:
        """Return what the reader may open, by title."""
        open_ = (_listed(one) for one in self._version.documents().values() if self._opens(one))
        return tuple(sorted(open_, key=lambda one: (one.title.casefold(), one.id)))

    def entry(self, document_id: str) -> Listed | None:
        """Return a document as lists show it, or None when there is none that this reader may open."""
        stored = self._version.documents().get(document_id)
        return _listed(stored) if stored and self._opens(stored) else None

    def current_count(self, lang: str | None = None) -> int:
        """Return how many documents can be evidence for this reader."""
        return sum(lang in {None, stored.lang} for stored in self.evidence())

    def evidence(self) -> Iterator[StoredDocument]:
        """Yield the documents that can be evidence for this reader."""
        today = date.today()
        for stored in self._version.documents().values():
            if current_on(stored, today) and self._sees(stored.audience):
                yield stored

    def sees_document(self, document_id: str) -> bool:
        """Tell whether the reader may know that a document exists; of one that is no more, nobody may."""
        stored = self._version.documents().get(document_id)
        return stored is not None and self._opens(stored)

    def sees_copy(self, snapshot: Snapshot) -> bool:
        """Tell whether the reader may see a copy: then and now, if the document still exists, for them."""
        return self.sees_kept(snapshot.document_id, audience_of(snapshot))

    def sees_kept(self, document_id: str, audience: frozenset[str]) -> bool:
        """Tell the same of a copy of that document that was made when it was for that audience."""
        stored = self._version.documents().get(document_id)
        return self._sees(audience) and (stored is None or self._sees(stored.audience))

    def today(self, snapshot: Snapshot) -> Today:
        """Tell how a document that was copied stands now."""
        stored = self._version.documents().get(snapshot.document_id)
        if stored is None:
            return Today(None, changed=True)
        return self._today(stored, changed=stored.text_hash != snapshot.text_hash)

    def source(self, document_id: str) -> Source | None:
        """Return the source page's values for a document as served now."""
        document = self.document(document_id)
        if document is None:
            return None
        return Source(document, self._today(self._version.documents()[document_id], changed=False))

    def source_copy(self, snapshot: Snapshot) -> Source | None:
        """Return the source page's values for a copy; a withdrawn one is closed to customers."""
        if not self.sees_copy(snapshot):
            return None
        today = self.today(snapshot)
        document = document_from(snapshot, self._version.manifest.config)
        return Source(document, today, snapshot.hash, closed=self.closed(today))

    def closed(self, today: Today) -> bool:
        """Tell whether a document's text is withheld from this reader."""
        return today.withdrawn and self._customer

    def _today(self, stored: StoredDocument, changed: bool) -> Today:
        successor = stored.superseded_by if stored.superseded_by and self.sees_document(stored.superseded_by) else None
        title = self._version.documents()[successor].title if successor else None
        return Today(Status(stored.status), changed, successor, title)

    def _opens(self, stored: StoredDocument) -> bool:
        return self._sees(stored.audience) and (not self._customer or Status(stored.status) in _OPEN_TO_CUSTOMERS)

    def _sees(self, audience: frozenset[str]) -> bool:
        return may_see(audience, self._reader, self._version.manifest.config.staff_see_groups)


def _listed(one: StoredDocument) -> Listed:
    return Listed(one.id, one.title, one.lang, Status(one.status), one.version, one.path, one.updated)
