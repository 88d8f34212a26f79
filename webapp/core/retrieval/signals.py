"""The signals that sufficiency judges from. None depends on how large the collection is."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.columns import Columns
from webapp.core.retrieval.fusion import Ranked
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.names import asks_for_another_kind, half_known_name
from webapp.core.retrieval.query_terms import QueryTerm, QueryTerms

SHORTEST = 2  # a single word counts as two: it says less than a short question, not more
FIRST = 3  # chunks that an answer mostly rests on

NAMES = (
    "score",  # fused score of the best chunk
    "meaning",  # its cosine with the question
    "rival",  # the best cosine in any other document of its language: high where everything is alike
    "length",  # log of the number of words that say something: longer questions come nearer to anything
    "other_language",  # 1 where the best chunk is in another language than the question
    "code_missing",  # 1 where a code in the question (ERR-0942) stands nowhere
    "code_held",  # 1 where the question has a code, and one of the first chunks holds it and every other word
    "name_missing",  # 1 where one word of a name is known and another is not
    "other_kind",  # 1 where all but one word is held, and headings have another in its place (small plan, medium plan)
    "coverage",  # share of the question's weight that the best chunk holds
    "unknown",  # share of the question's weight that stands nowhere
    "held",  # 1 where one of the first chunks holds every word of the question, 1/2 where it lacks one, 1/3 two …
)


def signals(
    ranked: Ranked, question: QueryTerms, query: Query, background: float, best: Chunk | None
) -> Mapping[str, float]:
    """Return the signals of one retrieval; `background` is the mean cosine of anything visible, `best` the first chunk
    of those ranked, None where there is none."""
    if best is None:
        return dict.fromkeys(NAMES, 0.0)
    first = ranked.candidates.take(np.arange(min(FIRST, len(ranked))))
    codes = [term for term in question.terms if _is_code(term)]
    lacking = int(question.lacking(first.held).min())
    held = first.held.terms_of(0)
    return {
        "score": float(ranked.scores[0]),
        "meaning": float(first.columns.meaning[0]),
        "rival": _rival(ranked.candidates.columns, background),
        "length": math.log(max(SHORTEST, sum(not term.part for term in question.terms))),
        "other_language": float(best.lang != query.lang),
        "code_missing": float(any(not term.known for term in codes)),
        "code_held": float(bool(codes) and not lacking),
        "name_missing": float(half_known_name(query.text, query.lang, question)),
        "other_kind": float(best.lang == query.lang and asks_for_another_kind(query.text, question, held, best)),
        "coverage": float(question.coverage(first.held)[0]),
        "unknown": question.unknown,
        "held": 1 / (1 + lacking),
    }


def _rival(ranked: Columns, background: float) -> float:
    others = (ranked.documents != ranked.documents[0]) & (ranked.langs == ranked.langs[0])
    return float(ranked.meaning[others].max()) if others.any() else background


def _is_code(term: QueryTerm) -> bool:
    """A letter first, then digits somewhere: a number is often the asker's own (I am 62), a code never is."""
    return term.exact and term.term[0].isalpha()
