"""Nobody wins by chance."""

from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.evaluation.facts import KeyFact, LostFact
from webapp.core.evaluation.verdict import Breakage, Verdict, VerdictCode, chance, found, judge_recall

HELMET = LostFact(KeyFact(fact="Opened helmets cannot be returned", document="d"), ("d:c3", "d:c4"))


def test_chance_is_the_exact_sign_test() -> None:
    assert chance(0, 0) == 1.0
    assert chance(1, 0) == 1.0
    assert chance(6, 0) == 2 / 2**6
    assert chance(8, 2) == pytest.approx(2 * (1 + 10 + comb(10, 2)) / 2**10)


@settings(max_examples=50, derandomize=True)
@given(st.integers(0, 60), st.integers(0, 60))
def test_chance_is_a_probability_and_knows_no_sides(wins: int, losses: int) -> None:
    assert chance(wins, losses) == chance(losses, wins)
    assert 0 < chance(wins, losses) <= 1


def test_one_question_of_ten_is_too_close_to_call() -> None:
    all_found: list[int | None] = [1] * 10
    code, *_ = judge_recall([all_found, [*all_found[:9], None]])
    assert code is VerdictCode.TOO_CLOSE


def test_six_questions_never_name_a_winner_among_four() -> None:
    code, *_ = judge_recall([[1] * 6, [None] * 6, [None] * 6, [None] * 6])
    assert code is VerdictCode.TOO_CLOSE


def test_a_setting_that_finds_clearly_more_wins() -> None:
    assert judge_recall([[None] * 20, [1] * 20]) == (VerdictCode.WINNER, 3, 1, (0,))


def test_what_is_found_first_decides_where_the_first_three_do_not() -> None:
    assert judge_recall([[3] * 20, [1] * 20]) == (VerdictCode.WINNER, 1, 1, (0,))


def test_settings_clearly_worse_are_named_without_a_winner() -> None:
    assert judge_recall([[1] * 30, [1] * 30, [None] * 30]) == (VerdictCode.SOME_WORSE, 3, 0, (2,))


def test_many_questions_split_evenly_stay_too_close() -> None:
    first: list[int | None] = [1, None] * 20
    second: list[int | None] = [None, 1] * 20
    assert judge_recall([first, second])[0] is VerdictCode.TOO_CLOSE


def test_without_questions_nothing_is_said_on_recall() -> None:
    assert judge_recall([[], []])[0] is VerdictCode.NO_QUESTIONS


@pytest.mark.parametrize("k", [0, -1])
def test_a_k_below_one_is_refused_in_words(k: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        found([1, None], k)


def test_words_for_too_close_name_the_step_and_the_broken_fact() -> None:
    verdict = Verdict(VerdictCode.TOO_CLOSE, 6, 8, (Breakage("fixed 100/20", (HELMET,)),))
    assert verdict.text == (
        "Too close to call on 6 questions: one miss moves recall by 0.167. "
        "fixed 100/20 breaks 1 of 8 key facts: “Opened helmets cannot be returned” (d:c3 and d:c4)."
    )
    assert verdict.as_dict()["step"] == 0.1667


def test_words_count_the_facts_they_do_not_name() -> None:
    verdict = Verdict(VerdictCode.NO_QUESTIONS, 0, 8, (Breakage("fixed 20/5", (HELMET,) * 5),))
    assert verdict.text.startswith("No labelled questions, so recall can't be compared. fixed 20/5 breaks 5 of 8")
    assert verdict.text.endswith("and 2 more.")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict(VerdictCode.NO_TEXT, 0, 0), "There is no text to cut."),
        (
            Verdict(VerdictCode.WINNER, 40, 8, k=3, best="paragraph", worse=("fixed 20/0",)),
            "paragraph has clearly the highest recall@3 on 40 questions. Every setting keeps every key fact whole (8).",
        ),
        (
            Verdict(VerdictCode.SOME_WORSE, 1, 0, k=1, best="paragraph", worse=("fixed 9/0", "words 3/0")),
            "No clear winner on 1 question, but recall@1 is clearly lower for fixed 9/0 and words 3/0 "
            "than for paragraph.",
        ),
    ],
)
def test_words_for_the_other_verdicts(verdict: Verdict, words: str) -> None:
    assert verdict.text == words
