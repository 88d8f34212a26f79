"""Where answers go: into the database, or, from a command that is over sooner than one is opened, into the inbox."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from webapp.settings import Settings
from webapp.store.inbox import Inbox
from webapp.store.kept import Erased, Kept, Stored

if TYPE_CHECKING:
    from webapp.store.store import Store


class Keeper:
    """Keeps answers and finds them again. The database is opened when it is first needed."""

    def __init__(self, settings: Settings, deferred: bool = False) -> None:
        self._settings = settings
        self._deferred = deferred
        self._inbox = Inbox(settings.instance / "inbox")

    @cached_property
    def store(self) -> Store:
        """The database. Raises DatabaseError on first use."""
        from webapp.store.store import Store

        return Store.open(self._settings.database)

    def keep(self, kept: Kept) -> str:
        """Keep an answer; return its id, or that of the earlier answer to the same form."""
        return self._inbox.put(kept) if self._deferred else self.store.answers.add(kept)

    def find(self, answer_id: str) -> Stored | Erased | None:
        """Return an answer, also one that a command has left in the inbox."""
        found = self.store.answers.get(answer_id)
        if found is None and self.take_in():
            found = self.store.answers.get(answer_id)
        return found

    def take_in(self) -> int:
        """Move what is in the inbox into the database; return how many answers."""
        return sum(self.store.answers.add(kept) == kept.answer.id for kept in self._inbox.waiting())

    def close(self) -> None:
        """Give the connections back."""
        if "store" in self.__dict__:
            self.store.close()
