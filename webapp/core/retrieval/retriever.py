"""From a question to ranked evidence: who may see what, words and meaning, one order, and the signals to judge by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.chosen import chosen_reranker
from webapp.core.retrieval.embedders.base import Embedder, numbers_of
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.fusion import Array, Candidates, Ranked, fusion_of, rank
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
    candidates: Candidates
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
            ranked = self._reranked(ranked, query.text, self._reranker)
        kept, left_out = ordered(ranked, depth)
        first = ranked.candidates.take(np.array([*kept, *left_out], dtype=np.int64))
        chunks = self.chunks(first)
        return Retrieval(
            query=query,
            index_version=self._version.manifest.id,
            hits=tuple(_hits(chunks[: len(kept)], first, ranked.scores[kept], search.question)),
            left_out=tuple(map(_left_out, chunks[len(kept) :], ranked.scores[left_out].tolist())),
            signals=signals(ranked, search.question, query, search.background, chunks[0] if chunks else None),
        )

    def search(self, query: Query) -> Search:
        """Return what either search puts forward, not yet ranked, less what has no likeness to the question at all."""
        version = self._version
        visible = version.visible(query)
        question = query_terms(query.text, query.lang, version, visible)
        vector = numbers_of(self._embedder, self._embedder.query([query.text]))[0]
        near, _ = version.search_meaning(vector, visible, POOL)
        holding, _ = version.search_words(question.search_weights, visible, POOL)
        found = np.union1d(near, holding)
        candidates = Candidates.of(found, version.columns(found, vector), question)
        return Search(question, candidates.alike(self._fusion.unlike), version.background(vector, visible))

    def rank(self, search: Search, lang: str) -> Ranked:
        """Return what was found, best first."""
        return rank(search.candidates, search.question, lang, self._fusion.weights)

    def chunks(self, candidates: Candidates) -> list[Chunk]:
        """Return the chunks themselves."""
        return self._version.chunks(candidates.rows.tolist())

    def _reranked(self, ranked: Ranked, question: str, reranker: Reranker) -> Ranked:
        """Return the chunks with the first of them as the reranker orders them.

        A place keeps its score, whoever comes to stand there: scores fall from place to place, as they do without it.
        """
        every = np.arange(len(ranked))
        first = self.chunks(ranked.candidates.take(every[: reranker.first]))
        every[: len(first)] = new_order(reranker, question, list(map(passage, first)))
        return Ranked(ranked.candidates.take(every), ranked.scores)


def ordered(ranked: Ranked, depth: int) -> tuple[list[int], list[int]]:
    """Return the first `depth` places in order, but near-duplicates among the very first give way to what comes after;
    and the places of those that are left out for it."""
    first: list[int] = []
    duplicates: list[int] = []
    said: list[frozenset[int]] = []  # by the first
    for place in range(len(ranked)):
        if len(first) == DIFFERENT:
            break
        says = ranked.candidates.columns.terms_of(place)
        if any(_say_the_same(says, other) for other in said):
            duplicates.append(place)
        else:
            first.append(place)
            said.append(says)
    places = [*first, *duplicates, *range(len(first) + len(duplicates), len(ranked))]
    return places[:depth], [place for place in duplicates if place in places[depth:]]


def _say_the_same(one: frozenset[int], other: frozenset[int]) -> bool:
    return len(one & other) >= NEAR_DUPLICATE * len(one | other)


def _left_out(chunk: Chunk, score: float) -> LeftOut:
    return LeftOut(chunk.id, chunk.document_id, "near_duplicate", score)


def _hits(chunks: Sequence[Chunk], found: Candidates, scores: Array, question: QueryTerms) -> Iterator[Hit]:
    meaning, words, coverage = found.columns.meaning, found.words, question.coverage(found.held)
    for place, chunk in enumerate(chunks):
        yield Hit(
            chunk=chunk,
            score=float(scores[place]),
            meaning=float(meaning[place]) or None,  # exactly 0 where the model can't read question or chunk
            words=float(words[place]) or None,
            coverage=float(coverage[place]),
            sentence_scores=tuple(found.columns.sentences[place].tolist()),
        )
