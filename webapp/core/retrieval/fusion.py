"""What makes a chunk rank: a handful of features, and a weighted sum of them with weights that were learnt.

The weights of an embedder are learnt by `bench/retrieval.py fit` from labelled folders, and kept in fusion.json. They
are a linear model on purpose: each says what its feature is worth, and it can't learn a single question by heart.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry
from webapp.core.retrieval.query_terms import QueryTerms
from webapp.core.retrieval.term_text import TermText, marked

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


def candidates(rows: Sequence[int], entries: Sequence[Entry], vector: Vectors, question: QueryTerms) -> list[Candidate]:
    """Return the entries of those rows with their BM25 scores and all their cosines; `vector` is the question's."""
    if not entries:
        return []
    weights = _marked(question)
    meaning = _cosines(np.stack([entry.vector for entry in entries]), vector)
    every = iter(_cosines(np.concatenate([entry.sentence_vectors for entry in entries]), vector))
    return [
        Candidate(row, entry, cosine, tuple(islice(every, len(entry.sentence_vectors))), _text_bm25(entry, weights))
        for row, entry, cosine in zip(rows, entries, meaning, strict=True)
    ]


def _cosines(vectors: Vectors, vector: Vectors) -> list[float]:
    # Unlike @, einsum gives a row the same cosine to the last digit whatever rows stand beside it.
    cosines: list[float] = np.einsum("ij,j->i", vectors, vector).tolist()
    return cosines


def features(candidates: Sequence[Candidate], question: QueryTerms, lang: str) -> Array:
    """Return the features of the candidates of one question, (candidates, len(FEATURES))."""
    entries, weights = [one.entry for one in candidates], _marked(question)
    context_words = [_bm25(entry.context_terms, weights, CONTEXT_B, CONTEXT_LENGTH) for entry in entries]
    best_meaning = _by_document(candidates)
    columns = (
        [one.meaning for one in candidates],
        [max(one.sentences, default=one.meaning) for one in candidates],
        _shares([one.words for one in candidates]),
        _shares(context_words),
        [
            question.coverage(one.context_terms) if held else 0.0
            for one, held in zip(entries, context_words, strict=True)
        ],
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


def _marked(question: QueryTerms) -> list[tuple[str, float]]:
    return [(marked(term), weight) for term, weight in question.search_weights.items()]


def _text_bm25(entry: Entry, weights: Sequence[tuple[str, float]]) -> float:
    return _bm25(entry.terms, weights, TEXT_B, TEXT_LENGTH)


def _bm25(terms: TermText, weights: Sequence[tuple[str, float]], b: float, length: int) -> float:
    """Return the score with the question's own weights, which count what the reader may see and nothing else."""
    norm = K1 * (1 - b + b * len(terms) / length)
    score = 0.0
    for term, weight in weights:
        if count := terms.joined.count(term):
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
