"""Hand-written stand-ins: chunks as the kestrel pages would give them, a retriever and a model that obey."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from webapp.core.answering.ask import answer
from webapp.core.answering.model import Answer, Model, ModelReply, ModelRequest, Trace
from webapp.core.answering.models.extractive import Extractive, ExtractiveOptions
from webapp.core.answering.parts import Parts, Wishes
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Chunk, Location, Sentence, Status
from webapp.core.retrieval.model import Hit, Outcome, Query, Reader, Retrieval, Sufficiency

FALLBACK = "We found no answer in our documents."


def chunk(document_id: str, n: int, sentences: Sequence[str], **given: Any) -> Chunk:
    """Return a chunk whose sentences stand one after another, a blank apart, each on its line from `line`."""
    title, heading, line = given.pop("title", "Returns policy"), given.pop("heading", "Section"), given.pop("line", 11)
    lead, start = given.pop("item_lead", ""), given.pop("start", 100)
    made, at = [], start
    for i, text in enumerate(sentences):
        made.append(Sentence(text, at, at + len(text), line + i, line + i, lead))
        at += len(text) + 1
    text = " ".join(sentences)
    last_line = line + len(sentences) - 1
    return Chunk(
        id=f"{document_id}:c{n}",
        document_id=document_id,
        title=title,
        text=text,
        plain=text,
        location=Location(heading, line, last_line, 0, len(text), (title, heading)),
        version=given.pop("version", "3"),
        status=Status.CURRENT,
        lang=given.pop("lang", "en"),
        start=start,
        end=at - 1,
        sentences=tuple(made),
        **given,
    )


BIKE = chunk(
    "kc-returns-v3",
    0,
    [
        "You can return a new, unridden bike within 30 days of delivery for a full refund.",
        "It must come back in its original box with all parts.",
    ],
    heading="Returning a bike",
)
ACCESSORIES = chunk(
    "kc-returns-v3",
    1,
    ["Accessories can be returned within 14 days if unopened.", "Opened helmets cannot be returned, for safety."],
    heading="Returning accessories",
    line=15,
    start=300,
)
REFUNDS = chunk(
    "kc-returns-v3",
    2,
    ["We pay the refund within 5 business days after the parcel has reached us."],
    heading="Refunds",
    line=19,
    start=450,
)
GIFT_CARDS = chunk(
    "kc-giftcards-v1",
    1,
    ["Gift cards expire 36 months after purchase.", "After that they are neither refunded nor extended."],
    title="Gift cards",
    heading="Expiry",
    line=14,
)
BANGLA = chunk(
    "kc-returns-bn-v3",
    0,
    ["ডেলিভারির ৩০ দিনের মধ্যে নতুন সাইকেল ফেরত দেওয়া যায়।", "খোলা হেলমেট ফেরত নেওয়া হয় না।"],
    title="ফেরত নীতি",
    heading="সাইকেল ফেরত",
    lang="bn",
)


def hits(*chunks: Chunk) -> tuple[Hit, ...]:
    """Return the chunks as hits, best first."""
    return tuple(Hit(one, score=1.0 / (n + 1), meaning=0.9 - n / 50, words=5.0 - n) for n, one in enumerate(chunks))


@dataclass
class FakeRetriever:
    """Finds the same chunks for every question, and remembers what it was asked."""

    chunks: tuple[Chunk, ...]
    asked: list[Query] = field(default_factory=list)

    def retrieve(self, query: Query, depth: int = 10) -> Retrieval:
        self.asked.append(query)
        return Retrieval(query, "v-test", hits(*self.chunks)[:depth])


@dataclass
class FakeModel:
    """Replies with what it was given, and counts its calls."""

    said: ModelReply | Exception
    name: str = "fake"
    external: bool = False
    requests: list[ModelRequest] = field(default_factory=list)

    def reply(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


def says(*statements: tuple[str, Sequence[str]], status: str = "answered") -> ModelReply:
    """Return a reply of these statements, each with the ids it cites."""
    said = [{"text": text, "cited_ids": list(ids)} for text, ids in statements]
    return ModelReply(json.dumps({"status": status, "confidence": "high", "statements": said}))


def judged(outcome: Outcome, probability: float = 0.9) -> Any:
    """Return a judge that always finds the same."""
    return lambda retrieval: Sufficiency(probability, 0.5, outcome)


def parts(*chunks: Chunk, model: Model | None = None, outcome: Outcome = Outcome.ANSWER, **more: Any) -> Parts:
    config = CollectionConfig.model_validate({"name": "kestrel", "fallback": FALLBACK, "languages": ("en", "bn")})
    model = model or Extractive(ExtractiveOptions())
    return Parts(FakeRetriever(chunks), judged(outcome), model, config, **more)


def ask(question: str, made_of: Parts) -> tuple[Answer, Trace]:
    return answer(question, Reader(), made_of, Wishes(answer_id="an-id", now=datetime(2026, 11, 29, tzinfo=UTC)))
