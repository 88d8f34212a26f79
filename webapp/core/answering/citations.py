"""Citations, built from retrieved metadata alone: a reply gives ids, and nothing else of it comes in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from webapp.core.answering.model import Citation, NearestPage
from webapp.core.documents.model import Chunk
from webapp.core.retrieval.model import Hit

NEAREST_PAGES = 3


def build_citations(cited_ids: Iterable[str], chunks: Mapping[str, Chunk]) -> tuple[Citation, ...]:
    """Return one citation for each chunk, in the order cited, numbered from 1."""
    return tuple(_citation(n, chunks[id_]) for n, id_ in enumerate(dict.fromkeys(cited_ids), start=1))


def _citation(marker: int, chunk: Chunk) -> Citation:
    where = chunk.location
    return Citation(
        marker=marker,
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        title=chunk.title,
        version=chunk.version,
        status=chunk.status.value,
        lang=chunk.lang,
        updated=chunk.updated,
        heading=where.heading,
        first_line=where.first_line,
        last_line=where.last_line,
        page=where.page,
        label=where.label,
    )


def citation_text(citation: Citation) -> str:
    """Return `Returns policy (Returning a bike, lines 11-12) [kc-returns-v3:c0]`, one line for logs and terminals."""
    return f"{citation.title} ({citation.label}) [{citation.chunk_id}]"


def nearest_pages(hits: Iterable[Hit]) -> tuple[NearestPage, ...]:
    """Return the pages that come nearest, best first: links for a reader without an answer, never sources."""
    titles: dict[str, str] = {}
    for hit in hits:
        titles.setdefault(hit.chunk.document_id, hit.chunk.title)
    pages = [NearestPage(document_id=id_, title=title) for id_, title in titles.items()]
    return tuple(pages[:NEAREST_PAGES])
