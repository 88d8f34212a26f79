"""Evaluating: the golden set is asked of the live index as a customer would, and what comes back is kept as a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from webapp.core.answering.model import Answer
from webapp.core.answering.sufficiency import calibration_of
from webapp.core.evaluation.evaluate import evaluate
from webapp.core.evaluation.questions import Question, places
from webapp.core.retrieval.engine import IndexProblem
from webapp.services.measuring import asker, golden_questions
from webapp.services.work.base import Progress, kinds
from webapp.store.runs import Run

if TYPE_CHECKING:
    from webapp.services.desk import Desk
    from webapp.services.root import Services

_TRIES = 3  # an index that is switched while questions are asked makes their answers no one version's


class EvaluateArguments(BaseModel, frozen=True, extra="forbid"):
    """Who asks for it, as the history shows it."""

    author: str = ""


@kinds.register("evaluate", "Ask the golden questions and score the answers", EvaluateArguments)
def run(services: Services, collection: str, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Keep a new run; return its id. Raises QuestionsError, NoQuestions, IndexProblem."""
    desk = services.desk(collection)
    for _ in range(_TRIES):
        measured = _measured(desk, arguments["author"], progress)
        if measured:
            return {"run": services.store.runs.add(measured)}
    raise IndexProblem("the index changed again and again while the questions were asked; evaluate once more")


def _measured(desk: Desk, author: str, progress: Progress) -> Run | None:
    """Return a run of one index version; None when it was switched under way."""
    desk.ensure_index(progress)
    documents = desk.files().documents
    questions = golden_questions(desk.folder)
    ask = asker(desk)
    versions, models = set(), {}

    def noted(question: Question) -> Answer:
        answer = ask(question)
        versions.add(answer.index_version)
        models[answer.model] = True
        return answer

    result = evaluate(questions, documents, noted, lambda done, of: progress("asking", done, of))
    if len(versions) != 1:
        return None
    figures = result.as_dict()
    del figures["rows"]
    right = {question.id: [asdict(place) for place in places(question, documents)] for question in questions}
    calibration = calibration_of(desk.live().manifest)
    return Run(
        collection=desk.name,
        index_version=versions.pop(),
        model=" ".join(models),
        questions=len(questions),
        figures=figures | {"threshold": calibration.threshold},
        rows=[row.as_dict() | {"right": right[row.id]} for row in result.rows],
        author=author,
    )
