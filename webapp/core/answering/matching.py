"""How near one text is to another, by its words: shared by quotes, support, conflicts and the extractive model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from functools import lru_cache

from webapp.core.retrieval.function_words import function_terms
from webapp.core.retrieval.words import normalise, terms


@lru_cache(maxsize=16_384)  # the same sentences are looked at again and again
def content_terms(text: str, lang: str) -> frozenset[str]:
    """Return the terms of a text that carry its meaning."""
    return frozenset(terms(text, lang)) - function_terms()


def share_held(wanted: Set[str], source: Set[str]) -> float:
    """Return the share of `wanted` terms that `source` holds, 0..1; 0 when nothing is wanted."""
    return len(wanted & source) / len(wanted) if wanted else 0.0


_EDGES = re.compile(r"^\W+|[\s.!?।…]+$")


def folded(text: str) -> str:
    """Return the text as exact comparisons see it: without case, joiners, double blanks and end marks."""
    return _EDGES.sub("", " ".join(normalise(text).split()))


def holds(text: str, part: str) -> bool:
    """Tell whether a folded text holds a folded part as whole words."""
    start = text.find(part) if part else -1
    while start >= 0:
        end = start + len(part)
        if not _in_word(text[start - 1 : start]) and not _in_word(text[end : end + 1]):
            return True
        start = text.find(part, start + 1)
    return False


def _in_word(character: str) -> bool:
    """Letters, digits and the marks that belong to them."""
    return bool(character) and unicodedata.category(character)[0] in "LNM"
