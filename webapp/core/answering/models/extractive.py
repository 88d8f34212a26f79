"""The default model: no network, no key. It answers with whole sentences of the evidence, in the same JSON reply
that any model gives, so that the same checks run on it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import BaseModel, Field

from webapp.core.answering.extraction import Candidate, choose_sentences
from webapp.core.answering.model import Model, ModelReply, ModelRequest
from webapp.core.answering.models.base import models


class ExtractiveOptions(BaseModel, frozen=True, extra="forbid"):
    """Options of the extractive model."""

    sentences: int = Field(3, ge=1, le=10, description="Most sentences of an answer")


class Extractive:
    """Chooses the fewest whole sentences of the evidence that answer the question."""

    name = "extractive"
    external = False

    def __init__(self, options: ExtractiveOptions) -> None:
        self._most = options.sentences

    def reply(self, request: ModelRequest) -> ModelReply:
        """Return the chosen sentences as a reply; an abstention when none fits."""
        chosen = choose_sentences(request.question, request.lang, request.evidence, self._most)
        return ModelReply(text=_as_reply(chosen), model=self.name)


def _as_reply(chosen: Sequence[Candidate]) -> str:
    statements = [{"text": one.statement, "cited_ids": [one.chunk.id]} for one in chosen]
    status, confidence = ("answered", chosen[0].confidence) if chosen else ("abstained", "low")
    reply = {"status": status, "confidence": confidence, "statements": statements}
    return json.dumps(reply, ensure_ascii=False)


@models.register("extractive", "Whole sentences of the evidence, chosen on this machine", ExtractiveOptions)
def make(options: ExtractiveOptions) -> Model:
    """Return the model."""
    return Extractive(options)
