"""Chunks as they are written to an index, and read back."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from webapp.core.documents.lazy import on_first_use
from webapp.core.documents.model import Chunk, Location, Sentence, Status
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry

_read = json.JSONDecoder().raw_decode  # a fifth of what json.loads takes, which looks for encodings and blanks first
_APART = b"\t"  # between the two halves of a line: JSON has no bare tab


def line_of(entry: Entry) -> bytes:
    """Return an entry without its vectors as one line, its end included: its place and terms, then its chunk."""
    head = (entry.document_id, entry.ordinal, entry.lang, " ".join(entry.terms), len(entry.context_terms))
    return _APART.join((_json(head), _json(_chunk_as_json(entry.chunk)))) + b"\n"


def entry_from_line(line: bytes, vector: Vectors, sentence_vectors: Vectors) -> Entry:
    """Read back what `line_of` gave; a chunk is read when it is first asked for."""
    head, _, chunk = line.partition(_APART)
    document_id, ordinal, lang, joined, of_context = _value(head)
    terms = tuple(joined.split(" ")) if joined else ()
    return Entry(
        document_id=document_id,
        ordinal=ordinal,
        lang=lang,
        terms=terms,
        context_terms=terms[:of_context],
        vector=vector,
        sentence_vectors=sentence_vectors,
        chunk=on_first_use(lambda _: _chunk_from_json(_value(chunk))),
    )


def chunk_from_line(line: bytes) -> Chunk:
    """Read back the chunk alone."""
    return _chunk_from_json(_value(line.partition(_APART)[2]))


def _value(kept: bytes) -> Any:
    return _read(kept.decode("utf-8", "surrogatepass"))[0]


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


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
