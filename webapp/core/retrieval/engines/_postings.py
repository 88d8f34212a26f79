"""Where terms stand, kept packed in one value a term, and BM25 over them.

One look at a term's rows gives both what it weighs among the visible rows and how well each of them fits, so nothing
that a reader may not see is ever counted.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webapp.core.retrieval.engine import Scores
from webapp.core.retrieval.fusion import K1, TEXT_B, TEXT_LENGTH
from webapp.core.retrieval.keyword import letters_of
from webapp.core.retrieval.vectors import Rows, Slices, best_in

_MOST = 65_535  # times that a term counts in one row


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The rows that hold a term, in order, and what the term is worth in each: BM25 for a term of weight 1."""

    rows: Rows
    worth: Scores

    @classmethod
    def unpacked(cls, parts: Iterable[tuple[bytes, bytes]], norms: Scores) -> Postings:
        """Read back what `PostingsWriter` gave, part by part; `norms` are those of all rows."""
        parts = list(parts)
        rows = np.frombuffer(b"".join(rows for rows, _ in parts), dtype="<u4").astype(np.int64)  # as numpy looks up by
        counts = np.frombuffer(b"".join(counts for _, counts in parts), dtype="<u2").astype(np.float32)
        return cls(rows, counts * np.float32(K1 + 1) / (counts + norms[rows]))

    def within(self, slices: Slices) -> int:
        """Return how many of the rows lie in the slices."""
        edges = np.searchsorted(self.rows, np.array(slices, dtype=np.int64).ravel())
        return int((edges[1::2] - edges[::2]).sum())


def length_norms(lengths: NDArray[np.uint32]) -> Scores:
    """Return what rows of so many terms are measured by, as ranking measures them (`fusion`)."""
    norms: Scores = (K1 * (1 - TEXT_B + TEXT_B * lengths / TEXT_LENGTH)).astype(np.float32)
    return norms


def best_rows(
    weights: Mapping[str, float], postings: Mapping[str, Postings], among: int, slices: Slices, limit: int
) -> tuple[Rows, Scores]:
    """Return the rows in the slices that hold any of the terms and their BM25 scores, best first; `among` is how many
    rows there are at all."""
    scores = np.zeros(among, dtype=np.float32)
    for term, weight in weights.items():
        scores[postings[term].rows] += np.float32(weight) * postings[term].worth
    rows, found = best_in(slices, [scores[start:end] for start, end in slices], limit)
    return rows[found > 0], found[found > 0]


class PostingsWriter:
    """Gathers where terms stand, row by row."""

    def __init__(self) -> None:
        self.lengths = array("I")
        self._letters: set[str] = set()
        self.held = 0  # postings since the last `take`
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}

    def add(self, terms: Sequence[str]) -> None:
        """Add the next row."""
        row = len(self.lengths)
        self.lengths.append(len(terms))
        for term, count in Counter(terms).items():
            if term not in self._rows:
                self._rows[term], self._counts[term] = array("I"), array("H")
                self._letters.update(term)
            self._rows[term].append(row)
            self._counts[term].append(min(count, _MOST))
            self.held += 1

    @property
    def letters(self) -> str:
        """Every letter and mark that the terms so far are written in, each once."""
        return letters_of(self._letters)

    def take(self) -> Iterator[tuple[str, bytes, bytes]]:
        """Yield each term with its rows and counts since the last time, and begin anew."""
        rows, counts = self._rows, self._counts
        self._rows, self._counts, self.held = {}, {}, 0
        for term in sorted(rows):
            yield term, _packed(rows[term], "<u4"), _packed(counts[term], "<u2")


def _packed(numbers: array[int], kind: str) -> bytes:
    return np.asarray(numbers).astype(kind).tobytes()
