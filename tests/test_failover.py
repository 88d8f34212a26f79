"""One round of bench/failover.py: the database's server is killed under load, and another takes its place."""

from __future__ import annotations

from bench.failover import fail_over


def test_nothing_acknowledged_is_lost_when_another_server_takes_over() -> None:
    outcome = fail_over(seconds=0.3)
    assert outcome.answers > 0
    assert outcome.votes > 0
    assert outcome.refused > 0, "the server was away for a while, and somebody noticed"
    assert outcome.lost == []
    assert outcome.dishonest == []
    assert outcome.seconds < 20
