"""Exact search by meaning that reads a quarter of the bytes: vectors rounded to int8 say which rows may be among the
best, and the whole ones decide.

A row v is kept as a step and small whole numbers, v' = step * codes, and a question q is rounded to q' alike. Whatever
the numbers are, q·v <= q'·v' + |q| |v - v'| + |q - q'| |v'|. The right side is a row's bound. The worst score of any
`limit` rows is a floor that each of the best reaches, so a row whose bound stays below it can't be one of them; the few
others are scored with the whole vectors. The answer is that of `top_rows`, to the last digit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numkong import cdist
from numpy.typing import NDArray

from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.vectors import Rows, Slices, best_in, dots, rows_at, top_rows

MOST = 127  # of a code, either side of 0
SCATTERED = 8  # a row among others takes this many times as long to read as one of many side by side

_Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Rounded:
    """Rows of vectors, rounded."""

    codes: NDArray[np.int8]  # (rows, dim)
    steps: _Numbers  # (rows,)
    slack: _Numbers  # (rows,) |v - v'|, and what sums of (dim,) numbers of 32 bits may be off by for a q of length 1
    longest: float  # no |v'| is longer

    @classmethod
    def of(cls, vectors: Vectors) -> Rounded:
        """Round vectors, (rows, dim)."""
        whole = vectors.astype(np.float64)
        steps = (np.abs(whole).max(axis=1, initial=0) / MOST).astype(np.float32)
        codes = np.rint(whole / np.where(steps > 0, steps, 1)[:, np.newaxis]).clip(-MOST, MOST)
        near = codes * steps.astype(np.float64)[:, np.newaxis]
        # Twice what sums in any order, and the few operations in `bounds`, can lose (2^-24 each, of the product of the
        # lengths): it takes in the rounding of what is worked out here, too.
        lost = (vectors.shape[1] + 16) * 2.0**-23 * _lengths(whole)
        slack = (_lengths(whole - near) + lost).astype(np.float32)
        return cls(codes.astype(np.int8), steps, slack, float(_lengths(near).max(initial=0)))

    def top_rows(self, vectors: Vectors, query: Vectors, slices: Slices, limit: int) -> tuple[Rows, _Numbers]:
        """Return what `vectors.top_rows` returns for the whole vectors of these rows, which few are read of."""
        among = sum(end - start for start, end in slices)
        if limit < 1 or among <= SCATTERED * limit:
            return top_rows(vectors, query, slices, limit)
        near = self.may_be_best(vectors, query, slices, limit)
        if len(near) * SCATTERED > among:  # as for a question of zeros, to which all are equally near
            return top_rows(vectors, query, slices, limit)
        best, scores = best_in([(0, len(near))], [dots(vectors.take(near, axis=0), query)], limit)
        return near[best], scores

    def may_be_best(self, vectors: Vectors, query: Vectors, slices: Slices, limit: int) -> Rows:
        """Return rows of the slices, in order, that hold the best `limit` and all that score as well as the last."""
        bounds = self.bounds(query, slices)
        first = np.flatnonzero(bounds >= np.partition(bounds, -limit)[-limit])[:limit]
        floor = dots(vectors.take(rows_at(slices, first), axis=0), query).min()
        return rows_at(slices, np.flatnonzero(bounds >= floor))

    def bounds(self, query: Vectors, slices: Slices) -> _Numbers:
        """Return for each row of the slices what its dot product with the query can't exceed."""
        asked = Rounded.of(query[np.newaxis])
        length, rest = float(_lengths(query.astype(np.float64))), float(asked.slack[0]) * self.longest
        found = np.empty((1, sum(end - start for start, end in slices)), dtype=np.float32)
        at = 0
        for start, end in slices:
            part = found[:, at : at + end - start]
            cdist(asked.codes, self.codes[start:end], "dot", out=part)
            part *= self.steps[start:end] * asked.steps[0]
            part += self.slack[start:end] * length + rest
            at += end - start
        bounds: _Numbers = found[0]
        return bounds


def _lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("...j,...j->...", vectors, vectors))
    return lengths
