"""The composition root: from settings to everything that pages and commands work with."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING

from webapp.core.answering.model import Answer, Followed, Trace
from webapp.core.answering.question import standing
from webapp.core.retrieval.engine import Engine
from webapp.core.retrieval.model import Reader, Role
from webapp.services.desk import Desk, Observe, cited_copies, with_addresses
from webapp.services.folders import Place, places
from webapp.services.index import CollectionIndex
from webapp.services.index_engine import chosen_engine
from webapp.services.keeping import Keeper
from webapp.services.model import CollectionCard, Gone, InvalidWish, Record, StoredAnswer, UnknownCollection
from webapp.services.signing import note_key
from webapp.services.sources import Shelf
from webapp.settings import Settings
from webapp.store.kept import Erased, Stored

if TYPE_CHECKING:
    from webapp.services.accounts import Accounts
    from webapp.services.drafts import Drafts
    from webapp.services.feedback import Feedback
    from webapp.services.gaps import Gaps
    from webapp.services.golden import Golden
    from webapp.services.history import History
    from webapp.services.jobs import Jobs
    from webapp.services.keys import Keys
    from webapp.services.oidc import Provider
    from webapp.store.store import Store

log = logging.getLogger(__name__)

_DAY = 24 * 3600.0


class Services:
    """Everything a process works with, made once. The database is opened when it is first needed."""

    def __init__(self, settings: Settings, served: tuple[Place, ...], keeper: Keeper, calibrates: bool = True) -> None:
        self.settings = settings
        self._keeper = keeper
        self._calibrates = calibrates
        self._engines: list[Engine] = []
        self._desks = {place.name: self._make_desk(place) for place in served}
        self.default = served[0].name
        self._tidied_at = 0.0

    @classmethod
    def open(cls, settings: Settings, alone: bool = False, brief: bool = False) -> Services:
        """Return the services: every collection of the corpus, or the settings' one `alone`.

        `brief` is for a command that answers and ends: its answers wait in the inbox. Raises CollectionError.
        """
        return cls(settings, places(settings, alone), Keeper(settings, deferred=brief))

    @classmethod
    def open_for_trial(cls, settings: Settings) -> Services:
        """Return services that learn nothing from the collection's golden set, because it is to be measured by one."""
        return cls(settings, places(settings, alone=True), Keeper(settings), calibrates=False)

    @property
    def store(self) -> Store:
        """What is kept. Raises DatabaseError on first use."""
        return self._keeper.store

    @cached_property
    def accounts(self) -> Accounts:
        """Signing in."""
        from webapp.services.accounts import Accounts

        return Accounts(self.store, self.settings)

    @cached_property
    def jobs(self) -> Jobs:
        """Work that is asked for here and done by a worker."""
        from webapp.services.jobs import Jobs

        return Jobs(self.store)

    @cached_property
    def keys(self) -> Keys:
        """Who may use the API without being signed in."""
        from webapp.services.keys import Keys

        return Keys(self.store)

    @cached_property
    def provider(self) -> Provider | None:
        """The organisation's own sign-in; None when there is none in the settings."""
        if not self.settings.oidc_issuer:
            return None
        from webapp.services.oidc import Provider

        return Provider(self.settings)

    @cached_property
    def drafts(self) -> Drafts:
        """Pages that are being written."""
        from webapp.services.drafts import Drafts

        return Drafts(self.store, self.settings.upload_max_bytes)

    @cached_property
    def golden(self) -> Golden:
        """The golden sets, and what is proposed for them."""
        from webapp.services.golden import Golden

        return Golden(self.desk, self.store, self.settings.instance / "locks")

    @cached_property
    def feedback(self) -> Feedback:
        """What readers think of answers."""
        from webapp.services.feedback import Feedback

        return Feedback(self)

    @cached_property
    def history(self) -> History:
        """The answers that were given, found again and erased."""
        from webapp.services.history import History

        return History(self)

    @cached_property
    def gaps(self) -> Gaps:
        """What the pages leave open."""
        from webapp.services.gaps import Gaps

        return Gaps(self)

    def collections(self) -> tuple[CollectionCard, ...]:
        """Return the collections that are served, the default one first."""
        return tuple(CollectionCard(name, desk.config, name == self.default) for name, desk in self._desks.items())

    def desk(self, name: str | None = None) -> Desk:
        """Return the desk of a collection (None: the default one). Raises UnknownCollection."""
        try:
            return self._desks[self.default if name is None else name]
        except KeyError:
            raise UnknownCollection(f"there is no collection {name!r}; there are: {', '.join(self._desks)}") from None

    def desks(self) -> tuple[Desk, ...]:
        """Return the desk of every collection, the default one first."""
        return tuple(self._desks.values())

    def leave_building(self) -> None:
        """Leave it to a worker to build versions of changed files: they are asked for, and answering goes on."""
        for desk in self.desks():
            desk.leave_building(partial(self.jobs.ask, desk.name, "index"))

    def observe(self, observe: Observe) -> None:
        """Tell `observe` of every new answer."""
        for desk in self.desks():
            desk.observers.append(observe)

    def answer(self, answer_id: str, reader: Reader) -> StoredAnswer | Gone | None:
        """Return an answer as it was given, what is left of it, or None when there is none that the reader may open."""
        stored = self._stored(answer_id)
        if not isinstance(stored, Stored):
            return stored
        shelf = self._desks[stored.answer.collection].shelf(reader)
        copies = cited_copies(stored, self._keeper, shelf)
        if copies is None:
            log.info("denied: answer %s cites a page that is closed to this reader", answer_id[:6])
            return None
        today = {document_id: shelf.today(copy) for document_id, copy in copies.items()}
        withheld = any(map(shelf.closed, today.values()))
        return StoredAnswer(_for_reader(stored.answer, shelf, reader, withheld), today, withheld)

    def followed(self, answer_id: str, desk: Desk, reader: Reader) -> Followed:
        """Return the question that one after that answer leans on. Raises InvalidWish unless the answer is of that
        desk and opens for the reader."""
        stored = self.answer(answer_id, reader)
        if not isinstance(stored, StoredAnswer) or stored.answer.collection != desk.name:
            raise InvalidWish(f"there is no answer '{answer_id}' to follow; ask in full instead")
        return standing(stored.answer)

    def record(self, answer_id: str, reader: Reader) -> Record | None:
        """Return all that is kept about an answer that the reader may open: for staff pages alone."""
        opened, stored = self.answer(answer_id, reader), self._stored(answer_id)
        if not isinstance(opened, StoredAnswer) or not isinstance(stored, Stored):
            return None
        trace = _for_staff(stored, self._desks[stored.answer.collection].shelf(reader))
        return Record(opened.answer, trace, stored.role, stored.snapshots, opened.today, stored.groups)

    def problems(self) -> dict[str, str]:
        """Return what keeps this process from being ready, by part; empty when it is."""
        found = {f"index {name}": desk.problem() for name, desk in self._desks.items()}
        try:
            self.store.ping()
        except Exception:
            log.exception("the database doesn't answer")
            found["database"] = "doesn't answer"
        return {part: problem for part, problem in found.items() if problem}

    def begin(self) -> None:
        """Open what is kept and tidy it, as far as it can be written to: what can only be read is served all the same.
        Raises DatabaseError."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self.tidy()
        except SQLAlchemyError as error:
            log.error("nothing can be written, so what is over stays: %s", getattr(error, "orig", error))

    def tidy(self) -> None:
        """Take in what commands have left, and remove what is over: answers, links, sessions (at most once a day)."""
        self._keeper.take_in()
        if time.monotonic() - self._tidied_at > _DAY or not self._tidied_at:
            self._tidied_at = time.monotonic()
            self.store.keep_for(self.settings.retention_days)
            self.accounts.tidy()
            self.jobs.tidy()
            self.store.rates.drop_over(datetime.now(UTC))
            note_key(self.settings, self.store)

    def close(self) -> None:
        """Give back what is open."""
        self._keeper.close()
        for engine in self._engines:
            engine.close()

    def _make_desk(self, place: Place) -> Desk:
        instance = self.settings.instance
        home = instance / "indexes" / place.key
        engine = chosen_engine(self.settings, home)
        self._engines.append(engine)
        index = CollectionIndex(place.folder, engine, home, instance / "vectors", self._calibrates)
        return Desk(place.name, index, self.settings, self._keeper)

    def _stored(self, answer_id: str) -> Stored | Gone | None:
        found = self._keeper.find(answer_id)
        if isinstance(found, Erased):
            return Gone(found.at, found.why)
        if found is None or found.answer.collection not in self._desks:
            return None
        over = found.answer.created_at + timedelta(days=self.settings.retention_days)
        if self.settings.retention_days and over < datetime.now(UTC):
            return Gone(over, "retention")
        return found


def _for_reader(given: Answer, shelf: Shelf, reader: Reader, withheld: bool) -> Answer:
    """Leave out what this reader may not see: pages that are closed to them, how it was made, withdrawn text."""
    retrieved = () if reader.role is Role.CUSTOMER else given.retrieved
    kept = with_addresses(given).model_copy(
        update={
            "nearest": tuple(page for page in given.nearest if shelf.sees_document(page.document_id)),
            "retrieved": tuple(chunk for chunk in retrieved if shelf.sees_document(chunk.document_id)),
        }
    )
    return kept.model_copy(update={"answer": "", "statements": (), "citations": ()}) if withheld else kept


def _for_staff(stored: Stored, shelf: Shelf) -> Trace:
    """Leave out what was left out of pages that this reader may not see, and, where the prompt holds such a page,
    all that may tell of it: the prompt, the reply to it, why a check failed, how well it fitted."""
    left_out = (one for one in stored.trace.left_out if shelf.sees_document(one.document_id))
    trace = replace(stored.trace, left_out=tuple(left_out))
    sent = (chunk.document_id for chunk in stored.answer.retrieved if chunk.sent)
    if all(map(shelf.sees_document, sent)):
        return trace
    checks = tuple(replace(check, detail="") for check in trace.checks)
    return replace(trace, prompt=None, raw_reply="", detail="", checks=checks, signals={})
