from collections.abc import Sequence
from pathlib import Path

import pytest

from webapp.core.retrieval.engine import VisiblePart
from webapp.core.retrieval.keyword import KeywordIndex, idf

ROWS: Sequence[tuple[int, Sequence[str]]] = (
    (0, ["red", "bike", "bike"]),
    (0, ["red", "lamp", "দিন"]),
    (1, ["red", "red", "secret", "err-0942"]),
)
OPEN, ALL = VisiblePart((0,), ((0, 2),)), VisiblePart((0, 1), ((0, 3),))


@pytest.fixture
def index(tmp_path: Path) -> KeywordIndex:
    KeywordIndex.build(tmp_path / "words", ROWS)
    return KeywordIndex(tmp_path / "words")


def test_finds_rows_by_their_terms_best_first(index: KeywordIndex) -> None:
    rows, scores = index.search({"red": 0.1, "bike": 2.0}, ALL, 10)
    assert rows[0] == 0
    assert sorted(rows) == [0, 1, 2]
    assert list(scores) == sorted(scores, reverse=True)


def test_rows_that_are_not_visible_are_neither_found_nor_counted(index: KeywordIndex) -> None:
    assert list(index.search({"secret": 1.0}, OPEN, 10)[0]) == []
    assert index.counts(["red", "secret", "bike", "none"], OPEN) == {"red": 2, "secret": 0, "bike": 1, "none": 0}
    assert index.counts(["red", "secret"], ALL) == {"red": 3, "secret": 1}


@pytest.mark.parametrize("limit", [1, 5, 30, 100])
def test_rows_that_are_left_out_are_not_found_however_good_they_are(tmp_path: Path, limit: int) -> None:
    KeywordIndex.build(tmp_path / "many", [(0, ["bike"] * (80 - row) + ["red"] * row) for row in range(80)])
    every, left_out = VisiblePart((0,), ((0, 80),)), ((0, 40), (41, 50))
    rest = VisiblePart((0,), ((40, 41), (50, 80)), left_out)
    index = KeywordIndex(tmp_path / "many")
    rows, scores = index.search({"bike": 1.0}, every, 80)
    shown = [place for place, row in enumerate(rows) if row == 40 or row >= 50][:limit]
    found, found_scores = index.search({"bike": 1.0}, rest, limit)
    assert (found.tolist(), found_scores.tolist()) == (rows[shown].tolist(), scores[shown].tolist())


def test_scores_do_not_depend_on_rows_that_are_not_visible(tmp_path: Path, index: KeywordIndex) -> None:
    KeywordIndex.build(tmp_path / "alone", ROWS[:2])
    weights = {"red": idf(2, 2), "bike": idf(1, 2)}
    alone = KeywordIndex(tmp_path / "alone").search(weights, OPEN, 10)
    among = index.search(weights, OPEN, 10)
    assert list(alone[0]) == list(among[0])


@pytest.mark.parametrize("weights", [{}, {"none": 1.0}, {"red": 0.0}])
def test_nothing_to_look_for_finds_nothing(index: KeywordIndex, weights: dict[str, float]) -> None:
    assert len(index.search(weights, ALL, 10)[0]) == 0


def test_codes_and_bangla_words_are_terms_like_any(index: KeywordIndex) -> None:
    assert list(index.search({"err-0942": 1.0}, ALL, 10)[0]) == [2]
    assert list(index.search({"দিন": 1.0}, ALL, 10)[0]) == [1]
    assert index.known(["দিন", "dn"]) == {"দিন"}
    assert set("bikeদন") <= set(index.letters)


def test_equal_scores_keep_the_order_of_rows(tmp_path: Path) -> None:
    KeywordIndex.build(tmp_path / "same", [(0, ["bike"])] * 20)
    assert list(KeywordIndex(tmp_path / "same").search({"bike": 1.0}, VisiblePart((0,), ((0, 20),)), 5)[0]) == [
        0,
        1,
        2,
        3,
        4,
    ]
