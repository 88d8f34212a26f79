"""What a reader may not know of a collection's documents, also of those that are no more.

A document that is there is closed to whoever may not see it. Of one that is gone the newest index version that had it
decides, else the copies that answers cite; of one that nothing is known of, nobody can say that it was closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from webapp.core.documents.config import CollectionError
from webapp.core.evaluation.questions import Question
from webapp.core.retrieval.engine import IndexProblem
from webapp.core.retrieval.model import Reader
from webapp.core.retrieval.visibility import may_see

if TYPE_CHECKING:
    from webapp.services.desk import Desk
    from webapp.store.store import Store

_State = tuple[str, str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Closed:
    """The ids and paths of the documents that a reader may not know of; and the ids of those that nothing is hidden
    about."""

    ids: frozenset[str]
    paths: frozenset[str]
    open: frozenset[str]

    def labels(self, question: Question) -> bool:
        """Tell whether a golden question's answer stands in such a document."""
        return any(label.document in self.ids for label in question.labels)


def closed_to(reader: Reader, desk: Desk, store: Store) -> Closed:
    """Return what a collection keeps from a reader."""
    ids: dict[str, frozenset[str]] = {}
    paths: dict[str, frozenset[str]] = {}
    for id_, path, audience in _states(desk):
        ids.setdefault(id_, audience)
        paths.setdefault(path, audience)
    sees = partial(may_see, reader=reader, staff_see_groups=desk.config.staff_see_groups)
    copies = (one for one in store.snapshots.audiences(()) if one.collection == desk.name)
    gone = {one.document_id for one in copies if one.document_id not in ids and not sees(one.audience)}
    return Closed(
        frozenset(id_ for id_, audience in ids.items() if not sees(audience)) | gone,
        frozenset(path for path, audience in paths.items() if not sees(audience)),
        frozenset(id_ for id_, audience in ids.items() if sees(audience)),
    )


def _states(desk: Desk) -> Iterator[_State]:
    """Yield id, path and audience of the known states of documents, the newest first."""
    with suppress(CollectionError):  # settings that can't be read: what was built before is served on
        for document in desk.files().documents:
            yield document.id, document.path, document.audience
    for version in desk.versions():
        with suppress(IndexProblem, OSError, ValueError):  # it may be dropped at any moment
            for stored in desk.version(version.id).documents().values():
                yield stored.id, stored.path, stored.audience
