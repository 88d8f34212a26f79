import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.evaluation.metrics import (
    Figure,
    auc,
    mean,
    paired_difference,
    rate,
    reciprocal_rank,
    risk_coverage,
)


def test_a_rate_has_the_wilson_interval() -> None:
    figure = rate(5, 6)
    assert figure.value == pytest.approx(5 / 6)
    assert figure.low == pytest.approx(0.4365, abs=1e-4)
    assert figure.high == pytest.approx(0.9699, abs=1e-4)


def test_nothing_measured_is_no_figure() -> None:
    assert rate(0, 0) == mean([]) == auc([], [0.5]) == Figure()
    assert rate(0, 0).as_dict() == {"value": None, "low": None, "high": None}


@settings(derandomize=True, max_examples=50)
@given(st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_a_rate_lies_inside_its_interval(counts: tuple[int, int]) -> None:
    figure = rate(*counts)
    assert figure.low is not None
    assert figure.high is not None
    assert 0 <= figure.low <= counts[0] / counts[1] <= figure.high <= 1


def test_auc_counts_ties_as_half() -> None:
    assert auc([0.9, 0.5], [0.5, 0.1]).value == pytest.approx(0.875)


def test_a_perfect_auc_keeps_an_honest_interval() -> None:
    figure = auc([0.9] * 10, [0.1] * 5)
    assert (figure.value, figure.high) == (1.0, 1.0)
    assert figure.low is not None
    assert 0.5 < figure.low < 0.9


def test_one_question_of_ten_is_too_close_to_call() -> None:
    first = [1.0] * 6 + [0.0] * 4
    assert paired_difference(first, [1.0] * 7 + [0.0] * 3).too_close
    assert not paired_difference([0.0] * 10, [1.0] * 10).too_close


def test_runs_of_different_questions_are_not_compared() -> None:
    with pytest.raises(ValueError, match="same questions"):
        paired_difference([1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="same questions"):
        paired_difference([], [])


def test_mean_gives_the_same_interval_every_time() -> None:
    values = [1.0, 0.5, 0.0, 1.0]
    assert mean(values) == mean(values)
    assert mean(values).value == pytest.approx(0.625)


def test_reciprocal_rank_of_the_first_hit() -> None:
    assert reciprocal_rank([False, True, True]) == 0.5
    assert reciprocal_rank([False]) == 0.0


def test_risk_coverage_steps_over_ties_at_once() -> None:
    points = risk_coverage([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    assert [point[0] for point in points] == [0.9, 0.5, 0.1]
    assert points[-1][1:] == (1.0, 0.5)
    assert math.isclose(points[1][2], 1 / 3)
