"""What makes a chunk rank: a handful of features, and a weighted sum of them with weights that were learnt.

The weights of an embedder are learnt by `bench/retrieval.py fit` from labelled folders, and kept in fusion.json. They
are a linear model on purpose: each says what its feature is worth, and it can't learn a single question by heart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webapp.core.retrieval.columns import Columns, Counts, Held, Numbers, number_of
from webapp.core.retrieval.query_terms import QueryTerms
from webapp.core.retrieval.vectors import Rows

FEATURES = (
    "meaning",  # cosine of the question with title, headings and text
    "sentence",  # the best cosine of any one sentence
    "words",  # BM25 over title, headings and text, as a share of the best chunk's
    "context_words",  # BM25 over title and headings alone, likewise
    "context_coverage",  # share of the question's weight that title and headings hold
    "document_meaning",  # the best `meaning` of any chunk of the document
    "opening",  # 1 for the first chunk of a document
    "own_language",  # 1 where document and question are of one language
)

K1 = 1.2  # BM25's. Lengths are measured by a fixed one, not by the mean of an index: closed pages would be felt in it
TEXT_B, TEXT_LENGTH = 0.75, 120  # terms of a chunk with its title and headings
CONTEXT_B, CONTEXT_LENGTH = 0.3, 10  # of title and headings alone

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The chunks that the searches found for one question, side by side."""

    rows: Rows
    columns: Columns
    held: Held  # what of the question title, headings and text hold
    context_held: Held  # and title and headings alone
    words: Array  # BM25
    sentence: NDArray[np.float32]  # the best cosine of any one sentence

    @classmethod
    def of(cls, rows: Rows, columns: Columns, question: QueryTerms) -> Candidates:
        """Return the chunks of those rows as candidates."""
        held, context_held = columns.held(question.looked_for)
        words = _bm25(held, columns.lengths, question.search_weights, TEXT_B, TEXT_LENGTH)
        return cls(rows, columns, held, context_held, words, columns.sentences.greatest(columns.meaning))

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: NDArray[np.int64]) -> Candidates:
        """Return those at these places, in that order."""
        return Candidates(
            rows=self.rows[places],
            columns=self.columns.take(places),
            held=self.held.take(places),
            context_held=self.context_held.take(places),
            words=self.words[places],
            sentence=self.sentence[places],
        )

    def alike(self, unlike: float) -> Candidates:
        """Return those that hold a word of the question, or come nearer to it than `unlike`."""
        alike = (self.words > 0) | (self.columns.meaning > unlike)
        return self if alike.all() else self.take(np.flatnonzero(alike))


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Candidates, best first, and their fused scores."""

    candidates: Candidates
    scores: Array

    def __len__(self) -> int:
        return len(self.scores)


def features(candidates: Candidates, question: QueryTerms, lang: str) -> Array:
    """Return the features of the candidates of one question, (candidates, len(FEATURES))."""
    columns, context_held = candidates.columns, candidates.context_held
    context_words = _bm25(context_held, columns.context_lengths, question.search_weights, CONTEXT_B, CONTEXT_LENGTH)
    values = (
        columns.meaning,
        candidates.sentence,
        _shares(candidates.words),
        _shares(context_words),
        question.coverage(context_held),
        _best_of_document(columns.documents, columns.meaning),
        columns.ordinals == 0,
        columns.langs == number_of(lang),
    )
    return np.array(values, dtype=float).T


def _shares(scores: Array) -> Array:
    """Return the scores as shares of the best of them."""
    return scores / (scores.max(initial=0.0) or 1.0)


def _best_of_document(documents: Numbers, meaning: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the best `meaning` of any candidate of each one's document."""
    _, of = np.unique(documents, return_inverse=True)
    best = np.full(len(meaning), -1, dtype=np.float32)
    np.maximum.at(best, of, meaning)
    return best[of]


def _bm25(held: Held, lengths: Counts, weights: Mapping[str, float], b: float, length: int) -> Array:
    """Return the scores with the question's own weights, which count what the reader may see and nothing else."""
    norms = K1 * (1 - b + b * lengths / length)
    scores = np.zeros(len(lengths))
    for term, weight in weights.items():
        counts = held.count(term)
        scores += weight * counts * (K1 + 1) / (counts + norms)
    return scores


def rank(candidates: Candidates, question: QueryTerms, lang: str, weights: Array) -> Ranked:
    """Return the candidates with their fused scores, best first; equal ones in the order of their rows."""
    scores = features(candidates, question, lang) @ weights
    order = np.argsort(-scores, kind="stable")
    return Ranked(candidates.take(order), scores[order])


@dataclass(frozen=True, slots=True)
class Fusion:
    """How an embedder's cosines are weighed against words. A chunk that holds no word of the question and comes no
    nearer to it than `unlike` has nothing to do with it."""

    weights: Array
    unlike: float


@lru_cache(maxsize=8)
def fusion_of(embedder: str) -> Fusion:
    """Return what was learnt for an embedder; for one that nothing was learnt for, cautious weights of any other."""
    kept: dict[str, Any] = json.loads(Path(__file__).with_name("fusion.json").read_text(encoding="utf-8"))
    learnt = kept.get(embedder, kept["*"])
    return Fusion(np.array([learnt["weights"][name] for name in FEATURES]), learnt["unlike"])
