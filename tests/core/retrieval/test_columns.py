"""Columns say of every chunk what looking at it alone would."""

from collections.abc import Sequence
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.retrieval.columns import Columns, Ragged, number_of, numbers_of
from webapp.core.retrieval.query_terms import QueryTerm, QueryTerms

WORDS = ["bike", "return", "err-0942", "ফেরত", "\ud800", "page-1", "en"]
CHUNKS = st.lists(st.tuples(st.lists(st.sampled_from(WORDS)), st.integers(0, 3)), max_size=6)
Chunk = tuple[list[str], int]


def columns_of(chunks: Sequence[Chunk]) -> Columns:
    """Chunks of one page in English, whose terms are given, and how many of them are of title and headings."""
    numbers = [
        numbers_of(("page-1", "en", n), terms, min(of_context, len(terms)))
        for n, (terms, of_context) in enumerate(chunks)
    ]
    none = Columns.none()
    lengths = np.array([len(one) for one in numbers], dtype=np.int64)
    every = Ragged.of(np.concatenate([none.numbers.values, *numbers]), lengths)
    sentences = Ragged.of(none.meaning, np.zeros(len(chunks), dtype=np.int64))
    return Columns(np.zeros(len(chunks), dtype=np.float32), sentences, every)


@given(chunks=CHUNKS)
@settings(max_examples=50, deadline=None)
def test_terms_are_counted_as_they_stand(chunks: Sequence[Chunk]) -> None:
    columns = columns_of(chunks)
    held, in_context = columns.held(WORDS)
    for term in WORDS:
        assert held.count(term).tolist() == [terms.count(term) for terms, _ in chunks]
        assert in_context.count(term).tolist() == [terms[:first].count(term) for terms, first in chunks]
    assert columns.lengths.tolist() == [len(terms) for terms, _ in chunks]
    assert columns.ordinals.tolist() == list(range(len(chunks)))
    assert columns.context_lengths.tolist() == [min(len(terms), first) for terms, first in chunks]
    assert set(columns.documents.tolist()) <= {number_of("page-1")}
    assert set(columns.langs.tolist()) <= {number_of("en")}


@given(chunks=CHUNKS, order=st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_taking_chunks_keeps_what_is_known_of_each(chunks: Sequence[Chunk], order: Random) -> None:
    columns, places = columns_of(chunks), list(range(len(chunks)))
    order.shuffle(places)
    taken = columns.take(np.array(places, dtype=np.int64))
    assert [taken.terms_of(n) for n in range(len(taken))] == [columns.terms_of(place) for place in places]
    assert taken.ordinals.tolist() == places
    held, _ = columns.held(WORDS)
    assert [held.take(np.array(places, dtype=np.int64)).terms_of(n) for n in range(len(places))] == [
        frozenset(chunks[place][0]) for place in places
    ]


@given(rows=st.lists(st.lists(st.integers(-9, 9)), max_size=6))
@settings(max_examples=50, deadline=None)
def test_rows_of_different_lengths(rows: Sequence[Sequence[int]]) -> None:
    values = np.array([value for row in rows for value in row], dtype=np.int64)
    ragged = Ragged.of(values, np.array([len(row) for row in rows], dtype=np.int64))
    assert [ragged[n].tolist() for n in range(len(rows))] == rows
    assert ragged.greatest(np.full(len(rows), -99)).tolist() == [max(row, default=-99) for row in rows]
    back = np.arange(len(rows))[::-1]
    placed = ragged.take(back).together()
    assert [placed[n].tolist() for n in range(len(rows))] == rows[::-1]
    assert placed.values.tolist() == [value for row in rows[::-1] for value in row]
    joined = Ragged.joined([placed, ragged])
    assert [joined[n].tolist() for n in range(2 * len(rows))] == [*rows[::-1], *rows]


def test_coverage_and_what_is_lacking() -> None:
    question = QueryTerms(
        (
            QueryTerm("bike", 3.0, {"bike": 1.0}, known=True, exact=False),
            QueryTerm("return", 1.0, {"return": 1.0, "ফেরত": 0.8}, known=True, exact=False, everyday=frozenset({"en"})),
        ),
        visible_rows=9,
        frequencies={"bike": 1, "return": 2, "ফেরত": 3},
    )
    chunks = [(["bike", "return"], 0), (["bike"], 0), (["ফেরত", "en"], 0), (["bike", "en"], 0), (["en"], 0), ([], 0)]
    held, _ = columns_of(chunks).held(question.looked_for)
    assert question.coverage(held).tolist() == [1.0, 0.75, 0.2, 0.875, 0.0, 0.0]
    assert question.lacking(held).tolist() == [0, 1, 1, 0, 1, 2]
