from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.retrieval.vectors import cut_out, inside, merged, spread_sample, top_rows, whole

RANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5)


def rows_of(slices: list[tuple[int, int]]) -> set[int]:
    return {row for start, end in slices for row in range(start, end)}


def test_finds_the_same_rows_as_looking_at_everything() -> None:
    vectors = np.random.default_rng(1).normal(size=(50, 8)).astype(np.float32)
    query = vectors[7]
    rows, scores = top_rows(vectors, query, [(5, 20), (30, 50)], 4)
    inside = [*range(5, 20), *range(30, 50)]
    assert list(rows) == sorted(inside, key=lambda row: -float(vectors[row] @ query))[:4]
    assert np.allclose(scores, vectors[rows] @ query)


def test_equal_scores_keep_the_order_of_rows() -> None:
    vectors = np.ones((9, 2), dtype=np.float32)
    assert list(top_rows(vectors, vectors[0], [(0, 9)], 3)[0]) == [0, 1, 2]


def test_more_rows_wanted_than_there_are() -> None:
    vectors = np.eye(3, dtype=np.float32)
    assert list(top_rows(vectors, vectors[1], [(0, 3)], 10)[0]) == [1, 0, 2]
    assert len(top_rows(vectors, vectors[1], [], 10)[0]) == 0


@settings(derandomize=True)
@given(RANGES)
def test_merging_keeps_the_rows(slices: list[tuple[int, int]]) -> None:
    joined = merged(slices)
    assert rows_of(joined) == rows_of(slices)
    assert all(before[1] < after[0] for before, after in pairwise(joined))


@settings(derandomize=True)
@given(RANGES, RANGES)
def test_cutting_out_takes_just_the_holes(slices: list[tuple[int, int]], holes: list[tuple[int, int]]) -> None:
    assert rows_of(cut_out(slices, holes)) == rows_of(slices) - rows_of(holes)


def test_a_sample_is_spread_and_bounded() -> None:
    rows = spread_sample([(0, 1000)], 100)
    assert len(rows) == 100
    assert rows[-1] - rows[0] > 900
    assert list(spread_sample([(3, 5), (8, 9)], 100)) == [3, 4, 8]


def test_halves_are_read_without_loss() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = every[np.isfinite(every)].reshape(-1, 62)
    assert whole(halves).tobytes() == halves.astype(np.float32).tobytes()
    assert whole(halves[:0]).shape == (0, 62)


@settings(derandomize=True, deadline=None)
@given(RANGES)
def test_rows_inside_slices(slices: list[tuple[int, int]]) -> None:
    rows = np.arange(42)
    assert set(rows[inside(merged(slices), rows)].tolist()) == rows_of(slices)
