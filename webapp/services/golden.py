"""The golden sets: a file of labelled questions beside a collection's documents, and what is proposed for it.

The file belongs to people: a change here touches the lines it is about and no other byte, and happens only if those
lines still are what the editor saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from webapp.core.documents.lines import fold
from webapp.store.proposals import DISMISSED, OPEN, TAKEN, Proposal, proposal

if TYPE_CHECKING:
    from pathlib import Path

    from webapp.services.desk import Desk
    from webapp.store.store import Store

ORIGINS = ("reader", "agent", "gap")


class Golden:
    """Every collection's golden set; `services.golden`."""

    def __init__(self, desk: Callable[[str], Desk], store: Store, locks: Path) -> None:
        self._desk = desk
        self._store = store
        self._locks = locks  # folder of the files that hold off other editors while one writes

    def propose(
        self,
        collection: str,
        question: str,
        origin: str,
        answer_id: str | None = None,
        label: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> str:
        """Propose a question for the golden set; return the proposal's id. An open one that asks the same is kept,
        and learns what this one knows more.

        `origin`: reader, agent or gap. `label`: what is known of the right place, any of `document` (an id), `lines`
        ([first, last] of the file) and `fact` (its words). `note`: what the person said, shown to editors.
        Raises UnknownCollection, ValueError for an empty question or another origin.
        """
        question = fold(question)
        if not question or origin not in ORIGINS:
            raise ValueError(f"a proposal needs a question, and an origin of {', '.join(ORIGINS)}")
        name = self._desk(collection).name
        return self._store.proposals.put(proposal(name, question, origin, answer_id, label, note.strip()))

    def proposals(self, collection: str, page: int = 1, size: int = 20) -> tuple[list[Proposal], bool]:
        """Return a page of the open proposals, newest first, and whether older ones follow."""
        found = self._store.proposals.open(collection, size + 1, (page - 1) * size)
        return found[:size], len(found) > size

    def waiting(self, collection: str) -> int:
        """Return how many proposals wait for an editor."""
        return self._store.proposals.count_open(collection)

    def proposal(self, collection: str, proposal_id: str) -> Proposal | None:
        """Return a proposal of that collection, whatever became of it."""
        found = self._store.proposals.get(proposal_id)
        return found if found and found.collection == collection else None

    def take(self, proposal_id: str) -> None:
        """Say that a proposal's question has joined the golden set."""
        self._store.proposals.settle(proposal_id, TAKEN)

    def dismiss(self, proposal_id: str) -> None:
        """Put a proposal aside."""
        self._store.proposals.settle(proposal_id, DISMISSED)

    def reopen(self, proposal_id: str) -> None:
        """Undo `dismiss`."""
        self._store.proposals.settle(proposal_id, OPEN)
