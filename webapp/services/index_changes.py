"""What differs between two index versions, document by document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from webapp.core.retrieval.engine import IndexVersion, StoredDocument
from webapp.core.retrieval.model import Reader
from webapp.services.sources import Shelf


@dataclass(frozen=True, slots=True)
class Changes:
    """Documents by title; a changed one as it is now. Only what the reader may know of is in it."""

    added: tuple[StoredDocument, ...]
    removed: tuple[StoredDocument, ...]
    changed: tuple[StoredDocument, ...]

    @property
    def count(self) -> int:
        """How many there are in all."""
        return len(self.added) + len(self.removed) + len(self.changed)


def changes_between(before: IndexVersion, after: IndexVersion, reader: Reader) -> Changes:
    """Return what a version holds that the one before doesn't, and the other way round."""
    old, new = before.documents(), after.documents()
    knows_old, knows_new = Shelf(before, reader).sees_document, Shelf(after, reader).sees_document
    both = new.keys() & old.keys()
    changed = (new[one] for one in both if new[one].text_hash != old[one].text_hash)
    return Changes(
        added=_known((new[one] for one in new.keys() - both), knows_new),
        removed=_known((old[one] for one in old.keys() - both), knows_old),
        changed=_known(changed, lambda one: knows_new(one) and knows_old(one)),
    )


def _known(documents: Iterable[StoredDocument], knows: Callable[[str], bool]) -> tuple[StoredDocument, ...]:
    seen = (one for one in documents if knows(one.id))
    return tuple(sorted(seen, key=lambda one: (one.title.casefold(), one.id)))
