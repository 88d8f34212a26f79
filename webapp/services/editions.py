"""One document through time: as served now, as older index versions and kept copies have it, and the documents that
it replaced or that replace it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime

from webapp.core.documents.model import Status
from webapp.core.retrieval.engine import IndexProblem, IndexVersion, StoredDocument
from webapp.core.retrieval.model import Reader
from webapp.services.copies import snapshot_of, stored_in
from webapp.services.desk import Desk
from webapp.services.model import Record, Today
from webapp.services.sources import Shelf
from webapp.store.kept import Snapshot
from webapp.store.store import Store

NOW = "now"
INDEX, COPY, PAGE = "index:", "copy:", "page:"  # what a key begins with: an index version, a snapshot, a document


@dataclass(frozen=True, slots=True)
class Edition:
    """One state of a document. `since`: when the index version was built or the copy was made."""

    key: str
    document_id: str
    title: str
    version: str
    status: Status
    lang: str
    updated: date | None
    text: str
    since: datetime | None = None

    @property
    def served(self) -> bool:
        """It is what readers see today."""
        return self.key == NOW or self.key.startswith(PAGE)


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A document as an answer cited it and as it is now; `now` is None when it is gone."""

    key: str  # of the edition that was cited
    then: str
    now: str | None
    today: Today


def cited_pages(desk: Desk, store: Store, record: Record) -> dict[str, CitedPage]:
    """Return the documents that an opened answer cites, by id. Who opened it may see every one of them."""
    version, found = desk.live(), {}
    for document_id, hash_ in record.snapshots.items():
        copy = store.snapshots.get(hash_)
        if copy is not None and document_id in record.today:
            now = version.document_text(document_id) if document_id in version.documents() else None
            found[document_id] = CitedPage(COPY + hash_, copy.text, now, record.today[document_id])
    return found


class Editions:
    """The editions of one document that a reader may see."""

    def __init__(self, desk: Desk, store: Store, document_id: str, reader: Reader) -> None:
        self._desk = desk
        self._store = store
        self._id = document_id
        self._live = desk.live()
        self._shelf = Shelf(self._live, reader)

    def all(self) -> tuple[Edition, ...]:
        """Return the editions that differ, what is served now first, then its newest states, then older documents."""
        found: dict[tuple[str, str], Edition] = {}
        for one in self._candidates():
            found.setdefault((one.document_id, one.text), one)
        return tuple(found.values())

    def get(self, key: str) -> Edition | None:
        """Return the edition of that key, or None when there is none that the reader may see."""
        if key == NOW:
            return self._served(self._id, NOW)
        if key.startswith(PAGE):
            return self._served(key.removeprefix(PAGE), key)
        if key.startswith(INDEX):
            return self._indexed(key.removeprefix(INDEX))
        copy = self._store.snapshots.get(key.removeprefix(COPY))
        return self._copied(copy, key) if copy else None

    def _candidates(self) -> Iterator[Edition]:
        keys = [NOW, *(INDEX + one.id for one in self._desk.versions())]
        keys += [COPY + hash_ for hash_ in self._store.snapshots.of(self._desk.name, self._id)]
        keys += [PAGE + id_ for id_ in self._related()]
        yield from filter(None, map(self.get, keys))

    def _related(self) -> list[str]:
        """Return the documents that this one replaced or that replace it, however many steps away."""
        documents = self._live.documents()
        chain = [self._id]
        for id_ in chain:
            beside = [one.id for one in documents.values() if one.superseded_by == id_]
            successor = documents[id_].superseded_by if id_ in documents else None
            chain += [other for other in dict.fromkeys([successor, *beside]) if other in documents.keys() - set(chain)]
        return chain[1:]

    def _served(self, document_id: str, key: str) -> Edition | None:
        if not self._shelf.sees_document(document_id):
            return None
        return _edition(self._live.documents()[document_id], self._live.document_text(document_id), key)

    def _indexed(self, version_id: str) -> Edition | None:
        with suppress(IndexProblem, OSError, KeyError):  # it may be dropped at any moment
            version: IndexVersion = self._desk.version(version_id)
            copy = snapshot_of(version, self._id)
            return self._copied(copy, INDEX + version_id, version.manifest.created_at)
        return None

    def _copied(self, copy: Snapshot, key: str, since: datetime | None = None) -> Edition | None:
        fits = (copy.collection, copy.document_id) == (self._desk.name, self._id)
        if not fits or not self._shelf.sees_copy(copy):
            return None
        return _edition(stored_in(copy), copy.text, key, since or self._store.snapshots.made_at(copy.hash))


def _edition(stored: StoredDocument, text: str, key: str, since: datetime | None = None) -> Edition:
    return Edition(
        key=key,
        document_id=stored.id,
        title=stored.title,
        version=stored.version,
        status=Status(stored.status),
        lang=stored.lang,
        updated=stored.updated,
        text=text,
        since=since,
    )
