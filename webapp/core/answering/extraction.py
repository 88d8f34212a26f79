"""Choosing the sentences that answer: the fewest, whole, in document order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log
from typing import Literal

from webapp.core.answering.expected import Expected, expected_answer, holds_answer
from webapp.core.answering.matching import content_terms
from webapp.core.documents.model import Chunk, Sentence
from webapp.core.documents.sentences import ends_sentence
from webapp.core.retrieval.model import Hit

_RANK_STEP = 0.02  # what each rank costs a chunk's sentences
_KIND = 0.06  # what the kind of answer asked for is worth
_WORDS = 0.15  # what holding all of the question's words is worth
_FRAGMENT = 0.06  # what a sentence costs that a chunk's border, or a heading's brevity, leaves incomplete
_NEAR = 0.035  # how near the best a sentence must come to be said beside it


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may answer."""

    hit: Hit
    sentence: Sentence
    score: float

    @property
    def chunk(self) -> Chunk:
        """The chunk it is cited from."""
        return self.hit.chunk

    @property
    def statement(self) -> str:
        """The sentence, after the line that leads into it."""
        return f"{self.sentence.lead} {self.sentence.text}" if self.sentence.lead else self.sentence.text

    @property
    def confidence(self) -> Literal["high", "medium", "low"]:
        """Middling: a sentence that fits the words may still miss the point."""
        return "medium"


def choose_sentences(question: str, lang: str, evidence: Sequence[Hit], most: int) -> list[Candidate]:
    """Return up to `most` sentences that answer best, in document order; none when none fits."""
    ranked = sorted(_candidates(question, lang, evidence), key=lambda one: -one.score)
    if not ranked:
        return []
    near = (one for one in _distinct(ranked) if one.score >= ranked[0].score - _NEAR)
    chosen = list(islice(near, most))
    rank = {hit.chunk.document_id: n for n, hit in reversed(list(enumerate(evidence)))}
    return sorted(chosen, key=lambda one: (rank[one.chunk.document_id], one.sentence.start))


def _candidates(question: str, lang: str, evidence: Sequence[Hit]) -> Iterable[Candidate]:
    kind = expected_answer(question)
    weights = _weights(content_terms(question, lang), evidence)
    for rank, hit in enumerate(evidence):
        for n, sentence in enumerate(hit.chunk.sentences):
            meaning = hit.sentence_scores[n] if n < len(hit.sentence_scores) else 0.0
            score = meaning - _RANK_STEP * rank + _merits(sentence, hit.chunk, kind, weights)
            yield Candidate(hit, sentence, score)


def _merits(sentence: Sentence, chunk: Chunk, kind: Expected, weights: dict[str, float]) -> float:
    held = content_terms(f"{chunk.context} {sentence.lead} {sentence.text}", chunk.lang)
    total = sum(weights.values()) or 1.0
    score = _WORDS * sum(weight for term, weight in weights.items() if term in held) / total
    if kind is not Expected.OTHER and holds_answer(kind, sentence.text):
        score += _KIND
    return score if ends_sentence(sentence.text) else score - _FRAGMENT


def _weights(question_terms: frozenset[str], evidence: Sequence[Hit]) -> dict[str, float]:
    """A word that every chunk holds tells nothing."""
    counts = Counter(term for hit in evidence for term in content_terms(hit.chunk.plain, hit.chunk.lang))
    return {term: log(1 + len(evidence) / (1 + counts[term])) for term in question_terms}


def _distinct(ranked: Iterable[Candidate]) -> Iterable[Candidate]:
    """Overlapping chunks hold the same sentence: the better-ranked one stands for it."""
    taken: list[Candidate] = []
    for one in ranked:
        if not any(_same_place(one, other) for other in taken):
            taken.append(one)
            yield one


def _same_place(one: Candidate, other: Candidate) -> bool:
    return (
        one.chunk.document_id == other.chunk.document_id
        and one.sentence.start < other.sentence.end
        and other.sentence.start < one.sentence.end
    )
