"""Current documents that disagree: the same thing, said in nearly the same words, with another number. An answer says
both sides, or none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import ceil

from webapp.core.answering.matching import content_terms
from webapp.core.answering.model import Citation, Quote, Reason, Withheld
from webapp.core.answering.quantities import measures
from webapp.core.documents.model import Chunk, Sentence

_ALIKE = 0.7  # share of two sentences' terms, numbers aside, that must be common to both
_FEWEST = 3  # and at least so many of them: "5 days" alone is about anything
_SAME_SUBJECT = 0.5  # the same for their headings: two products may have the same rules with other numbers


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that names a limit or an amount: its words, and its values for each unit."""

    chunk: Chunk
    sentence: Sentence
    words: frozenset[str]
    subject: frozenset[str]  # the words of its headings
    values: tuple[tuple[str, frozenset[Decimal]], ...]
    codes: frozenset[str]  # of what it speaks of: one product's limit is no other's

    @property
    def place(self) -> tuple[str, int]:
        """Document and offset: chunks that overlap hold the same sentence twice."""
        return self.chunk.document_id, self.sentence.start


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two claims of different documents that can't both hold."""

    one: Claim
    other: Claim
    unit: str


def claims(chunk: Chunk) -> Iterator[Claim]:
    """Yield the sentences of a chunk that give a number with a unit."""
    for sentence in chunk.sentences:
        if claim := claim_of(chunk, sentence):
            yield claim


def claim_of(chunk: Chunk, sentence: Sentence) -> Claim | None:
    """Return what a sentence of a chunk claims, None where it gives no number with a unit."""
    values: dict[str, set[Decimal]] = defaultdict(set)
    measured = measures(sentence.text)
    for quantity in measured.quantities:
        if quantity.unit:
            values[quantity.unit].add(quantity.value)
    words = frozenset(word for word in content_terms(sentence.text, chunk.lang) if not word[:1].isdigit())
    if not values or len(words) < _FEWEST:
        return None
    subject = content_terms(" ".join(chunk.location.heading_path) or chunk.title, chunk.lang)
    held = tuple((unit, frozenset(of)) for unit, of in sorted(values.items()))
    return Claim(chunk, sentence, words, subject, held, measured.codes)


def disagree(one: Claim, other: Claim) -> str:
    """Return the unit in which two claims about the same thing disagree, or ""."""
    if one.chunk.document_id == other.chunk.document_id or one.chunk.lang != other.chunk.lang:
        return ""
    if (
        one.codes != other.codes
        or _alike(one.words, other.words) < _ALIKE
        or _alike(one.subject, other.subject) < _SAME_SUBJECT
    ):
        return ""
    theirs = dict(other.values)
    return next((unit for unit, values in one.values if unit in theirs and not values & theirs[unit]), "")


def find_conflicts(chunks: Iterable[Chunk]) -> list[Conflict]:
    """Return the pairs of claims that disagree, each pair once, for a whole corpus.

    Claims meet only where they share a unit and one of their rarest words: two that have _ALIKE of their words in
    common can't differ in all of those.
    """
    made = {claim.place: claim for chunk in chunks for claim in claims(chunk)}  # overlapping chunks hold one twice
    counts = Counter(word for claim in made.values() for word in claim.words)
    seen: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    found: list[Conflict] = []
    for claim in made.values():
        keys = [(unit, word) for unit, _ in claim.values for word in _rarest(claim.words, counts)]
        for other in {near.place: near for key in keys for near in seen[key]}.values():
            if unit := disagree(other, claim):
                found.append(Conflict(other, claim, unit))
        for key in keys:
            seen[key].append(claim)
    return found


def _rarest(words: frozenset[str], counts: Mapping[str, int]) -> list[str]:
    """Return as many of the words, rarest first, as may not all be missing from a claim that is alike."""
    ordered = sorted(words, key=lambda word: (counts[word], word))
    return ordered[: len(ordered) - ceil(_ALIKE * len(ordered)) + 1]


def check_conflicts(quotes: Iterable[Quote], citations: Sequence[Citation], sent: Sequence[Chunk]) -> bool:
    """Return whether an answer says both sides of what documents disagree about; False where they don't.

    Raises Withheld when it says one side alone: a quoted sentence is contradicted by the evidence of another document.
    """
    documents = {citation.marker: citation.document_id for citation in citations}
    quoted = {(documents[quote.marker], quote.start) for quote in quotes}
    cited = {citation.chunk_id for citation in citations}
    mine = [claim for chunk in sent if chunk.id in cited for claim in claims(chunk) if claim.place in quoted]
    theirs = (claim for chunk in sent if mine for claim in claims(chunk))
    against = [(one, other) for one, other in product(mine, theirs) if disagree(one, other)]
    for pair in against:
        if pair[1].place not in quoted:
            said = " · ".join(f"{claim.chunk.id}: {claim.sentence.text}" for claim in pair)
            raise Withheld(Reason.CONFLICTING_SOURCES, said)
    return bool(against)


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    both = one | other
    return len(one & other) / len(both) if both else 1.0
