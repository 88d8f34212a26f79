"""Choosing the sentences that answer: the fewest, whole, in document order.

A sentence is chosen for its nearness in meaning to the question, the question's words that it holds, and whether it
holds the kind of thing asked for; lower-ranked chunks start behind. A second place speaks too only where neither
their ranking nor their sentences tell the two apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from math import log
from typing import Literal

from webapp.core.answering.announcing import announces
from webapp.core.answering.conflicts import claim_of, disagree
from webapp.core.answering.expected import Expected, expected_answer, holds_answer
from webapp.core.answering.matching import content_terms
from webapp.core.documents.model import Chunk, Sentence
from webapp.core.documents.sentences import ends_sentence
from webapp.core.retrieval.model import Hit

_WORDS = 0.12  # what holding all of the question's words is worth, in cosine
_KIND = 0.08  # what holding the kind of thing asked for is worth
_STEP = 0.03  # what being an item of a list is worth where the way to do something is asked for
_ANNOUNCES = 0.2  # what it costs to say only what a page is about
_FRAGMENT = 0.05  # what a sentence without its end costs: a heading, or one that the chunk's border cuts
_RANK = 0.5  # what it costs to stand in the chunk that ranks last; the others pay their share of it
_NEAR = 0.02  # how near the best a sentence of its chunk must come to be said beside it
_BESIDE = 0.085  # the same for the sentences right beside it
_CLOSE_CALL = 0.4  # share of the ranking's spread within which another section may speak too
_SECOND = 0.04  # how near the best its sentence must come, ranks aside
_SHORT = 3  # words: "Yes." and "Not at all." need what follows
_MOST_ITEMS = 8  # of a list that a chosen line leads into
_MOST_STEPS = 10  # sentences of the list that a chosen step belongs to

_LEANING = re.compile(
    r"(?:this|that|these|those|it|its|they|their|he|she|such|both|however|also|then|otherwise|so|therefore|but|and"
    r"|(?:after|before|until|outside|with|without|in|for|from) (?:that|this|these|those|it|them|such))\b"
    r"|(?:এটি|এটা|এগুলো|তা|তবে|কিন্তু|এছাড়া|এ ছাড়া|তাই|সেটি|সেটা|তিনি|তারা)(?=[\s,])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may answer. `covered`: share of the question's words that it holds, its headings included."""

    chunk: Chunk
    sentence: Sentence
    score: float
    covered: float
    fits: bool  # it holds the kind of thing asked for
    tells: bool  # it is whole, and does more than announce


@dataclass(frozen=True, slots=True)
class Extract:
    """The sentences chosen, in the order to say them, and how sure the choice is."""

    chosen: tuple[Candidate, ...] = ()
    confidence: Literal["high", "medium", "low"] = "low"


@dataclass(frozen=True, slots=True)
class _Place:
    """A chunk that may answer: its sentences, and how far behind the first it ranks, as a share of the spread."""

    chunk: Chunk
    candidates: Sequence[Candidate]
    behind: float
    meaning: float | None

    @property
    def top(self) -> Candidate:
        """The best of its sentences."""
        return max(self.candidates, key=lambda one: one.score)

    @property
    def nearness(self) -> float:
        """The score of its best sentence, whatever its rank."""
        return self.top.score + _RANK * self.behind


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the question asks for: the kind of thing, and its words with what each is worth here."""

    kind: Expected
    weights: Mapping[str, float] = field(default_factory=dict)

    def covered(self, held: Set[str]) -> float:
        """Return the share of the words' worth that `held` terms have."""
        total = sum(self.weights.values())
        return sum(weight for term, weight in self.weights.items() if term in held) / total if total else 0.0


def extract(question: str, lang: str, evidence: Sequence[Hit], most: int) -> Extract:
    """Return up to `most` sentences (and the items of a list they lead into) that answer; none when none fits."""
    wanted = _wanted(question, lang, evidence)
    whole = _whole_sentences(evidence)
    places = [place for hit in evidence if (place := _place(hit, wanted, evidence, whole)).candidates]
    if not places:
        return Extract()
    first = max(places, key=lambda place: place.top.score)
    steps = _steps(first, places, most) if wanted.kind is Expected.STEPS and most > 1 else []
    second = _second(first, places, wanted.kind) if most > 1 and not steps else None
    chosen = steps or _said_with(first, wanted.kind, most - 1 if second else most)
    if second:
        chosen += _said_with(second, wanted.kind, 1)
    if not first.top.covered and first.meaning is None:
        return Extract()
    against = _contradicting(chosen, places)
    sure = first.top.covered >= 0.5 and first.top.fits and not second and not against
    return Extract(tuple(_in_order([*chosen, *against])), "high" if sure else "low" if against else "medium")


