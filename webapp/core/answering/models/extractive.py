"""The default model: no network, no key. It answers with whole sentences of the evidence, in the same JSON reply
that any model gives, so that the same checks run on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, Field

from webapp.core.answering.extraction import Extract, extract
from webapp.core.answering.model import Model, ModelReply, ModelRequest
from webapp.core.answering.models.base import models
from webapp.core.answering.wording import heads_columns, spoken
from webapp.core.documents.model import Sentence


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
        found = extract(request.question, request.lang, request.evidence, self._most)
        return ModelReply(text=_as_reply(found), model=self.name)


def _as_reply(found: Extract) -> str:
    """What two pages say in the same words is said once, and cites both."""
    cited: dict[str, list[str]] = {}
    for one, text in zip(found.chosen, _texts([one.sentence for one in found.chosen]), strict=True):
        cited.setdefault(text, []).append(one.chunk.id)
    status = "answered" if cited else "abstained"
    statements = [{"text": text, "cited_ids": list(dict.fromkeys(ids))} for text, ids in cited.items()]
    return json.dumps({"status": status, "confidence": found.confidence, "statements": statements}, ensure_ascii=False)


def _texts(sentences: Sequence[Sentence]) -> Iterator[str]:
    """Yield each sentence; the line that leads into a list is said once, the columns of a table with each row."""
    said = {""}
    for sentence in sentences:
        yield sentence.text if sentence.lead in said else spoken(sentence)
        if not heads_columns(sentence.lead):
            said.add(sentence.lead)
        if sentence.text.endswith(":"):
            said.add(sentence.text)


@models.register("extractive", "Whole sentences of the evidence, chosen on this machine", ExtractiveOptions)
def make(options: ExtractiveOptions) -> Model:
    """Return the model."""
    return Extractive(options)
