"""Documents out of an index version, and the copies of them that answers keep."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Document, Status
from webapp.core.retrieval.engine import IndexVersion, StoredDocument
from webapp.store.kept import Snapshot

_PLACE = {"content_hash", "text_hash", "first_row", "chunks"}  # of the file and the version, not of the document


def document_in(version: IndexVersion, document_id: str) -> Document | None:
    """Return a document as the version holds it."""
    stored = version.documents().get(document_id)
    return _document(stored, version.document_text(document_id), version.manifest.config) if stored else None


def snapshot_of(version: IndexVersion, document_id: str) -> Snapshot:
    """Return the copy to keep of a document that the version holds."""
    stored = version.documents()[document_id]
    details = stored.model_dump(mode="json", exclude=_PLACE)
    details["audience"] = sorted(stored.audience)  # a set has no order, and the copy is named by its content
    return Snapshot(version.manifest.config.name, document_id, stored.path, version.document_text(document_id), details)


def audience_of(snapshot: Snapshot) -> frozenset[str]:
    """Return who the document was for when the copy was made."""
    return frozenset(snapshot.details["audience"])


def document_from(snapshot: Snapshot, config: CollectionConfig) -> Document:
    """Return the document as it was."""
    return _document(stored_in(snapshot), snapshot.text, config)


def stored_in(snapshot: Snapshot) -> StoredDocument:
    """Return the document as the version had it, less its place there."""
    return StoredDocument.model_validate(dict(snapshot.details) | {"content_hash": "", "text_hash": ""})


def current_on(stored: StoredDocument, today: date) -> bool:
    """Tell whether a document is evidence on that day."""
    return stored.status == Status.CURRENT and (stored.valid_until is None or today <= stored.valid_until)


def _document(stored: StoredDocument, text: str, config: CollectionConfig) -> Document:
    """Read the text again; what front matter, file date or older settings made of it then, stands."""
    from webapp.core.documents.reading import document_from_bytes  # a command that only asks reads no files

    document = document_from_bytes(text.encode("utf-8"), stored.path, config)
    return replace(
        document,
        id=stored.id,
        title=stored.title,
        version=stored.version,
        status=Status(stored.status),
        lang=stored.lang,
        audience=stored.audience,
        updated=stored.updated,
        valid_until=stored.valid_until,
        superseded_by=stored.superseded_by,
        attributes=stored.attributes,
    )
