from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.core.answering.fakes import BIKE
from webapp.core.answering.sufficiency import Calibration, calibration_of, default_calibration
from webapp.core.documents.config import CollectionConfig
from webapp.core.retrieval.engine import Manifest
from webapp.core.retrieval.model import Hit, Outcome, Query, Retrieval
from webapp.core.retrieval.signals import NAMES

PLAIN = Calibration(weights={"meaning": 10.0}, bias=-5.0, threshold=0.5, sure=0.8, floor=0.1)


def retrieved(**signals: float) -> Retrieval:
    return Retrieval(Query("?", "en"), "v", (Hit(BIKE, 1.0),), signals=signals)


@pytest.mark.parametrize(
    ("meaning", "outcome"),
    [
        (0.9, Outcome.ANSWER),
        (0.55, Outcome.CAUTION),
        (0.4, Outcome.WEAK_EVIDENCE),
        (0.1, Outcome.NO_EVIDENCE),
    ],
)
def test_what_a_probability_allows(meaning: float, outcome: Outcome) -> None:
    judged = PLAIN.judge(retrieved(meaning=meaning))
    assert judged.outcome is outcome
    assert judged.threshold == 0.5


def test_nothing_retrieved_is_never_evidence() -> None:
    judged = PLAIN.judge(Retrieval(Query("?", "en"), "v", (), signals={"meaning": 0.9}))
    assert (judged.probability, judged.outcome) == (0.0, Outcome.NO_EVIDENCE)


def test_a_code_that_stands_nowhere_is_not_answered_about() -> None:
    assert PLAIN.judge(retrieved(meaning=0.9)).outcome is Outcome.ANSWER
    assert PLAIN.judge(retrieved(meaning=0.9, code_missing=1.0)).outcome is Outcome.NO_EVIDENCE


def test_a_name_of_something_else_is_not_answered_about() -> None:
    assert PLAIN.judge(retrieved(meaning=0.9, name_missing=1.0)).outcome is Outcome.NO_EVIDENCE


@pytest.mark.parametrize("threshold", [0.4, 0.6])
def test_another_kind_of_what_a_page_is_about_is_not_answered_about(threshold: float) -> None:
    judged = PLAIN.model_copy(update={"threshold": threshold}).judge(retrieved(meaning=0.99, other_kind=1.0))
    assert judged.outcome in (Outcome.WEAK_EVIDENCE, Outcome.NO_EVIDENCE)


def test_a_code_that_is_told_of_is_answered_about_with_a_caution_however_far_its_meaning() -> None:
    assert PLAIN.judge(retrieved(meaning=0.1, code_held=1.0)).outcome is Outcome.CAUTION
    assert PLAIN.judge(retrieved(meaning=0.9, code_held=1.0)).outcome is Outcome.ANSWER
    assert PLAIN.judge(retrieved(meaning=0.1, code_held=1.0, code_missing=1.0)).outcome is Outcome.NO_EVIDENCE


@pytest.mark.parametrize("extreme", [1e9, -1e9])
def test_a_probability_stays_one_whatever_the_signals(extreme: float) -> None:
    assert 0 <= PLAIN.probability({"meaning": extreme}) <= 1


BROKEN = [float("nan"), float("inf"), float("-inf")]


@pytest.mark.parametrize("figure", BROKEN)
def test_a_signal_that_is_no_number_is_never_evidence(figure: float) -> None:
    eager = PLAIN.model_copy(update={"weights": {"meaning": 10.0, "noise": -1.0}, "bias": 100.0})
    assert eager.judge(retrieved(meaning=0.9)).outcome is Outcome.ANSWER
    judged = eager.judge(retrieved(meaning=0.9, noise=figure))
    assert (judged.probability, judged.outcome) == (0.0, Outcome.NO_EVIDENCE)


@pytest.mark.parametrize("figure", BROKEN)
@pytest.mark.parametrize("field", ["score", "meaning", "words", "coverage", "sentence_scores"])
def test_a_hit_whose_figure_is_no_number_is_never_evidence(field: str, figure: float) -> None:
    values: dict[str, Any] = {field: (0.5, figure) if field == "sentence_scores" else figure}
    broken = replace(Hit(BIKE, 1.0), **values)
    judged = PLAIN.judge(Retrieval(Query("?", "en"), "v", (Hit(BIKE, 1.0), broken), signals={"meaning": 0.9}))
    assert (judged.probability, judged.outcome) == (0.0, Outcome.NO_EVIDENCE)


@pytest.mark.parametrize("embedder", ["e5-small", "something-else"])
def test_every_embedder_has_a_calibration_over_known_signals(embedder: str) -> None:
    calibration = default_calibration(embedder)
    assert set(calibration.weights) <= set(NAMES)
    assert calibration.floor < calibration.threshold <= calibration.sure


def test_a_version_keeps_its_own_calibration() -> None:
    manifest = Manifest(
        format=1,
        created_at=datetime(2025, 1, 1, tzinfo=UTC),
        corpus_hash="x",
        config=CollectionConfig(name="c"),
        strategy="paragraph",
        options={},
        embedder="e5-small",
        dim=384,
    )
    assert calibration_of(manifest) == default_calibration("e5-small")
    own = manifest.model_copy(update={"calibration": PLAIN.model_dump()})
    assert calibration_of(own) == PLAIN
