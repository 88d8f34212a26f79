"""Chunks as ranking sees them: columns of numbers. All candidates of a question are compared in a few steps, which take
a fraction of the time that reading each of them would."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

_HEAD = 4  # numbers of a chunk before those of its terms


@lru_cache(maxsize=1 << 16)  # terms repeat: all but the first few thousand of a collection are found here
def number_of(text: str) -> int:
    """Return a number of 64 bits that stands for a text; of a million, two share one with a chance of 1 in 10⁷."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def numbers_of(place: tuple[str, str, int], terms: Sequence[str], of_context: int) -> Numbers:
    """Return what ranking asks of a chunk. `place` is its document, language and ordinal; so many of its terms, which
    come first, are `of_context`: of title and headings."""
    document, lang, ordinal = place
    head = (number_of(document), number_of(lang), ordinal, of_context)
    return np.array([*head, *map(number_of, terms)], dtype=np.uint64)


def terms_in(numbers: Numbers) -> frozenset[int]:
    """Return the numbers of a chunk's terms, out of those of the chunk."""
    return frozenset(numbers[_HEAD:].tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of different lengths in one array."""

    values: NDArray[Any]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[Any], lengths: NDArray[np.int64]) -> Ragged:
        """Return the rows of those lengths that stand one after another."""
        ends = np.cumsum(lengths, dtype=np.int64)
        return cls(values, ends - lengths, ends)

    @classmethod
    def joined(cls, parts: Sequence[Ragged]) -> Ragged:
        """Put the rows of several parts, all `together`, one after another."""
        lengths = np.concatenate([part.lengths for part in parts])
        return cls.of(np.concatenate([part.values for part in parts]), lengths)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many values each row has."""
        return self.ends - self.starts

    def __getitem__(self, row: int) -> NDArray[Any]:
        return self.values[self.starts[row] : self.ends[row]]

    def take(self, rows: NDArray[np.int64]) -> Ragged:
        """Return those rows, in that order; their values stay where they are."""
        return Ragged(self.values, self.starts[rows], self.ends[rows])

    def together(self) -> Ragged:
        """Return the rows with their values one after another, and no others between them."""
        placed = Ragged.of(self.values[:0], self.lengths)
        places = np.arange(placed.lengths.sum()) + np.repeat(self.starts - placed.starts, placed.lengths)
        return Ragged(self.values.take(places, axis=0), placed.starts, placed.ends)

    def greatest(self, default: NDArray[Any]) -> NDArray[Any]:
        """Return the greatest value of each row, and the default of those that are empty. They stand `together`."""
        greatest = default.copy()
        filled = np.flatnonzero(self.lengths)
        if len(filled):
            greatest[filled] = np.maximum.reduceat(self.values, self.starts[filled])
        return greatest


class Held:
    """How often each of some chunks holds each of some terms."""

    def __init__(self, counts: dict[str, Counts], chunks: int) -> None:
        self._counts = counts
        self.chunks = chunks

    def count(self, term: str) -> Counts:
        """Return how often each chunk holds the term."""
        return self._counts[term]

    def any_of(self, terms: Iterable[str]) -> Flags:
        """Tell which chunks hold one of the terms, or more."""
        held = np.zeros(self.chunks, dtype=bool)
        for term in terms:
            held |= self._counts[term] > 0
        return held

    def terms_of(self, chunk: int) -> frozenset[str]:
        """Return those of the terms that the chunk holds."""
        return frozenset(term for term, counts in self._counts.items() if counts[chunk])

    def take(self, chunks: NDArray[np.int64]) -> Held:
        """Return the same of those chunks, in that order."""
        return Held({term: counts[chunks] for term, counts in self._counts.items()}, len(chunks))


@dataclass(frozen=True, eq=False)
class Columns:
    """Chunks beside one question. As an engine gives them, the values of each column stand `together`."""

    meaning: NDArray[np.float32]  # the cosine of each with the question
    sentences: Ragged  # that of each of its sentences
    numbers: Ragged  # `numbers_of` it

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns:
        """Put the chunks of several parts one after another."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.meaning for part in parts]),
            Ragged.joined([part.sentences for part in parts]),
            Ragged.joined([part.numbers for part in parts]),
        )

    @classmethod
    def none(cls) -> Columns:
        """Return the columns of no chunk."""
        cosines, lengths = np.empty(0, dtype=np.float32), np.empty(0, dtype=np.int64)
        return cls(cosines, Ragged.of(cosines, lengths), Ragged.of(np.empty(0, dtype=np.uint64), lengths))

    def __len__(self) -> int:
        return len(self.meaning)

    @cached_property
    def documents(self) -> Numbers:
        """A number for the document of each chunk."""
        return self._head(0)

    @cached_property
    def langs(self) -> Numbers:
        """The `number_of` each chunk's language."""
        return self._head(1)

    @cached_property
    def ordinals(self) -> Counts:
        """The place of each chunk in its document, from 0."""
        return self._head(2).astype(np.int64)

    @cached_property
    def context_lengths(self) -> Counts:
        """How many terms each chunk's title and headings have."""
        return self._head(3).astype(np.int64)

    @property
    def lengths(self) -> Counts:
        """How many terms each chunk has."""
        return self.numbers.lengths - _HEAD

    def _head(self, place: int) -> Numbers:
        numbers: Numbers = self.numbers.values[self.numbers.starts + place]
        return numbers

    def terms_of(self, chunk: int) -> frozenset[int]:
        """Return the numbers of a chunk's terms."""
        return terms_in(self.numbers[chunk])

    def held(self, terms: Iterable[str]) -> tuple[Held, Held]:
        """Return how often the chunks, as an engine gives them, hold each of the terms, and how often their titles and
        headings alone do."""
        values, starts = self.numbers.values, self.numbers.starts
        ends_of_context = starts + _HEAD + self.context_lengths
        counts, context_counts = {}, {}
        for term in terms:
            places = np.flatnonzero(values == number_of(term))
            chunks = np.searchsorted(starts, places, side="right") - 1
            is_term = places >= starts[chunks] + _HEAD
            counts[term] = self._times(chunks[is_term])
            context_counts[term] = self._times(chunks[is_term & (places < ends_of_context[chunks])])
        return Held(counts, len(self)), Held(context_counts, len(self))

    def _times(self, chunks: NDArray[np.int64]) -> Counts:
        return np.bincount(chunks, minlength=len(self))

    def take(self, chunks: NDArray[np.int64]) -> Columns:
        """Return those chunks, in that order."""
        return Columns(self.meaning[chunks], self.sentences.take(chunks), self.numbers.take(chunks))
