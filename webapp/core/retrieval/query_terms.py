"""A question as keyword search sees it: its terms, what each weighs here, and what else may stand for it.

Weights come from the chunks that the reader may see and from nothing else, so that closed pages can't be felt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from webapp.core.retrieval.columns import Counts, Held
from webapp.core.retrieval.engine import IndexVersion, Visible
from webapp.core.retrieval.everyday_words import stand_ins
from webapp.core.retrieval.function_words import function_terms
from webapp.core.retrieval.keyword import idf
from webapp.core.retrieval.typos import may_be_typo, one_edit
from webapp.core.retrieval.words import Token, stem, terms, tokens

SYNONYM_CREDIT = 0.8  # of a collection's own, which know what is meant
EVERYDAY_CREDIT = 0.5
TYPO_CREDIT = 0.7

Array = NDArray[np.float64]


@dataclass(frozen=True)
class QueryTerm:
    """One term of the question. `accepted` maps the terms that it is searched by to how far they count, 0..1. Everyday
    words for it are no search of their own, since meaning finds those pages, but where one stands it isn't lacking."""

    term: str
    weight: float  # its idf among the visible chunks; that of a term in none of them when it is unknown
    accepted: Mapping[str, float]
    known: bool  # it, or what it was corrected to, stands in a visible chunk
    exact: bool  # a code, number, amount or date
    part: bool = False  # of a term that stands before it whole
    corrected: bool = False
    everyday: frozenset[str] = frozenset()

    @cached_property
    def stand_ins(self) -> frozenset[str]:
        """Every term that may stand for it, itself among them."""
        return self.everyday.union(self.accepted)

    def credit(self, held: Held) -> Array:
        """Return how far each of some chunks may be said to hold it, 0..1."""
        credit = np.zeros(held.chunks)
        if self.everyday:
            credit[held.any_of(self.everyday)] = EVERYDAY_CREDIT
        for accepted, worth in self.accepted.items():
            np.maximum(credit, worth * (held.count(accepted) > 0), out=credit)
        return credit


@dataclass(frozen=True)
class QueryTerms:
    """The terms of a question that carry its meaning, once each, in its order."""

    terms: tuple[QueryTerm, ...]
    visible_rows: int
    frequencies: Mapping[str, int] = field(default_factory=dict)  # visible rows of every accepted term

    @cached_property
    def total(self) -> float:
        """The weight of the whole question."""
        return sum(term.weight for term in self.terms)

    @property
    def unknown(self) -> float:
        """The share of the weight that stands in no visible chunk at all, 0..1."""
        return sum(term.weight for term in self.terms if not term.known) / self.total if self.total else 0.0

    @cached_property
    def search_weights(self) -> dict[str, float]:
        """What keyword search looks for, and the idf that each term is to count with."""
        weights: dict[str, float] = {}
        for term in self.terms:
            for accepted, credit in term.accepted.items():
                count = self.frequencies.get(accepted, 0)
                if count:
                    weights[accepted] = max(weights.get(accepted, 0.0), credit * idf(count, self.visible_rows))
        return weights

    @cached_property
    def looked_for(self) -> tuple[str, ...]:
        """Every term that may stand for one of the question's, once each."""
        return tuple(dict.fromkeys(other for term in self.terms for other in (*term.accepted, *term.everyday)))

    def coverage(self, held: Held) -> Array:
        """Return the share of the question's weight that each of some chunks holds, 0..1; 0 for one that holds nothing
        of what is searched."""
        covered = np.zeros(held.chunks)
        for term in self.terms:
            covered += term.weight * term.credit(held)
        return np.where(held.any_of(self.search_weights), covered / (self.total or 1.0), 0.0)

    def lacking(self, held: Held) -> Counts:
        """Return how many terms of the question have nothing that may stand for them in each of some chunks."""
        lacking = np.zeros(held.chunks, dtype=np.int64)
        for term in self.terms:
            lacking += ~held.any_of(term.stand_ins)
        return lacking


def query_terms(text: str, lang: str, version: IndexVersion, visible: Visible) -> QueryTerms:
    """Return the question's terms as they weigh in what is visible of the version."""
    said = list(tokens(text, lang))
    each = list({token.term: token for token in said}.values())
    wanted = [token for token in each if token.term not in function_terms()] or each
    own = _synonyms(version.manifest.config.synonyms, lang, [token.term for token in said])
    everyday = stand_ins([token.term for token in said], lang)
    others = (term for alike in (*own.values(), *everyday.values()) for term in alike)
    frequencies = version.counts([*(token.term for token in wanted), *others], visible)
    found = []
    for token in wanted:
        accepted = {token.term: 1.0} | dict.fromkeys(own.get(token.term, ()), SYNONYM_CREDIT)
        alike = frozenset(term for term in everyday.get(token.term, ()) if frequencies[term])
        known = any(frequencies[term] for term in (*accepted, *alike))
        corrections = {} if known else _corrections(token, lang, version, visible)
        frequencies |= corrections
        accepted |= dict.fromkeys(corrections, TYPO_CREDIT)
        found.append(_query_term(token, accepted, alike, frequencies, visible.rows))
    return QueryTerms(tuple(found), visible.rows, frequencies)


def _query_term(
    token: Token, accepted: Mapping[str, float], everyday: frozenset[str], frequencies: Mapping[str, int], rows: int
) -> QueryTerm:
    # A term that stands nowhere weighs as much as the rarest; one that was corrected, as what it was corrected to.
    known = (count for term in (*accepted, *everyday) if (count := frequencies[term]))
    count = frequencies[token.term] or min(known, default=0)
    corrected = TYPO_CREDIT in accepted.values()
    return QueryTerm(token.term, idf(count, rows), accepted, bool(count), token.exact, token.part, corrected, everyday)


def _corrections(token: Token, lang: str, version: IndexVersion, visible: Visible) -> dict[str, int]:
    """Return the most frequent known term one edit away, and in how many visible rows it stands."""
    if token.exact or not may_be_typo(token.word):
        return {}
    near = {stem(word, lang) for word in one_edit(token.word, version.letters()) if word}
    counts = version.counts(sorted(version.known(near)), visible)
    best = max(counts, key=lambda term: counts[term], default=None)
    return {best: counts[best]} if best is not None and counts[best] else {}


def _synonyms(listed: Mapping[str, Sequence[str]], lang: str, wanted: Sequence[str]) -> dict[str, set[str]]:
    """Return, for each wanted term that a listed word or phrase holds, the terms of what means the same."""
    found: dict[str, set[str]] = {}
    for word, others in listed.items():
        phrases = [tuple(terms(phrase, lang)) for phrase in (word, *others)]
        for phrase in phrases:
            if phrase and _in_order(phrase, wanted):
                same = {term for other in phrases if other != phrase for term in other}
                for term in phrase:
                    found.setdefault(term, set()).update(same)
    return found


def _in_order(phrase: Sequence[str], wanted: Sequence[str]) -> bool:
    length = len(phrase)
    return any(tuple(wanted[i : i + length]) == tuple(phrase) for i in range(len(wanted) - length + 1))
