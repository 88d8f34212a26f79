"""Key facts: words that should stay whole inside one chunk, and the chunks that share those that don't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from webapp.core.documents.model import Chunk, Document, Span
from webapp.core.evaluation.questions import fact_spans, first_problem


class FactsError(ValueError):
    """A facts file can't be used; the message names file, line and what to mend."""


class KeyFact(BaseModel, frozen=True, extra="ignore"):
    """Words that stand verbatim in a document (white space folded)."""

    id: str = ""
    fact: str = Field(pattern=r"\S")
    document: str = Field(min_length=1)
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that no chunk holds whole, and the chunks that hold its beginning and its end."""

    fact: KeyFact
    halves: tuple[str, ...]  # chunk ids, in order


@dataclass(frozen=True, slots=True)
class FactCheck:
    """What became of the facts: kept whole, lost between chunks, or not said by their document at all."""

    whole: tuple[KeyFact, ...]
    lost: tuple[LostFact, ...]
    absent: tuple[KeyFact, ...]


def read_facts(file: Path) -> tuple[KeyFact, ...]:
    """Read a facts file, one JSON object a line; none when there is no such file. Raises FactsError."""
    if not file.exists():
        return ()
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FactsError(f"{file}: can't be read as UTF-8 text ({error})") from error
    return tuple(_parse(line, f"{file.name}, line {number}") for number, line in enumerate(lines, 1) if line.strip())


def _parse(line: str, where: str) -> KeyFact:
    try:
        return KeyFact.model_validate_json(line)
    except ValidationError as error:
        raise FactsError(f"{where}: {first_problem(error)}") from error


def check_facts(
    facts: Sequence[KeyFact], documents: Sequence[Document], chunks: Mapping[str, Sequence[Chunk]]
) -> FactCheck:
    """Look every fact up among the chunks of its document; facts of other documents don't count.

    `chunks` gives the chunks of each document, by its id.
    """
    by_id = {document.id: document for document in documents}
    whole, lost, absent = [], [], []
    for fact in facts:
        if fact.document not in by_id:
            continue
        spans = fact_spans(fact.fact, by_id[fact.document])
        cut = chunks[fact.document]
        if not spans:
            absent.append(fact)
        elif any(chunk.start <= span.start and span.end <= chunk.end for span in spans for chunk in cut):
            whole.append(fact)
        else:
            lost.append(LostFact(fact, _halves(spans[0], cut)))
    return FactCheck(tuple(whole), tuple(lost), tuple(absent))


def _halves(span: Span, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """The chunk with the most of the fact's beginning, and the one with the most of its end.

    With much overlap many chunks hold a part of it; these two show best where it broke.
    """
    first = max((c for c in chunks if c.start <= span.start < c.end), key=lambda c: c.end, default=None)
    last = min((c for c in chunks if c.start < span.end <= c.end), key=lambda c: c.start, default=None)
    return tuple(dict.fromkeys(chunk.id for chunk in (first, last) if chunk))
