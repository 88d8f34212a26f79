"""What answering takes and gives: the reply a model must make, and the Answer that everything else shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from webapp.core.documents.language import detect_language
from webapp.core.retrieval.model import Hit, LeftOut


class Reason(StrEnum):
    """Why an answer is what it is. Readers are shown words, never these codes."""

    OK = "ok"
    NO_EVIDENCE = "no_evidence"
    WEAK_EVIDENCE = "weak_evidence"
    MODEL_ABSTAINED = "model_abstained"
    UNKNOWN_CITATION = "unknown_citation"
    UNCITED_STATEMENT = "uncited_statement"
    UNSUPPORTED_NUMBER = "unsupported_number"
    UNSUPPORTED_STATEMENT = "unsupported_statement"
    CONFLICTING_SOURCES = "conflicting_sources"
    TRUNCATED = "truncated"
    INVALID_JSON = "invalid_json"
    INVALID_SCHEMA = "invalid_schema"
    MODEL_UNAVAILABLE = "model_unavailable"


class Caution(StrEnum):
    """What a reader must be told above an answer."""

    UNCERTAIN = "uncertain"  # the evidence is middling
    DISAGREEING = "disagreeing"  # current documents disagree; the answer says both sides
    OTHER_LANGUAGE = "other_language"  # the sources are in another language than the question


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is asked. Language models use `system` and `user`; the extractive one the evidence itself."""

    system: str
    user: str
    question: str
    lang: str
    evidence: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back, unjudged. `truncated` says that the model hit its length limit."""

    text: str
    truncated: bool = False
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    refused: bool = False  # the provider declined to answer; `text` is what it said instead


class ModelUnavailable(Exception):
    """The model can't be reached or refuses service; `retry` says whether trying again can help."""

    def __init__(self, message: str, retry: bool = True) -> None:
        super().__init__(message)
        self.retry = retry


class Withheld(Exception):
    """A reply that must not be shown: the reason for readers' wording, the detail (in English) for staff."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason.value}: {detail}")
        self.reason = reason
        self.detail = detail


class Model(Protocol):
    """Anything that can reply to a request."""

    name: str
    external: bool  # text leaves this machine: the page says so

    def reply(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply. Raises ModelUnavailable."""
        ...


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Quote(_Frozen):
    """Words of a source that a statement rests on. `start` and `end` are offsets in the file's text; the file's
    characters there, freed of Markdown, read as `text`."""

    marker: int
    text: str
    first_line: int
    last_line: int
    start: int
    end: int


class Statement(_Frozen):
    """One sentence of the answer, the numbers of its citations, and its quotes (none: the lines are only tinted)."""

    text: str
    markers: tuple[int, ...]
    quotes: tuple[Quote, ...] = ()


class Citation(_Frozen):
    """A source, built from retrieved metadata alone. Chunks are cited once each, numbered from 1."""

    marker: int
    chunk_id: str
    document_id: str
    title: str
    version: str
    status: str
    lang: str
    updated: date | None
    heading: str
    first_line: int
    last_line: int
    page: int | None = None
    label: str
    url: str = ""  # filled in by whoever knows the addresses


class RetrievedChunk(_Frozen):
    """One retrieved chunk as it is kept and shown to staff."""

    chunk_id: str
    document_id: str
    title: str
    heading: str
    first_line: int
    last_line: int
    score: float
    meaning: float | None = None
    words: float | None = None
    coverage: float = 0.0
    sent: bool = False  # was in the prompt

    @property
    def lang(self) -> str:
        """The language of its title and heading."""
        return detect_language(f"{self.title} {self.heading}")


class NearestPage(_Frozen):
    """A page that comes near, for the abstain page: a link, never a source."""

    document_id: str
    title: str


class Followed(_Frozen):
    """The earlier question of a thread, carried along as the context of one that leans on it."""

    answer_id: str  # first: answers that carry a question are found by it when that question is erased
    question: str

    @property
    def lang(self) -> str:
        """The language it was asked in."""
        return detect_language(self.question)


class Answer(_Frozen):
    """An answer or an honest refusal, as the command, the API and the store give it."""

    id: str
    question: str
    lang: str
    collection: str
    index_version: str
    model: str
    created_at: datetime
    abstained: bool
    reason: Reason
    confidence: Literal["high", "medium", "low"] | None
    caution: Caution | None = None
    answer: str  # abstained: the collection's fallback
    statements: tuple[Statement, ...] = ()
    citations: tuple[Citation, ...] = ()
    retrieved: tuple[RetrievedChunk, ...] = ()
    nearest: tuple[NearestPage, ...] = ()
    probability: Annotated[float, Field(ge=0, le=1)] = 0.0
    only_lang: str | None = None  # asked of documents of this language alone
    read_as: str | None = None  # Bangla typed in Latin letters, as it was read; "" when it couldn't be
    follows: Followed | None = None  # what was asked together with the question
    leans: bool = False  # abstained because the question leans on one that isn't there
    filters: dict[str, str] = {}  # asked of documents with these values alone


@dataclass(frozen=True, slots=True)
class Check:
    """One of the checks that a reply goes through, and how it came out."""

    name: str  # as in core/answering/checks.py
    verdict: Literal["passed", "failed", "not_reached"]
    detail: str = ""  # why it failed, in English, for staff


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer was made, for staff and the store: never shown to customers."""

    prompt: ModelRequest | None
    raw_reply: str
    prompt_hash: str
    detail: str  # of the failed check, in English, for staff
    milliseconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    tokens_in: int = 0
    tokens_out: int = 0
    left_out: tuple[LeftOut, ...] = ()  # found but not sent, and why
    checks: tuple[Check, ...] = ()  # of the reply, in the order they are made
    limits: Mapping[str, float] = field(default_factory=dict)  # of the probability: `threshold`
    signals: Mapping[str, float] = field(default_factory=dict)  # what the probability was judged from
    same_as: str = ""  # id of the answer to the same asking that all this was made for, when it was another one
