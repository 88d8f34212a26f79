from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.core.answering.fakes import BIKE
from tests.core.retrieval.helpers import Hashing, a_collection, built
from webapp.core.answering.sufficiency import Calibration
from webapp.core.evaluation.calibrate import (
    ENOUGH_UNANSWERABLE,
    MADE_UP,
    Example,
    TooFewQuestions,
    examples,
    fit,
    fit_apart,
)
from webapp.core.evaluation.questions import Label, Question
from webapp.core.retrieval.model import Hit, Query, Retrieval
from webapp.core.retrieval.retriever import Retriever

START = Calibration(
    weights={"meaning": 0.0, "noise": 0.0},
    bias=0.0,
    threshold=0.5,
    sure=0.5,
    floor=0.1,
    scales={"meaning": 0.1, "noise": 1.0},
)


def made(count: int, apart: float, seed: int = 1) -> list[Example]:
    """Examples whose meaning lies `apart` higher where they can be answered, and whose noise says nothing."""
    draw = np.random.default_rng(seed)
    return [
        Example(
            {"meaning": 0.8 + apart * (i % 2) + draw.normal(0, 0.05), "noise": draw.normal()}, bool(i % 2), f"g{i // 2}"
        )
        for i in range(count)
    ]


def test_a_signal_that_tells_is_learnt_and_noise_is_not() -> None:
    found = fit(made(300, 0.2), START, "here", pull=1.0)
    weights = found.calibration.weights
    assert weights["meaning"] > 10
    assert abs(weights["noise"]) < 1
    assert found.auc.value is not None
    assert found.auc.value > 0.97
    assert found.calibration.fitted_on == "here"


def test_a_calibration_for_each_group_that_has_not_seen_it() -> None:
    given = made(40, 0.2)
    odd_one = replace(given[0], group="odd", signals={"meaning": 5.0, "noise": 0.0})
    apart = fit_apart([*given, odd_one], START, "here")
    assert apart.keys() == {one.group for one in given} | {"odd"}
    others = [one for one in given if apart[one.group] is not apart["odd"]]
    assert apart["odd"] == fit(others, START, "here").calibration
    assert apart["odd"].weights != fit([*given, odd_one], START, "here").calibration.weights


def test_where_the_others_teach_too_little_the_start_stays() -> None:
    assert fit_apart(made(2, 0.2), START, "here") == {"g0": START}


def test_the_limits_keep_the_stated_cost() -> None:
    found = fit(made(400, 0.1), START, "here", pull=1.0, max_wrong=0.1)
    calibration = found.calibration
    assert found.wrong <= 0.1
    assert all(fit(made(100, 0.1, seed), START, "here", pull=1.0, max_wrong=0.1).wrong <= 0.1 for seed in range(20))
    assert calibration.floor < calibration.threshold <= calibration.sure <= 1
    stricter = fit(made(400, 0.1), START, "here", pull=1.0, max_wrong=0.02)
    assert stricter.calibration.threshold > calibration.threshold
    assert stricter.answered < found.answered


def test_between_two_examples_a_limit_stays_as_near_the_usual_one_as_it_can() -> None:
    def limit(usual: float) -> float:
        start = START.model_copy(update={"threshold": usual})
        return fit(made(200, 0.5), start, "here", pull=1.0).calibration.threshold

    lowest, highest = limit(0.0), limit(1.0)
    assert lowest < 0.5 < highest  # what was taught lies far apart
    assert limit(0.5) == 0.5
    assert {fit(made(200, 0.5), START.model_copy(update={"threshold": usual}), "here", pull=1.0).answered
            for usual in (0.0, 0.5, 1.0)} == {1.0}  # fmt: skip


def test_what_a_broken_part_found_teaches_nothing() -> None:
    class Broken:
        def retrieve(self, query: Query) -> Retrieval:
            return Retrieval(query, "v", (Hit(BIKE, float("nan")),), signals={"meaning": 0.9})

    assert examples([asked("q", "What is it?")], (), lambda one: Query(one.question, "en"), Broken().retrieve) == []


def test_a_handful_of_questions_moves_the_model_only_a_little() -> None:
    taught = fit(made(400, 0.2), START, "many", pull=1.0).calibration
    against = [Example({"meaning": 0.7 if i % 2 else 1.0, "noise": 0.0}, bool(i % 2), f"g{i}") for i in range(6)]
    bent = fit(against, taught, "few", pull=10.0).calibration
    assert bent.weights["meaning"] > 0.5 * taught.weights["meaning"]


def test_the_curve_goes_from_nothing_answered_to_everything() -> None:
    curve = fit(made(100, 0.1), START, "here").curve
    shares = [point[1] for point in curve]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_fit_prints_as_json_can_hold_it() -> None:
    data = fit(made(100, 0.1), START, "here").as_dict()
    assert set(data) == {"calibration", "auc", "answered", "wrong", "curve"}
    assert Calibration.model_validate(data["calibration"]).fitted_on == "here"


@pytest.mark.parametrize("given", [[], made(1, 0.1), [Example({}, True, "a")]])
def test_one_kind_of_question_teaches_nothing(given: Sequence[Example]) -> None:
    with pytest.raises(TooFewQuestions, match="a question that the documents answer and one that they don't"):
        fit(given, START, "here")


PAGES = {"fees": "## Late\n\nThe late fee is Rs 500.", "books": "## Borrow\n\nA reader may borrow four books."}


def asked(number: str, words: str, *labels: Label) -> Question:
    return Question(id=number, question=words, answerable=bool(labels), labels=labels)


FEE = asked("fee", "What is the late fee?", Label(document="fees", fact="Rs 500"))
GONE = asked("gone", "What is the late fee?", Label(document="gone", fact="Rs 500"))


def taught(folder: Path, questions: Sequence[Question]) -> list[Example]:
    collection = a_collection(folder / "docs", PAGES)
    retriever = Retriever(built(collection, folder / "index"), Hashing())
    return examples(questions, collection.documents, lambda one: Query(one.question, "en"), retriever.retrieve)


def test_few_unanswerable_questions_are_added_to_by_hiding_documents(tmp_path: Path) -> None:
    found = taught(tmp_path, [FEE, asked("no", "Which late bus goes to the fee office?")])
    assert [(one.answerable, one.weight) for one in found[:2]] == [(True, 1.0), (False, 1.0)]
    hidden = asked("hidden", "What late fee and how many books?", Label(document="fees", fact="Rs 500"))
    found = taught(tmp_path / "more", [hidden])
    assert [(one.answerable, one.weight, one.group) for one in found] == [
        (True, 1.0, "fees"),
        (False, MADE_UP, "fees"),
    ]
    assert found[0].signals["coverage"] > found[1].signals["coverage"]


def test_enough_unanswerable_questions_need_no_made_up_ones(tmp_path: Path) -> None:
    plenty = [asked(f"no{i}", "Is the late bus here?") for i in range(ENOUGH_UNANSWERABLE)]
    assert {one.weight for one in taught(tmp_path, [FEE, *plenty])} == {1.0}


def test_broken_labels_and_empty_results_teach_nothing(tmp_path: Path) -> None:
    assert taught(tmp_path, [GONE, asked("no", "zebra migration")]) == []
