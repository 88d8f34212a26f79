"""What the services hand to pages and commands: answers as kept, sources as cited and as they are today."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from webapp.core.answering.model import Answer, Followed, Trace
from webapp.core.answering.parts import untold
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Document, Status


class UnknownCollection(LookupError):
    """No collection of that name is served; the message lists those that are."""


class InvalidWish(ValueError):
    """A filter, a language or an earlier answer that can't be had; the message says what there is."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What an asker may choose beside the question."""

    only_lang: str | None = None  # documents of this language alone
    attributes: Mapping[str, str] = field(default_factory=dict)  # exact filters the collection declares
    model: str | None = None  # a registered model; None: the one of the settings
    lang: str | None = None  # the reader's interface language: decides when the question's own can't be told
    follows: Followed | None = None  # the earlier question that is asked along
    asker: str | None = None  # hash of whoever asks, kept so that all they asked can be erased
    told: Callable[[str], None] = untold  # hears which stage begins, in the thread that asks
    once: str | None = None  # the form's token: the same question with the same token gives the answer already made


@dataclass(frozen=True, slots=True)
class CollectionCard:
    """A collection as lists show it."""

    name: str
    config: CollectionConfig
    default: bool  # it is the one at `/`


@dataclass(frozen=True, slots=True)
class Listed:
    """A document in a list."""

    id: str
    title: str
    lang: str
    status: Status
    version: str
    path: str
    updated: date | None = None


@dataclass(frozen=True, slots=True)
class Today:
    """How a cited document stands now. `status` is None when no file has that id any more."""

    status: Status | None
    changed: bool  # its text is no longer the text that was cited
    superseded_by: str | None = None  # id of the replacement, when the reader may see it
    superseded_by_title: str | None = None

    @property
    def withdrawn(self) -> bool:
        """Customers are told of it, and don't get its text."""
        return self.status is Status.WITHDRAWN


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it was given, with how its sources stand today (by document id).

    `withheld`: a cited document is withdrawn and the reader is a customer; text, statements and citations are empty.
    """

    answer: Answer
    today: Mapping[str, Today]
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """An answer that was here: its text was erased on request, or its time was over."""

    at: datetime
    why: str  # "retention" or "erased"


@dataclass(frozen=True, slots=True)
class Source:
    """A document for the source page: as cited when it came with an answer or a snapshot, else as served now.

    `closed`: withdrawn, and the reader is a customer; the page says so and `document.text` must not be shown.
    """

    document: Document
    today: Today
    snapshot: str | None = None  # hash of the kept copy, for `at=`; None: as served now
    answer: Answer | None = None  # the answer it was opened from, for its citations, quotes and previous/next
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """Everything kept about one answer, for staff."""

    answer: Answer
    trace: Trace
    reader_role: str
    snapshots: Mapping[str, str]  # document id → snapshot hash
    today: Mapping[str, Today] = field(default_factory=dict)  # how the cited documents stand now, by id
    reader_groups: frozenset[str] | None = None  # None: it was not kept then
