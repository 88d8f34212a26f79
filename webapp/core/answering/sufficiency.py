"""Is this evidence enough? A small calibrated model turns retrieval's signals into a probability and an outcome."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path

from pydantic import BaseModel, Field

from webapp.core.retrieval.engine import Manifest
from webapp.core.retrieval.model import Outcome, Retrieval, Sufficiency

MISSING = 0.1  # what is left of the probability where a code of the question, or a word of a name, stands nowhere
OTHER_KIND = 0.4  # and where the page is about another kind of what is asked about: no limit is lower
DEFAULTS = Path(__file__).parent.parent / "retrieval" / "embedders"


class Calibration(BaseModel, frozen=True):
    """A logistic model over the signals, with the limits that follow from what a wrong answer may cost."""

    weights: dict[str, float]
    bias: float
    threshold: float = Field(ge=0, le=1)  # under it: no answer
    sure: float = Field(ge=0, le=1)  # under it: an answer with a caution
    floor: float = Field(ge=0, le=1)  # under it: there is no evidence at all, not only too little
    scales: dict[str, float] = {}  # spread of each signal where it was fitted, for whoever fits on from here
    fitted_on: str = "default"

    def probability(self, signals: Mapping[str, float]) -> float:
        """Return the probability that the evidence answers the question."""
        score = self.bias + sum(weight * signals.get(name, 0.0) for name, weight in self.weights.items())
        probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
        if signals.get("code_missing") or signals.get("name_missing"):
            return probability * MISSING
        if signals.get("other_kind"):
            return probability * OTHER_KIND
        # A code is near nothing in meaning, but who asks for one by its name is right where it is told of.
        return max(probability, (self.threshold + self.sure) / 2) if signals.get("code_held") else probability

    def judge(self, retrieval: Retrieval) -> Sufficiency:
        """Return whether the evidence is enough. Where a part gave what is no number, nothing is."""
        judged = retrieval.hits and is_sound(retrieval)
        probability = self.probability(retrieval.signals) if judged else 0.0
        return Sufficiency(probability, self.threshold, self._outcome(probability))

    def _outcome(self, probability: float) -> Outcome:
        if probability < self.floor:
            return Outcome.NO_EVIDENCE
        if probability < self.threshold:
            return Outcome.WEAK_EVIDENCE
        return Outcome.ANSWER if probability >= self.sure else Outcome.CAUTION


def is_sound(retrieval: Retrieval) -> bool:
    """Tell whether every figure of a retrieval is a finite number: a broken embedder or reranker may give others, and
    comparisons with those come out as it happens."""
    figures = chain(
        retrieval.signals.values(),
        *(
            (hit.score, hit.meaning or 0.0, hit.words or 0.0, hit.coverage, *hit.sentence_scores)
            for hit in retrieval.hits
        ),
    )
    return all(map(math.isfinite, figures))


@lru_cache(maxsize=8)
def default_calibration(embedder: str) -> Calibration:
    """Return the calibration that ships with an embedder; the cautious one of unknown embedders when it has none."""
    name = "".join(character if character.isalnum() else "_" for character in embedder)
    file = DEFAULTS / f"{name}.calibration.json"
    if not file.exists():
        file = DEFAULTS / "any.calibration.json"
    return Calibration.model_validate(json.loads(file.read_text(encoding="utf-8")))


def calibration_of(manifest: Manifest) -> Calibration:
    """Return the calibration kept in an index version, else the default one of its embedder."""
    if manifest.calibration is not None:
        return Calibration.model_validate(manifest.calibration)
    return default_calibration(manifest.embedder)
