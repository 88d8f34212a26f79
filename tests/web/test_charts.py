"""Charts keep inside their box, share their scale, and hide nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.web.charts import Dot, Rect, Whisker, bars, line, whisker


@given(st.lists(st.integers(0, 10_000), max_size=12))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_bars_stand_on_the_floor_inside_the_box_in_order(counts: list[int]) -> None:
    drawn = bars(counts, len(counts), max(counts, default=0), 120, 32)
    assert len(drawn) == len(counts)
    for count, bar in zip(counts, drawn, strict=True):
        assert 0 <= bar.x <= bar.x + bar.width <= 120
        assert abs(bar.y + bar.height - 32) < 0.02
        assert (bar.height >= 1) == (count > 0)
    assert [bar.x for bar in drawn] == sorted(bar.x for bar in drawn)


def test_charts_of_one_scale_can_be_compared() -> None:
    assert bars([4], of=2, tallest=8, width=100, height=40) == (Rect(0, 20, 43, 20),)
    assert bars([8, 4], of=2, tallest=8, width=100, height=40)[1] == Rect(50, 20, 43, 20)


def test_an_interval_stands_where_its_shares_do() -> None:
    assert whisker(0.5, 0.25, 1, 80) == Whisker(low=20, value=40, high=80)


def test_a_line_goes_up_from_the_bottom_and_keeps_inside() -> None:
    assert line([(0.0, 0.0), (0.5, 0.2), (1.0, 0.9)], 0.4, 100, 50) == (Dot(0, 50), Dot(50, 25), Dot(100, 0))
    assert line([(0.5, 0.0)], 0.0, 100, 50) == (Dot(50, 50),)
    assert line([], 1.0, 100, 50) == ()
