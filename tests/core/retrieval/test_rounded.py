import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from webapp.core.retrieval import rounded
from webapp.core.retrieval.rounded import Rounded
from webapp.core.retrieval.vectors import merged, top_rows

Array = NDArray[np.float32]
RANGES = st.lists(st.tuples(st.integers(0, 120), st.integers(0, 120)), min_size=1, max_size=5)


def made(kind: str, rows: int, dim: int, seed: int) -> tuple[Array, Array]:
    """Vectors of one kind, and a query."""
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(rows, dim)).astype(np.float32)
    if kind == "alike":  # as of a model for which everything is near to everything
        vectors += 20
    elif kind == "few":  # many rows say the same, some say nothing
        vectors = np.concatenate([vectors[:3], np.zeros((1, dim), dtype=np.float32)])[chance.integers(0, 4, rows)]
    elif kind == "spiked":  # one large number leaves the others a single step
        vectors[:, 0] *= 200
    elif kind == "uneven":
        vectors *= 10.0 ** chance.integers(-3, 4, size=(rows, 1)).astype(np.float32)
    if kind not in {"uneven", "few"}:
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = vectors[0] + chance.normal(size=dim).astype(np.float32) * np.float32(0.02)
    if kind == "worst":  # the query points where rounding lost most
        kept = Rounded.of(vectors[:1])
        query = vectors[0] - kept.codes[0] * kept.steps[0]
    return vectors, query


KINDS = st.sampled_from(["plain", "alike", "few", "spiked", "uneven", "worst"])


@settings(derandomize=True, deadline=None)
@given(KINDS, RANGES, st.integers(1, 70), st.integers(1, 30), st.integers(0, 1000))
def test_the_answer_is_that_of_looking_at_everything(
    kind: str, ranges: list[tuple[int, int]], dim: int, limit: int, seed: int
) -> None:
    vectors, query = made(kind, 120, dim, seed)
    slices = merged(ranges)
    rows, scores = top_rows(vectors, query, slices, limit)
    kept = Rounded.of(vectors)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounded, "SCATTERED", 0)
        found, found_scores = kept.top_rows(vectors, query, slices, min(limit, max(1, len(rows))))
    assert found.tolist() == rows.tolist()
    assert found_scores.tolist() == scores.tolist()
    every, _ = top_rows(vectors, query, slices, len(vectors))
    bounds = dict(zip(sorted(every.tolist()), kept.bounds(query, slices).tolist(), strict=True))
    assert all(bounds[row] >= float(vectors[row] @ query) for row in every.tolist())


def test_few_rows_are_read_whole() -> None:
    vectors, query = made("plain", 5000, 384, 1)
    slices = [(0, 1000), (1500, 5000)]
    near = Rounded.of(vectors).may_be_best(vectors, query, slices, 10)
    assert set(top_rows(vectors, query, slices, 10)[0]) <= set(near)
    assert 10 <= len(near) < 100


@pytest.mark.parametrize("scattered", [0, rounded.SCATTERED])
def test_a_question_that_is_near_to_nothing_finds_the_first_rows(
    scattered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounded, "SCATTERED", scattered)
    vectors, _ = made("plain", 500, 8, 1)
    rows, scores = Rounded.of(vectors).top_rows(vectors, np.zeros(8, dtype=np.float32), [(3, 400)], 4)
    assert (rows.tolist(), scores.tolist()) == ([3, 4, 5, 6], [0, 0, 0, 0])


@pytest.mark.parametrize(("slices", "limit"), [([], 5), ([(0, 9)], 0)])
def test_nothing_to_find(slices: list[tuple[int, int]], limit: int) -> None:
    vectors, query = made("plain", 9, 4, 1)
    assert len(Rounded.of(vectors).top_rows(vectors, query, slices, limit)[0]) == 0


@pytest.mark.parametrize("dim", [1, 15, 33, 64, 384, 1000, 4096])
def test_codes_are_multiplied_without_loss(dim: int) -> None:
    """The library's sums are those of whole numbers, also of the largest ones."""
    vectors = np.sign(np.random.default_rng(dim).normal(size=(9, dim))).astype(np.float32)
    vectors[0] = 1
    kept = Rounded.of(vectors)
    exact = Rounded(kept.codes, kept.steps, np.zeros_like(kept.slack), 0.0)
    found = exact.bounds(vectors[0], [(0, 9)])
    assert np.abs(kept.codes).min() == rounded.MOST
    assert found == pytest.approx(vectors.sum(axis=1), rel=1e-6, abs=1e-3)
