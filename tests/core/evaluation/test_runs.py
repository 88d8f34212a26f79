from __future__ import annotations

from typing import Any

import pytest

from webapp.core.evaluation.runs import Measure, Outcome, compare_runs, limit_cost, limits_by_cost, misses, outcome


def row(id_: str = "a", **changes: Any) -> dict[str, Any]:
    """The row of a question that went well."""
    answerable = changes.get("answerable", True)
    well = {
        "question": f"Question {id_}?",
        "answerable": True,
        "label_broken": False,
        "probability": 0.9 if answerable else 0.1,
        "abstained": not answerable,
        "reason": "ok" if answerable else "weak_evidence",
        "right_source": answerable,
        "section_rank": 1 if answerable else 0,
    }
    return {"id": id_} | well | changes


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Outcome.RIGHT),
        ({"abstained": True, "reason": "weak_evidence"}, Outcome.ABSTAINED),
        ({"right_source": False}, Outcome.WRONG_SOURCE),
        ({"label_broken": True}, Outcome.BROKEN),
        ({"answerable": False}, Outcome.REFUSED),
        ({"answerable": False, "abstained": False}, Outcome.WRONG_ANSWER),
    ],
)
def test_how_a_question_came_out(changes: dict[str, Any], expected: Outcome) -> None:
    assert outcome(row(**changes)) is expected


def test_misses_come_the_worst_first() -> None:
    rows = [
        row("fine"),
        row("broken", label_broken=True),
        row("silent", abstained=True),
        row("made-up", answerable=False, abstained=False),
        row("elsewhere", right_source=False),
    ]
    assert [one["id"] for one in misses(rows)] == ["made-up", "elsewhere", "silent", "broken"]


# Two runs


def with_misses(of: int, missed: int) -> list[dict[str, Any]]:
    return [row(f"q{n}", **({"section_rank": 0} if n < missed else {})) for n in range(of)]


def measured(first: list[dict[str, Any]], second: list[dict[str, Any]], measure: Measure) -> Any:
    return next(one for one in compare_runs(first, second).measures if one.measure is measure)


def test_one_question_of_ten_is_too_close_to_call() -> None:
    found = measured(with_misses(10, 1), with_misses(10, 0), Measure.FOUND_FIRST)
    assert (found.first.value, found.second.value) == (0.9, 1.0)
    assert (found.better, found.worse) == (1, 0)
    assert found.too_close


def test_all_of_three_questions_is_too_close_still_and_ten_of_twenty_is_not() -> None:
    assert measured(with_misses(3, 3), with_misses(3, 0), Measure.FOUND).too_close
    clear = measured(with_misses(20, 10), with_misses(20, 0), Measure.FOUND)
    assert not clear.too_close
    assert clear.difference.value == 0.5


def test_only_questions_that_both_asked_alike_are_compared() -> None:
    first = [row("a"), row("b"), row("c"), row("d", label_broken=True)]
    second = [row("a"), row("b", question="Other words?"), row("d"), row("e")]
    compared = compare_runs(first, second)
    assert (compared.shared, compared.only_first, compared.only_second) == (1, 3, 3)
    assert compared.changes == ()


def test_a_changed_outcome_is_named_with_both_rows() -> None:
    [change] = compare_runs([row("a"), row("b")], [row("a"), row("b", abstained=True)]).changes
    assert (outcome(change.first), outcome(change.second)) == (Outcome.RIGHT, Outcome.ABSTAINED)


def test_without_a_shared_question_there_is_nothing_to_say() -> None:
    for one in compare_runs([row("a")], [row("b")]).measures:
        assert (one.first.value, one.difference, one.too_close) == (None, None, True)


# Limits

ROWS = [
    row("sure", probability=0.9),
    row("unsure", probability=0.4, abstained=True, reason="weak_evidence"),
    row("withheld", probability=0.8, abstained=True, reason="unsupported_number"),
    row("broken", probability=0.9, label_broken=True),
    row("no", answerable=False, probability=0.5),
    row("never", answerable=False, probability=0.1),
]


@pytest.mark.parametrize(
    ("limit", "answered", "wrong"), [(0.95, 0, 0), (0.6, 1, 0), (0.5, 1, 1), (0.4, 2, 1), (0, 2, 2)]
)
def test_what_a_limit_costs(limit: float, answered: int, wrong: int) -> None:
    cost = limit_cost(ROWS, limit)
    assert (cost.answered, cost.answerable, cost.wrong, cost.unanswerable) == (answered, 3, wrong, 2)


def test_the_lowest_limit_for_each_number_of_wrong_answers() -> None:
    assert [(one.limit, one.wrong, one.answered) for one in limits_by_cost(ROWS)] == [
        (0.5001, 0, 1),
        (0.1001, 1, 2),
        (0.0, 2, 2),
    ]


def test_without_questions_shares_are_nothing() -> None:
    cost = limit_cost([], 0.5)
    assert (cost.answered_share.value, cost.wrong_share.value) == (None, None)
    assert [one.limit for one in limits_by_cost([])] == [0.0]
