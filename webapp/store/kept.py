"""What is kept of an answer, as values: nothing here needs a database, so that a quick command needs none either."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from webapp.core.answering.model import Answer, ModelRequest, Trace


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A document as it was: the file's decoded text, and what its front matter came to (JSON values)."""

    collection: str
    document_id: str
    path: str
    text: str
    details: Mapping[str, Any]

    @property
    def hash(self) -> str:
        """The sha256 of it all, in hex: its address."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer to keep. `snapshots` are its cited documents by id."""

    answer: Answer
    trace: Trace
    role: str
    snapshots: Mapping[str, Snapshot] = field(default_factory=dict)
    once: str | None = None  # a key under which a second asking finds this answer

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "answer": self.answer.model_dump(mode="json"),
            "trace": trace_as_json(self.trace),
            "role": self.role,
            "snapshots": {name: asdict(copy) for name, copy in self.snapshots.items()},
            "once": self.once,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Kept:
        """Read back what `as_json` gave, less the evidence's texts, which the prompt holds."""
        return cls(
            Answer.model_validate(given["answer"]),
            trace_from_json(given["trace"]),
            given["role"],
            {name: Snapshot(**copy) for name, copy in given["snapshots"].items()},
            given["once"],
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as it was kept. `snapshots` are hashes by document id."""

    answer: Answer
    trace: Trace  # its prompt comes back without the evidence's texts: the user part holds them
    role: str
    snapshots: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Erased:
    """What is left of an erased answer."""

    at: datetime
    why: str


def trace_as_json(trace: Trace) -> dict[str, Any]:
    """Return a trace as JSON values; its evidence stands in the prompt already."""
    names = ("raw_reply", "prompt_hash", "detail", "tokens_in", "tokens_out")
    said = trace.prompt
    prompt = {name: getattr(said, name) for name in ("system", "user", "question", "lang")} if said else None
    made = {name: getattr(trace, name) for name in names}
    return made | {"prompt": prompt, "milliseconds": dict(trace.milliseconds)}


def trace_from_json(given: Mapping[str, Any]) -> Trace:
    """Read back what `trace_as_json` gave."""
    said = given["prompt"]
    return Trace(**(dict(given) | {"prompt": ModelRequest(**said, evidence=()) if said else None}))