def _contradicting(chosen: Sequence[Candidate], places: Sequence[_Place]) -> list[Candidate]:
    """Return the sentences of other documents that give another number for the same thing: a reader is told both."""
    claims = [claim for one in chosen if (claim := claim_of(one.chunk, one.sentence))]
    others = [one for place in places for one in place.candidates if claims]
    return [
        one
        for one in others
        if (claim := claim_of(one.chunk, one.sentence)) and any(disagree(mine, claim) for mine in claims)
    ]


def _wanted(question: str, lang: str, evidence: Sequence[Hit]) -> _Wanted:
    """A word that much of the evidence holds tells little."""
    counts: Counter[str] = Counter()
    for hit in evidence:
        counts.update(frozenset().union(*(_terms(hit.chunk, sentence) for sentence in hit.chunk.sentences)))
    weights = {term: log(1 + (len(evidence) + 1) / (1 + counts[term])) for term in content_terms(question, lang)}
    return _Wanted(expected_answer(question), weights)


def _terms(chunk: Chunk, sentence: Sentence) -> frozenset[str]:
    """Return the terms of a sentence and of what gives it meaning: its headings, its lead-in."""
    parts = (chunk.context, sentence.lead, sentence.text)
    return frozenset[str]().union(*(content_terms(part, chunk.lang) for part in parts if part))


def _whole_sentences(evidence: Sequence[Hit]) -> frozenset[tuple[str, int, int]]:
    """Return the places of sentences, less those that another chunk of the evidence holds more of."""
    found = sorted(
        {(hit.chunk.document_id, one.start, one.end) for hit in evidence for one in hit.chunk.sentences},
        key=lambda place: (place[0], place[1], -place[2]),
    )
    whole: list[tuple[str, int, int]] = []
    for document_id, start, end in found:
        if whole and whole[-1][0] == document_id and start < whole[-1][2]:
            if end - start <= whole[-1][2] - whole[-1][1]:
                continue
            whole.pop()
        whole.append((document_id, start, end))
    return frozenset(whole)


def _place(hit: Hit, wanted: _Wanted, evidence: Sequence[Hit], whole: Set[tuple[str, int, int]]) -> _Place:
    spread = evidence[0].score - min(one.score for one in evidence)  # near-duplicates stand behind their scores
    behind = (evidence[0].score - hit.score) / spread if spread else 0.0
    candidates = [
        _candidate(hit, n, wanted, behind)
        for n, one in enumerate(hit.chunk.sentences)
        if (hit.chunk.document_id, one.start, one.end) in whole
    ]
    return _Place(hit.chunk, candidates, behind, hit.meaning)


def _second(first: _Place, places: Sequence[_Place], kind: Expected) -> _Place | None:
    """Return the best place in another section, where neither ranking nor sentences tell it from the first.

    Where a number, date or amount is asked for and found, there is none: two figures for one thing confuse.
    """
    if kind.countable and first.top.fits:
        return None
    others = [
        place
        for place in places
        if _section(place.chunk) != _section(first.chunk)
        and place.chunk.lang == first.chunk.lang
        and place.behind <= _CLOSE_CALL
        and place.nearness >= first.nearness - _SECOND
    ]
    return max(others, key=lambda place: place.top.score, default=None)


def _section(chunk: Chunk) -> tuple[str, ...]:
    """A page without headings has as many parts as chunks."""
    return (chunk.id,) if chunk.context == chunk.title else (chunk.document_id, *chunk.location.heading_path)


