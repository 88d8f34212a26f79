"""Exact search over memory-mapped vectors, a few slices at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webapp.core.retrieval.embedders.base import Vectors

Rows = NDArray[np.int64]
Slices = Sequence[tuple[int, int]]  # half-open ranges of rows, in order, none overlapping


def top_rows(vectors: Vectors, query: Vectors, slices: Slices, limit: int) -> tuple[Rows, NDArray[np.float32]]:
    """Return the rows nearest to the query inside the slices and their dot products, best first.

    `vectors` is (rows, dim), `query` (dim,). Equal scores keep the order of rows, so results never flicker.
    """
    if not slices or limit < 1:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    # einsum reads the memory map once, at the speed of memory; @ on a single query takes twice as long.
    return best_in(slices, [np.einsum("ij,j->i", vectors[start:end], query) for start, end in slices], limit)


def best_in(slices: Slices, found: Sequence[NDArray[np.float32]], limit: int) -> tuple[Rows, NDArray[np.float32]]:
    """Return the best rows of the slices and their scores, best first; `found` has the scores of each slice's rows."""
    if not slices or limit < 1:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    scores = np.concatenate(found)
    rows = np.concatenate([np.arange(start, end, dtype=np.int64) for start, end in slices])
    best = _largest(scores, limit)
    return rows[best], scores[best]


def best_of(
    found: Sequence[tuple[Rows, NDArray[np.float32]]], starts: Sequence[int] | Rows, limit: int
) -> tuple[Rows, NDArray[np.float32]]:
    """Return the best of what several parts found, best first; `starts` are the first rows of the parts."""
    if len(found) == 1:
        return found[0]
    rows = np.concatenate([part + start for (part, _), start in zip(found, starts, strict=True)])
    scores = np.concatenate([part for _, part in found])
    best = _largest(scores, limit)
    return rows[best], scores[best]


def _largest(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    if limit < len(scores):
        floor = np.partition(scores, -limit)[-limit]
        candidates = np.flatnonzero(scores >= floor)
    else:
        candidates = np.arange(len(scores))
    order = candidates[np.argsort(-scores[candidates], kind="stable")]
    return order[:limit].astype(np.int64, copy=False)


def cut_out(slices: Slices, holes: Slices) -> list[tuple[int, int]]:
    """Return the slices without the rows of any hole."""
    parts, gaps, first = [], merged(holes), 0
    for start, end in merged(slices):
        while first < len(gaps) and gaps[first][1] <= start:
            first += 1
        at, inside = start, first
        while inside < len(gaps) and gaps[inside][0] < end:
            parts.append((at, gaps[inside][0]))
            at, inside = max(at, gaps[inside][1]), inside + 1
        parts.append((at, end))
    return merged(parts)


def spread_sample(slices: Slices, at_most: int) -> Rows:
    """Return up to `at_most` rows of the slices, evenly spread over them."""
    if not slices:
        return np.empty(0, dtype=np.int64)
    starts, ends = np.array(slices, dtype=np.int64).T
    before = np.concatenate([[0], np.cumsum(ends - starts)])  # rows in the slices before each, and in all
    chosen = np.arange(0, before[-1], -(-before[-1] // at_most))
    number = np.searchsorted(before, chosen, side="right") - 1
    rows: Rows = starts[number] + chosen - before[number]
    return rows


def merged(slices: Slices) -> list[tuple[int, int]]:
    """Return the same rows in as few slices as possible."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(slices):
        if joined and joined[-1][1] >= start:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif end > start:
            joined.append((start, end))
    return joined
