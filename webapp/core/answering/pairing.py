"""Whether a statement gives a figure to another case than its source does: "at 8 on weekdays and at 10 on Saturdays"
says both figures and both cases, but not that anything is at 10 on weekdays.

A source sentence is taken apart where it goes from one case to the next, and each part's words stand with its figures.
A statement that has one part's figures and mostly another's words has mixed them up.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import attrgetter

from webapp.core.answering.dates import without_dates
from webapp.core.answering.matching import content_terms, share_held
from webapp.core.answering.polarity import MODAL_TERMS
from webapp.core.answering.quantities import measures
from webapp.core.answering.quantity_words import BANGLA_UNITS, NUMBER_WORDS, SCALES, UNITS
from webapp.core.retrieval.words import normalise, terms

_NEXT_CASE = re.compile(
    r"[,،](?!\d)|[;:–—।]"
    r"|(?<!\w)(?:and|but|or|while|whereas|otherwise)(?!\w)"
    rf"|(?<=\s)(?:{normalise('আর|এবং|ও|কিন্তু|তবে|অথবা|বা')})(?=\s)",
    re.IGNORECASE,
)
MOST_PARTS = 50  # a longer row of figures is a table, not a sentence
_MOSTLY = 0.5  # of the words that only the other case has, a statement that mixes them up has more


# What a figure is written with, which says nothing of its case.
FIGURE_WORDS = frozenset(terms(" ".join((*NUMBER_WORDS, *SCALES, *UNITS, *BANGLA_UNITS, "am pm a.m. p.m.")), "en"))


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of one case, and the words before the first of them and after it."""

    figures: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """Those before and after."""
        return self.before | self.after


def mixed_up(statement: str, sentences: Sequence[str], lang: str) -> str:
    """Return the words of the case that a statement gives another one's figures to, "" when it doesn't."""
    figures = _figures(statement)
    about = (sentence for sentence in sentences if not figures.isdisjoint(_figures(sentence)))
    stated = [found for sentence in about if len(found := parts(sentence, lang)) <= MOST_PARTS]
    for said in parts(statement, lang):
        for sentence in stated:
            words = _of_another_case(said, sentence)
            if words and not any(_says(part, said.figures, words) for others in stated for part in others):
                return ", ".join(sorted(words))
    return ""


def _of_another_case(said: Part, sentence: Sequence[Part]) -> frozenset[str]:
    """Return the words that a part has of a case of the sentence without its figures, where it has most of what tells
    that case apart and not that of the case with them."""
    for own, other in product(sentence, sentence):
        if said.figures <= own.figures and other.figures.isdisjoint(said.figures):
            its, theirs = _told_apart_by(own, other)
            if share_held(theirs, said.words) > _MOSTLY >= share_held(its, said.words):
                return theirs & said.words
    return frozenset()


def _told_apart_by(one: Part, other: Part) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that tell two cases apart: those on the side of the figure where both have some. On the other
    side stands what is said of both ("opens at 8 on weekdays, at 10 on Saturdays")."""
    for side in (attrgetter("after"), attrgetter("before"), attrgetter("words")):
        apart = side(one) - other.words, side(other) - one.words
        if all(apart):
            return apart
    return frozenset(), frozenset()


def _says(part: Part, figures: frozenset[str], words: frozenset[str]) -> bool:
    return figures <= part.figures and words <= part.words


def parts(text: str, lang: str) -> list[Part]:
    """Return the parts of a sentence that have figures. Words between two of them belong to the one that comes, where
    the sentence begins so ("On weekdays, at 8"), else to both."""
    found: list[Part] = []
    waiting = frozenset[str]()
    pieces = _NEXT_CASE.split(text)
    cases_first = not _figures(pieces[0])
    for piece in pieces:
        if figures := _figures(piece):
            before, after = _around_figure(piece, lang)
            found.append(Part(figures, before | waiting, after))
            waiting = frozenset()
            continue
        waiting |= _words(piece, lang)
        if found and not cases_first:
            found[-1] = replace(found[-1], after=found[-1].after | waiting)
    if found and waiting:
        found[-1] = replace(found[-1], after=found[-1].after | waiting)
    return found


def _figures(text: str) -> frozenset[str]:
    found = measures(text)
    return frozenset(map(str, (*(one for one in found.quantities if one.certain), *found.dates)))


def _around_figure(piece: str, lang: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words before the first figure, and after it."""
    words = piece.split()
    first = bisect_left(range(len(words)), True, key=lambda n: bool(_figures(" ".join(words[: n + 1]))))
    return _words(" ".join(words[:first]), lang), _words(" ".join(words[first:]), lang)


def _words(text: str, lang: str) -> frozenset[str]:
    every = content_terms(without_dates(text), lang) - FIGURE_WORDS - MODAL_TERMS
    return frozenset(term for term in every if not term[0].isdigit())
