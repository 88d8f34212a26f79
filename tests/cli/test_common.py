from webapp.cli.common import pace


def test_how_fast_work_goes_and_how_long_the_rest_may_take() -> None:
    assert pace(300, 1200, 60.0) == ", 5.0/s, about 0:03:00 left"
    assert pace(1200, 1200, 60.0) == ", 20.0/s, about 0:00:00 left"
    assert pace(0, 10, 5.0) == pace(3, 10, 0.2) == ""
