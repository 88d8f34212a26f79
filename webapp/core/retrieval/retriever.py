"""From a question to ranked evidence: who may see what, words and meaning, one order, and the signals to judge by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from webapp.core.retrieval.embedders.base import Embedder, Vectors
from webapp.core.retrieval.engine import IndexVersion, Visible
from webapp.core.retrieval.fusion import Candidate, candidate, features, fusion_weights
from webapp.core.retrieval.model import Hit, LeftOut, Query, Retrieval
from webapp.core.retrieval.query_terms import QueryTerms, query_terms
from webapp.core.retrieval.signals import signals

POOL = 100  # chunks that each search may put forward
SCORED = 500  # chunks whose keyword score is known at all
NEAR_DUPLICATE = 0.9  # shared terms of all terms, from which on two chunks say the same


class Retriever:
    """Retrieves from one index version. Safe to use from several threads at once."""

    def __init__(self, version: IndexVersion, embedder: Embedder) -> None:
        self._version = version
        self._embedder = embedder
        self._weights = fusion_weights(embedder.name)

    def retrieve(self, query: Query, depth: int = 10) -> Retrieval:
        """Return the best `depth` chunks that the reader may see. Raises EmbedderUnavailable."""
        version = self._version
        visible = version.visible(query)
        question = query_terms(query.text, query.lang, version, visible)
        vector = self._embedder.query([query.text])[0]
        candidates = self._candidates(question, vector, visible)
        ranked = self._ranked(candidates, question, query.lang)
        kept, left_out = _without_duplicates(ranked, depth)
        hits = tuple(_hit(one, score, question) for one, score in kept)
        return Retrieval(
            query=query,
            index_version=version.manifest.id,
            hits=hits,
            left_out=tuple(left_out),
            signals=signals(hits, question, version.background(vector, visible)),
        )

    def _candidates(self, question: QueryTerms, vector: Vectors, visible: Visible) -> list[Candidate]:
        near, _ = self._version.search_meaning(vector, visible, POOL)
        holding, scores = self._version.search_words(question.search_weights(), visible, SCORED)
        words = dict(zip(holding.tolist(), scores.tolist(), strict=True))
        rows = sorted({*near.tolist(), *holding[:POOL].tolist()})
        entries = self._version.fetch(rows)
        return [candidate(row, entry, vector, words.get(row, 0.0)) for row, entry in zip(rows, entries, strict=True)]

    def _ranked(
        self, candidates: Sequence[Candidate], question: QueryTerms, lang: str
    ) -> list[tuple[Candidate, float]]:
        if not candidates:
            return []
        scores = features(candidates, question, lang) @ self._weights
        order = np.argsort(-scores, kind="stable")
        return [(candidates[i], float(scores[i])) for i in order]


def _without_duplicates(
    ranked: Sequence[tuple[Candidate, float]], depth: int
) -> tuple[list[tuple[Candidate, float]], list[LeftOut]]:
    """Return the first `depth` that say different things, and what gave way to them."""
    kept: list[tuple[Candidate, float]] = []
    left_out: list[LeftOut] = []
    for one, score in ranked:
        if len(kept) == depth:
            break
        if any(_say_the_same(one, other) for other, _ in kept):
            chunk = one.entry.chunk
            left_out.append(LeftOut(chunk.id, chunk.document_id, "near_duplicate", score))
        else:
            kept.append((one, score))
    return kept, left_out


def _say_the_same(one: Candidate, other: Candidate) -> bool:
    mine, yours = set(one.entry.terms), set(other.entry.terms)
    smaller, larger = sorted((len(mine), len(yours)))
    return smaller >= NEAR_DUPLICATE * larger and len(mine & yours) >= NEAR_DUPLICATE * len(mine | yours)


def _hit(one: Candidate, score: float, question: QueryTerms) -> Hit:
    return Hit(
        chunk=one.entry.chunk,
        score=score,
        meaning=one.meaning,
        words=one.words or None,
        coverage=question.coverage(frozenset(one.entry.terms)),
        sentence_scores=one.sentences,
    )
