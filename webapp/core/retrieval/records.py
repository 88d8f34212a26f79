"""Chunks as they are written to an index, and read back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Any

from webapp.core.documents.model import Chunk, Location, Sentence, Status


@dataclass(frozen=True, slots=True)
class Record:
    """One row without its vectors: the chunk, its terms as indexed, and those of title and headings alone."""

    chunk: Chunk
    terms: tuple[str, ...]
    context_terms: tuple[str, ...]

    def as_line(self) -> bytes:
        """Return the record as one line of JSON, its end included."""
        kept = {"chunk": _chunk_as_json(self.chunk), "terms": self.terms, "context_terms": self.context_terms}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Record:
        """Read back what `as_line` gave."""
        kept = json.loads(line.decode("utf-8", "surrogatepass"))
        return cls(_chunk_from_json(kept["chunk"]), tuple(kept["terms"]), tuple(kept["context_terms"]))


def _chunk_as_json(chunk: Chunk) -> dict[str, Any]:
    place = chunk.location
    return {
        "id": chunk.id,
        "document_id": chunk.document_id,
        "title": chunk.title,
        "text": chunk.text,
        "plain": chunk.plain,
        "location": {
            "heading": place.heading,
            "first_line": place.first_line,
            "last_line": place.last_line,
            "start": place.start,
            "end": place.end,
            "heading_path": place.heading_path,
            "page": place.page,
        },
        "version": chunk.version,
        "status": chunk.status.value,
        "lang": chunk.lang,
        "start": chunk.start,
        "end": chunk.end,
        "sentences": chunk.sentences,
        "lead": chunk.lead,
        "audience": sorted(chunk.audience),
        "updated": chunk.updated and chunk.updated.isoformat(),
        "valid_until": chunk.valid_until and chunk.valid_until.isoformat(),
        "attributes": dict(chunk.attributes),
    }


def _chunk_from_json(kept: dict[str, Any]) -> Chunk:
    place = kept["location"]
    read = {
        "location": Location(**place | {"heading_path": tuple(place["heading_path"])}),
        "status": Status(kept["status"]),
        "sentences": tuple(Sentence(*sentence) for sentence in kept["sentences"]),
        "audience": frozenset(kept["audience"]),
        "updated": _date(kept["updated"]),
        "valid_until": _date(kept["valid_until"]),
    }
    return Chunk(**kept | read)


def _date(kept: str | None) -> date | None:
    return date.fromisoformat(kept) if kept else None
