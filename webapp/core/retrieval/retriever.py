"""From a question to ranked evidence: who may see what, words and meaning, one order, and the signals to judge by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webapp.core.retrieval.chosen import chosen_reranker
from webapp.core.retrieval.embedders.base import Embedder, numbers_of
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.fusion import Candidate, Ranked, candidates, fusion_of, rank
from webapp.core.retrieval.index import passage
from webapp.core.retrieval.model import Hit, LeftOut, Query, Retrieval
from webapp.core.retrieval.query_terms import QueryTerms, query_terms
from webapp.core.retrieval.rerankers.base import Reranker, new_order
from webapp.core.retrieval.signals import signals

POOL = 100  # chunks that each search may put forward
DIFFERENT = 3  # the first hits, which an answer mostly rests on, must say different things
NEAR_DUPLICATE = 0.9  # shared terms of all terms, from which on two chunks say the same


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """What both searches found for one question."""

    question: QueryTerms
    candidates: tuple[Candidate, ...]
    background: float  # mean cosine of anything visible


class Retriever:
    """Retrieves from one index version. Safe to use from several threads at once."""

    def __init__(self, version: IndexVersion, embedder: Embedder) -> None:
        """Take the reranker, if any, from the version's collection. Raises as `chosen_reranker` does."""
        self._version = version
        self._reranker = chosen_reranker(version.manifest.config)
        self._embedder = embedder
        self._fusion = fusion_of(embedder.name)

    def retrieve(self, query: Query, depth: int = 10) -> Retrieval:
        """Return the best `depth` chunks that the reader may see. Raises PartUnavailable."""
        search = self.search(query)
        ranked = self.rank(search, query.lang)
        if self._reranker:
            ranked = reranked(ranked, query.text, self._reranker)
        kept, left_out = ordered(ranked, depth)
        return Retrieval(
            query=query,
            index_version=self._version.manifest.id,
            hits=tuple(_hit(one, search.question) for one in kept),
            left_out=tuple(left_out),
            signals=signals(ranked, search.question, query, search.background),
        )

    def search(self, query: Query) -> Search:
        """Return what either search puts forward, not yet ranked, less what has no likeness to the question at all."""
        version = self._version
        visible = version.visible(query)
        question = query_terms(query.text, query.lang, version, visible)
        vector = numbers_of(self._embedder, self._embedder.query([query.text]))[0]
        near, _ = version.search_meaning(vector, visible, POOL)
        holding, _ = version.search_words(question.search_weights, visible, POOL)
        found = sorted({*near.tolist(), *holding.tolist()})
        put_forward = candidates(found, version.fetch(found), vector, question)
        alike = tuple(one for one in put_forward if one.words or one.meaning > self._fusion.unlike)
        return Search(question, alike, version.background(vector, visible))

    def rank(self, search: Search, lang: str) -> list[Ranked]:
        """Return what was found, best first."""
        return rank(search.candidates, search.question, lang, self._fusion.weights)


def reranked(ranked: Sequence[Ranked], question: str, reranker: Reranker) -> list[Ranked]:
    """Return the chunks with the first of them as the reranker orders them.

    A place keeps its score, whoever comes to stand there: scores fall from place to place, as they do without it.
    """
    first = ranked[: reranker.first]
    order = new_order(reranker, question, [passage(one.candidate.entry.chunk) for one in first])
    return [replace(first[i], score=place.score) for i, place in zip(order, first, strict=True)] + [
        *ranked[len(first) :]
    ]


def ordered(ranked: Sequence[Ranked], depth: int) -> tuple[list[Ranked], list[LeftOut]]:
    """Return the first `depth` in order, but near-duplicates among the very first give way to what comes after."""
    first: list[Ranked] = []
    duplicates: list[Ranked] = []
    for one in ranked:
        if len(first) == DIFFERENT:
            break
        (duplicates if any(_say_the_same(one, other) for other in first) else first).append(one)
    places = [*first, *duplicates, *ranked[len(first) + len(duplicates) :]]
    return places[:depth], [_left_out(one) for one in duplicates if one in places[depth:]]


def _say_the_same(one: Ranked, other: Ranked) -> bool:
    mine, yours = set(one.candidate.entry.terms), set(other.candidate.entry.terms)
    return len(mine & yours) >= NEAR_DUPLICATE * len(mine | yours)


def _left_out(one: Ranked) -> LeftOut:
    chunk = one.candidate.entry.chunk
    return LeftOut(chunk.id, chunk.document_id, "near_duplicate", one.score)


def _hit(one: Ranked, question: QueryTerms) -> Hit:
    found = one.candidate
    return Hit(
        chunk=found.entry.chunk,
        score=one.score,
        meaning=found.meaning or None,  # exactly 0 where the model can't read question or chunk
        words=found.words or None,
        coverage=question.coverage(found.entry.terms),
        sentence_scores=found.sentences,
    )
