"""Packed postings: what they give is what counting row by row gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.retrieval.engines._postings import Postings, PostingsWriter, best_rows, length_norms
from webapp.core.retrieval.fusion import K1, TEXT_B, TEXT_LENGTH

TERMS = ("bike", "card", "দিন", "err-942")
rows_of_terms = st.lists(st.lists(st.sampled_from(TERMS), max_size=9), min_size=1, max_size=12)


def packed(rows: list[list[str]], take_after: int = 0) -> dict[str, Postings]:
    """Write the rows, in two parts, and read them back."""
    writer = PostingsWriter()
    parts: dict[str, list[tuple[bytes, bytes]]] = {term: [] for term in TERMS}
    for number, terms in enumerate([*rows, None]):
        if number == take_after or terms is None:
            for term, *part in writer.take():
                parts[term].append((part[0], part[1]))
        if terms is not None:
            writer.add(terms)
    norms = length_norms(np.asarray(writer.lengths))
    return {term: Postings.unpacked(found, norms) for term, found in parts.items()}


def scored(terms: list[str], weights: dict[str, float]) -> float:
    """BM25 as ranking computes it."""
    norm = K1 * (1 - TEXT_B + TEXT_B * len(terms) / TEXT_LENGTH)
    return sum(w * terms.count(t) * (K1 + 1) / (terms.count(t) + norm) for t, w in weights.items())


@given(rows=rows_of_terms, start=st.integers(0, 12), length=st.integers(0, 12), take_after=st.integers(0, 12))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_they_count_and_score_what_lies_inside_the_slices(
    rows: list[list[str]], start: int, length: int, take_after: int
) -> None:
    start = min(start, len(rows))
    inside = range(start, min(start + length, len(rows)))
    slices = [(inside.start, inside.stop)] if inside else []
    postings = packed(rows, take_after)
    weights = {"bike": 1.5, "দিন": 0.5}
    for term in TERMS:
        assert postings[term].within(slices) == sum(term in rows[row] for row in inside)
    found, scores = best_rows(weights, postings, len(rows), slices, 100)
    expected = {row: scored(rows[row], weights) for row in inside if {*rows[row]} & weights.keys()}
    assert dict(zip(found.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-5)
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)


def test_the_best_few() -> None:
    postings = packed([["bike"], ["bike", "bike"], ["card"], ["bike", "err-942", "দিন"]])
    found, _ = best_rows({"bike": 1.0}, postings, 4, [(0, 4)], 2)
    assert found.tolist() == [1, 0]


def test_the_letters() -> None:
    writer = PostingsWriter()
    for terms in (["bike"], ["card"], ["bike", "err-942", "দিন"]):
        writer.add(terms)
    assert writer.letters == "abcdeikrদনি"
