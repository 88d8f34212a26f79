"""Choosing the sentences that answer: the fewest, whole, in document order.

A sentence is chosen for its nearness in meaning to the question, the question's words that it holds, and whether it
holds the kind of thing asked for. It comes from the chunk that ranks first; a second place speaks too only where the
ranking hardly tells the two apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Literal

from webapp.core.answering.expected import Expected, expected_answer, holds_answer
from webapp.core.answering.matching import content_terms
from webapp.core.documents.model import Chunk, Sentence
from webapp.core.documents.sentences import ends_sentence
from webapp.core.retrieval.model import Hit

_WORDS = 0.12  # what holding all of the question's words is worth, in cosine
_KIND = 0.05  # what holding the kind of thing asked for is worth
_FRAGMENT = 0.05  # what a sentence without its end costs: a heading, or one that the chunk's border cuts
_NEAR = 0.02  # how near the best a sentence must come to be said beside it
_NEXT = 0.05  # the same for the sentence after it, where the question asks how, why or what to do
_CLOSE_CALL = 0.2  # share of the ranking's spread within which a second place is as good as the first
_SHORT = 3  # words: "Yes." and "Not at all." need what follows
_MOST_ITEMS = 8  # of a list that a chosen line leads into

_LEANING = re.compile(
    r"(?:this|that|these|those|it|they|he|she|however|also|then|otherwise|so|therefore|but|and|in that case)\b"
    r"|(?:এটি|এটা|এগুলো|তা|তবে|কিন্তু|এছাড়া|এ ছাড়া|তাই|সেটি|সেটা|তিনি|তারা)(?=[\s,])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may answer. `covered`: share of the question's words that it holds, its headings included."""

    chunk: Chunk
    index: int  # of the sentence in its chunk
    score: float
    covered: float
    fits: bool  # it holds the kind of thing asked for

    @property
    def sentence(self) -> Sentence:
        """The sentence itself."""
        return self.chunk.sentences[self.index]


@dataclass(frozen=True, slots=True)
class Extract:
    """The sentences chosen, in the order to say them, and how sure the choice is."""

    chosen: tuple[Candidate, ...] = ()
    confidence: Literal["high", "medium", "low"] = "low"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the question asks for: the kind of thing, and its words with what each is worth here."""

    kind: Expected
    weights: Mapping[str, float] = field(default_factory=dict)

    def covered(self, text: str, lang: str) -> float:
        held = content_terms(text, lang)
        total = sum(self.weights.values())
        return sum(weight for term, weight in self.weights.items() if term in held) / total if total else 0.0


def extract(question: str, lang: str, evidence: Sequence[Hit], most: int) -> Extract:
    """Return up to `most` sentences (and the items of a list they lead into) that answer; none when none fits."""
    wanted = _wanted(question, lang, evidence)
    chosen: list[Candidate] = []
    best: Candidate | None = None
    for hit in _places(evidence):
        candidates = _candidates(hit, wanted)
        top = max(candidates, key=lambda one: one.score, default=None)
        if top is None or (best is not None and top.score < best.score - _NEXT):
            continue
        best = best or top
        room = most - len(chosen)
        chosen.extend(_said_with(top, candidates, wanted.kind, room if best is top else min(room, 1)))
    if best is None or not (best.covered or evidence[0].meaning is not None):
        return Extract()
    sure = best.covered >= 0.5 and best.fits and len({one.chunk.document_id for one in chosen}) == 1
    return Extract(tuple(_in_order(chosen)), "high" if sure else "medium")


def _wanted(question: str, lang: str, evidence: Sequence[Hit]) -> _Wanted:
    """A word that much of the evidence holds tells little."""
    counts: Counter[str] = Counter()
    for hit in evidence:
        counts.update(content_terms(f"{hit.chunk.context} {hit.chunk.plain}", hit.chunk.lang))
    weights = {term: log(1 + (len(evidence) + 1) / (1 + counts[term])) for term in content_terms(question, lang)}
    return _Wanted(expected_answer(question), weights)


def _places(evidence: Sequence[Hit]) -> list[Hit]:
    """Return the first hit, and the next one from another section where the ranking hardly tells them apart."""
    if not evidence:
        return []
    first, spread = evidence[0], evidence[0].score - evidence[-1].score
    for hit in evidence[1:]:
        if first.score - hit.score > _CLOSE_CALL * spread:
            break
        if _section(hit.chunk) != _section(first.chunk):
            return [first, hit]
    return [first]


def _section(chunk: Chunk) -> tuple[str, ...]:
    return chunk.document_id, *chunk.location.heading_path


def _candidates(hit: Hit, wanted: _Wanted) -> list[Candidate]:
    return [_candidate(hit, n, sentence, wanted) for n, sentence in enumerate(hit.chunk.sentences)]


def _candidate(hit: Hit, n: int, sentence: Sentence, wanted: _Wanted) -> Candidate:
    chunk = hit.chunk
    covered = wanted.covered(f"{chunk.context} {sentence.lead} {sentence.text}", chunk.lang)
    fits = holds_answer(wanted.kind, f"{sentence.lead} {sentence.text}")
    score = (hit.sentence_scores[n] if n < len(hit.sentence_scores) else 0.0) + _WORDS * covered
    if fits and wanted.kind is not Expected.OTHER:
        score += _KIND
    if not ends_sentence(sentence.text) and not sentence.lead and not _leads(sentence):
        score -= _FRAGMENT
    return Candidate(chunk, n, score, covered, fits)


def _said_with(top: Candidate, candidates: Sequence[Candidate], kind: Expected, room: int) -> list[Candidate]:
    """Return the best sentence of a place with those it can't be understood without, then those nearly as good."""
    said = {top.index, *_needed(top, candidates)}
    for one in sorted(candidates, key=lambda one: -one.score):
        follows = kind is Expected.OTHER and one.index == top.index + 1
        if len(said) < room and one.score >= top.score - (_NEXT if follows else _NEAR):
            said.add(one.index)
    items = [n for n in sorted(said) if _leads(candidates[n].sentence) for n in _items(candidates, n)]
    return [candidates[n] for n in sorted({*said, *items})]


def _needed(top: Candidate, candidates: Sequence[Candidate]) -> Iterator[int]:
    """A short "Yes." needs the sentence after it; "However, …" needs the one before it."""
    n = top.index
    if len(top.sentence.text.split()) < _SHORT and n + 1 < len(candidates):
        yield n + 1
    if n and (_LEANING.match(top.sentence.text) or len(candidates[n - 1].sentence.text.split()) < _SHORT):
        yield n - 1


def _leads(sentence: Sentence) -> bool:
    return sentence.text.rstrip().endswith(":")


def _items(candidates: Sequence[Candidate], lead: int) -> Iterator[int]:
    """Yield the list items that a line leads into."""
    for one in candidates[lead + 1 : lead + 1 + _MOST_ITEMS]:
        if one.sentence.lead != candidates[lead].sentence.text:
            return
        yield one.index


def _in_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Documents by their best rank, sentences as they stand in them, none twice."""
    rank = {id_: n for n, id_ in enumerate(dict.fromkeys(one.chunk.document_id for one in chosen))}
    ordered = sorted(chosen, key=lambda one: (rank[one.chunk.document_id], one.sentence.start))
    return [one for n, one in enumerate(ordered) if not n or not _overlap(ordered[n - 1], one)]


def _overlap(before: Candidate, one: Candidate) -> bool:
    return before.chunk.document_id == one.chunk.document_id and one.sentence.start < before.sentence.end