def _candidate(hit: Hit, n: int, wanted: _Wanted, behind: float) -> Candidate:
    chunk, sentence = hit.chunk, hit.chunk.sentences[n]
    covered = wanted.covered(_terms(chunk, sentence))
    fits = holds_answer(wanted.kind, f"{sentence.lead} {sentence.text}")
    score = (hit.sentence_scores[n] if n < len(hit.sentence_scores) else 0.0) + _WORDS * covered - _RANK * behind
    if fits and wanted.kind.countable:
        score += _KIND
    if wanted.kind is Expected.STEPS and sentence.lead and ends_sentence(sentence.text):
        score += _STEP
    incomplete, idle = _incomplete(chunk, sentence), announces(chunk, sentence)
    score -= _FRAGMENT * incomplete + _ANNOUNCES * idle
    return Candidate(chunk, sentence, score, covered, fits, not (incomplete or idle))


def _steps(place: _Place, places: Sequence[_Place], most: int) -> list[Candidate]:
    """Return all the steps of the list that a place's best sentence belongs to, in whatever chunk of the evidence they
    stand; none where it is no step. A step alone is no way to do it, so one that would be said beside the best
    sentence brings its list along as well."""
    step = next((one for one in _best_first(_said_with(place, Expected.STEPS, most)) if _is_step(one)), None)
    if step is None:
        return []
    beside = [other for other in places if _section(other.chunk) == _section(place.chunk)]
    every = {one.sentence.start: one for other in beside for one in other.candidates}
    steps = [every[start] for start in sorted(every) if every[start].sentence.listed == step.sentence.listed]
    last = next(n for n, one in enumerate(steps, 1) if one.sentence.start == step.sentence.start)
    told = steps[max(0, last - _MOST_STEPS) :][:_MOST_STEPS]
    return told if _is_step(place.top) else [place.top, *told]


def _best_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: -one.score)


def _is_step(one: Candidate) -> bool:
    return bool(one.tells and one.sentence.listed and ends_sentence(one.sentence.text))


def _incomplete(chunk: Chunk, sentence: Sentence) -> bool:
    """Tell whether a sentence seems to lack its start or its end: a heading, or one that the chunk's border cuts."""
    if sentence.lead or _leads(sentence):
        return False
    return not ends_sentence(sentence.text) or (sentence.start == chunk.start and sentence.text[:1].islower())


def _said_with(place: _Place, kind: Expected, most: int) -> list[Candidate]:
    """Return the best sentence of a place with those it can't be understood without, then those nearly as good."""
    candidates, top = place.candidates, place.candidates.index(place.top)
    said = {top, *islice(_needed(top, candidates, kind), most - 1)}
    for n in sorted(range(len(candidates)), key=lambda n: -candidates[n].score):
        beside = abs(n - top) == 1
        near = candidates[n].tells and candidates[n].score >= place.top.score - (_BESIDE if beside else _NEAR)
        if len(said) < most and near and (candidates[n].fits or not kind.countable):
            said.add(n)
    items = [item for n in said if _leads(candidates[n].sentence) for item in _items(candidates, n)]
    return [candidates[n] for n in sorted({*said, *items})]


def _needed(top: int, candidates: Sequence[Candidate], kind: Expected) -> Iterator[int]:
    """A short "Yes." needs the sentence after it, "However, …" the one before; reasons tend to come after."""
    leans = _LEANING.match(candidates[top].sentence.text)
    if top and (leans or _is_short(candidates[top - 1])):
        yield top - 1
    if top + 1 < len(candidates) and (kind is Expected.REASON or _is_short(candidates[top])):
        yield top + 1


def _is_short(one: Candidate) -> bool:
    return len(one.sentence.text.split()) < _SHORT


def _leads(sentence: Sentence) -> bool:
    return sentence.text.rstrip().endswith(":")


def _items(candidates: Sequence[Candidate], lead: int) -> Iterator[int]:
    """Yield the list items that a line leads into."""
    for n in range(lead + 1, min(lead + 1 + _MOST_ITEMS, len(candidates))):
        if candidates[n].sentence.lead != candidates[lead].sentence.text:
            return
        yield n


def _in_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Documents by their best rank, sentences as they stand in them, none twice."""
    rank = {id_: n for n, id_ in enumerate(dict.fromkeys(one.chunk.document_id for one in chosen))}
    ordered = sorted(chosen, key=lambda one: (rank[one.chunk.document_id], one.sentence.start))
    return [one for n, one in enumerate(ordered) if not n or not _overlap(ordered[n - 1], one)]


def _overlap(before: Candidate, one: Candidate) -> bool:
    return before.chunk.document_id == one.chunk.document_id and one.sentence.start < before.sentence.end
