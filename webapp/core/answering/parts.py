"""What an answer is made with, and what may be wished of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from webapp.core.answering.model import Followed, Model
from webapp.core.answering.prompt import DEFAULT_BUDGET, Budget
from webapp.core.answering.support import Scorer
from webapp.core.documents.config import CollectionConfig
from webapp.core.retrieval.model import Query, Retrieval, Sufficiency

RANKING_DEPTH = 10


class Retriever(Protocol):
    """Finds evidence, only of what the reader may see."""

    def retrieve(self, query: Query, depth: int = RANKING_DEPTH) -> Retrieval:
        """Return the best `depth` hits."""
        ...


def _as_typed(query: Query) -> None:
    """Read nothing in another way than it is typed."""


def untold(stage: str) -> None:
    """Nobody waits to hear how far it is."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What an answer is made with. `judge` tells whether the evidence is enough, `read_as` reads questions that are
    typed in the letters of another language (None: this one isn't, "": it can't be read)."""

    retriever: Retriever
    judge: Callable[[Retrieval], Sufficiency]
    model: Model
    config: CollectionConfig
    budget: Budget = DEFAULT_BUDGET
    depth: int = RANKING_DEPTH
    read_as: Callable[[Query], str | None] = _as_typed
    scorer: Scorer | None = None  # meaning, for statements that share few words with their source
    told: Callable[[str], None] = untold  # hears which stage begins: "retrieving", "checking"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What an asker may add to a question, and what a caller may settle beforehand."""

    only_lang: str | None = None  # documents of this language alone
    attributes: Mapping[str, str] = field(default_factory=dict)  # exact filters
    follows: Followed | None = None  # the earlier question that this one leans on
    lang: str | None = None  # language of the question when its script doesn't tell
    today: date | None = None  # None: the real today
    answer_id: str | None = None  # None: a new one, 128 bits that nobody can guess
    now: datetime | None = None  # None: the real now
