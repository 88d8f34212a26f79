"""Words that people everywhere use for one another, in the languages that we know: fridge and refrigerator.

They are data (`everyday_words.txt`), so that whoever speaks those languages can add to them. A collection's own
synonyms say what only its people mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from webapp.core.retrieval.words import terms

LANGUAGES = frozenset({"en", "bn"})  # of the list

Phrase = tuple[str, ...]


def stand_ins(said: Sequence[str], lang: str) -> dict[str, set[str]]:
    """Return, for the terms of a question in its order, the single terms that may stand for them or their phrase."""
    found: dict[str, set[str]] = {}
    for start, first in enumerate(said if lang in LANGUAGES else ()):
        for phrase, others in _by_first_term().get(first, ()):
            if tuple(said[start : start + len(phrase)]) == phrase:
                for term in phrase:
                    found.setdefault(term, set()).update(others)
    return found


@lru_cache(maxsize=1)
def _by_first_term() -> Mapping[str, Sequence[tuple[Phrase, frozenset[str]]]]:
    """The phrases of the list by the term that they begin with, each with the single words of its group."""
    found: dict[str, list[tuple[Phrase, frozenset[str]]]] = {}
    for group in _groups():
        words = frozenset(phrase[0] for phrase in group if len(phrase) == 1)
        for phrase in group:
            found.setdefault(phrase[0], []).append((phrase, words - set(phrase)))
    return found


def _groups() -> Iterator[list[Phrase]]:
    for line in Path(__file__).with_name("everyday_words.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [tuple(terms(phrase, "en")) for phrase in line.split(",")]
