"""What retrieval takes and gives: readers, questions, hits and the evidence that answering works from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from webapp.core.documents.model import Chunk


class Role(StrEnum):
    """Which pages a reader may open. Which documents they may see is decided by groups alone."""

    CUSTOMER = "customer"
    AGENT = "agent"
    EDITOR = "editor"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks: role and groups."""

    role: Role = Role.CUSTOMER
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it goes to retrieval."""

    text: str
    lang: str  # the language it is written in
    reader: Reader = Reader()
    only_lang: str | None = None  # set when the reader asks for documents of one language
    attributes: Mapping[str, str] = field(default_factory=dict)  # exact filters
    today: date | None = None  # for valid_until; None means the real today
    without: frozenset[str] = frozenset()  # ids of documents left out as if they did not exist (calibration)
    every_status: bool = False  # a search of staff, not a question: also what is not current


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk, with what each search thought of it."""

    chunk: Chunk
    score: float  # fused; only its order means something
    meaning: float | None = None  # cosine with the question, None when vectors had no vote
    words: float | None = None  # BM25
    coverage: float = 0.0  # share of the question's idf weight that the chunk holds, 0..1
    sentence_scores: tuple[float, ...] = ()  # cosine of each of chunk.sentences with the question


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A chunk that was found but not sent, and why (for staff)."""

    chunk_id: str
    document_id: str
    why: str  # a code: below_limit, near_duplicate, budget, off_subject, leans
    score: float


@dataclass(frozen=True, slots=True)
class Retrieval:
    """All that retrieval found for one question, from one index version."""

    query: Query
    index_version: str
    hits: tuple[Hit, ...]  # best first; up to the ranking depth, of which the first k may become evidence
    left_out: tuple[LeftOut, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)  # what sufficiency judges from


class Outcome(StrEnum):
    """What the evidence allows."""

    ANSWER = "answer"
    CAUTION = "caution"
    WEAK_EVIDENCE = "weak_evidence"
    NO_EVIDENCE = "no_evidence"


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether the evidence is enough: the calibrated probability that it answers, and what follows."""

    probability: float
    threshold: float
    outcome: Outcome
