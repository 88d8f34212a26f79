"""What is kept of an answer, as values: nothing here needs a database, so that a quick command needs none either."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from webapp.core.answering.model import Answer, Check, ModelRequest, Trace
from webapp.core.retrieval.model import LeftOut


@dataclass(frozen=True)
class Snapshot:
    """A document as it was: the file's decoded text, and what its front matter came to (JSON values)."""

    collection: str
    document_id: str
    path: str
    text: str
    details: Mapping[str, Any]

    @cached_property
    def hash(self) -> str:
        """The sha256 of it all, in hex: its address."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    @cached_property
    def text_hash(self) -> str:
        """That of the text alone, as index versions know documents by."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer to keep. `snapshots` are its cited documents by id."""

    answer: Answer
    trace: Trace
    role: str
    snapshots: Mapping[str, Snapshot] = field(default_factory=dict)
    once: str | None = None  # a key under which a second asking finds this answer
    groups: frozenset[str] | None = None  # of whoever asked
    asker: str | None = None  # hash of whoever asked, so that all they asked can be erased

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "answer": self.answer.model_dump(mode="json"),
            "trace": trace_as_json(self.trace),
            "role": self.role,
            "snapshots": {name: asdict(copy) for name, copy in self.snapshots.items()},
            "once": self.once,
            "groups": groups_as_json(self.groups),
            "asker": self.asker,
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
            groups_from_json(given.get("groups")),
            given.get("asker"),
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as it was kept. `snapshots` are hashes by document id."""

    answer: Answer
    trace: Trace  # its prompt comes back without the evidence's texts: the user part holds them
    role: str
    snapshots: Mapping[str, str]
    groups: frozenset[str] | None = None  # of whoever asked; None: it was not kept then


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
    return made | {"prompt": prompt, "milliseconds": dict(trace.milliseconds), "made": _made_as_json(trace)}


def trace_from_json(given: Mapping[str, Any]) -> Trace:
    """Read back what `trace_as_json` gave."""
    said = given["prompt"]
    rest = {name: value for name, value in given.items() if name != "made"}
    prompt = ModelRequest(**said, evidence=()) if said else None
    return Trace(**(rest | {"prompt": prompt} | _made_from_json(given.get("made") or {})))


def groups_as_json(groups: frozenset[str] | None) -> list[str] | None:
    """Return groups as JSON values."""
    return None if groups is None else sorted(groups)


def groups_from_json(given: list[str] | None) -> frozenset[str] | None:
    """Read back what `groups_as_json` gave."""
    return None if given is None else frozenset(given)


def _made_as_json(trace: Trace) -> dict[str, Any]:
    return {
        "left_out": [asdict(one) for one in trace.left_out],
        "checks": [asdict(one) for one in trace.checks],
        "limits": dict(trace.limits),
        "signals": dict(trace.signals),
        "same_as": trace.same_as,
    }


def _made_from_json(given: Mapping[str, Any]) -> dict[str, Any]:
    """An answer that was kept before any of it has none of it."""
    return {
        "left_out": tuple(LeftOut(**one) for one in given.get("left_out", ())),
        "checks": tuple(Check(**one) for one in given.get("checks", ())),
        "limits": given.get("limits", {}),
        "signals": given.get("signals", {}),
        "same_as": given.get("same_as", ""),
    }
