"""What makes a chunk rank: a handful of features, and a weighted sum of them with weights that were learnt.

The weights of an embedder are learnt by `bench/retrieval.py fit` from labelled folders, and kept in fusion.json. They
are a linear model on purpose: each says what its feature is worth, and it can't learn a single question by heart.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry
from webapp.core.retrieval.query_terms import QueryTerms

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
class Candidate:
    """A chunk that one of the searches found."""

    row: int
    entry: Entry
    meaning: float
    sentences: tuple[float, ...]
    words: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """A candidate and its fused score."""

    candidate: Candidate
    score: float


def candidate(row: int, entry: Entry, vector: Vectors, question: QueryTerms) -> Candidate:
    """Return the candidate with its BM25 score and all its cosines; `vector` is the question's."""
    words = _bm25(entry.terms, question, TEXT_B, TEXT_LENGTH)
    sentences = tuple((entry.sentence_vectors @ vector).tolist())
    return Candidate(row, entry, float(entry.vector @ vector), sentences, words)


def features(candidates: Sequence[Candidate], question: QueryTerms, lang: str) -> Array:
    """Return the features of the candidates of one question, (candidates, len(FEATURES))."""
    entries = [one.entry for one in candidates]
    best_meaning = _by_document(candidates)
    columns = (
        [one.meaning for one in candidates],
        [max(one.sentences, default=one.meaning) for one in candidates],
        _shares([one.words for one in candidates]),
        _shares([_bm25(entry.context_terms, question, CONTEXT_B, CONTEXT_LENGTH) for entry in entries]),
        [question.coverage(frozenset(entry.context_terms)) for entry in entries],
        [best_meaning[entry.document_id] for entry in entries],
        [entry.ordinal == 0 for entry in entries],
        [entry.lang == lang for entry in entries],
    )
    return np.array(columns, dtype=float).T


def _shares(scores: Sequence[float]) -> Array:
    """Return the scores as shares of the best of them."""
    return np.array(scores) / (max(scores, default=0.0) or 1.0)


def _by_document(candidates: Sequence[Candidate]) -> dict[str, float]:
    meaning: dict[str, float] = {}
    for one in candidates:
        document = one.entry.document_id
        meaning[document] = max(meaning.get(document, -1.0), one.meaning)
    return meaning


def _bm25(terms: Sequence[str], question: QueryTerms, b: float, length: int) -> float:
    """Return the score with the question's own weights, which count what the reader may see and nothing else."""
    norm = K1 * (1 - b + b * len(terms) / length)
    score = 0.0
    for term, weight in question.search_weights.items():
        count = terms.count(term)
        if count:
            score += weight * count * (K1 + 1) / (count + norm)
    return score


def rank(candidates: Sequence[Candidate], question: QueryTerms, lang: str, weights: Array) -> list[Ranked]:
    """Return the candidates with their fused scores, best first; equal ones in the order of their rows."""
    if not candidates:
        return []
    scores = features(candidates, question, lang) @ weights
    return [Ranked(candidates[i], float(scores[i])) for i in np.argsort(-scores, kind="stable")]


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
