"""The signals that sufficiency judges from: each is a share, a cosine or a distance that means the same in a collection
of any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webapp.core.retrieval.model import Hit
from webapp.core.retrieval.query_terms import QueryTerms

TOP = 3  # hits looked at together: what an answer would mostly rest on


def signals(hits: Sequence[Hit], question: QueryTerms, background: tuple[float, float]) -> Mapping[str, float]:
    """Return the signals of one retrieval; `background` is mean and deviation of the cosines of anything visible."""
    top = hits[:TOP]
    mean, deviation = background
    meanings = [hit.meaning for hit in top if hit.meaning is not None]
    meaning = max(meanings, default=0.0)
    sentence = max((score for hit in top for score in hit.sentence_scores), default=meaning)
    exact = [term for term in question.terms if term.exact]
    unknown = sum(term.weight for term in question.terms if not term.known)
    return {
        "meaning": meaning,
        "sentence": sentence,
        "rise": (meaning - mean) / (deviation or 1.0),
        "first_coverage": top[0].coverage if top else 0.0,
        "best_coverage": max((hit.coverage for hit in top), default=0.0),
        "unknown": unknown / question.total if question.total else 0.0,
        "exact_missing": float(any(not term.known for term in exact)),
        "terms": float(len(question.terms)),
    }
