"""What a collection's golden set says: the calibration it teaches, and how good the answers are."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.core.answering.model import Answer
from webapp.core.answering.sufficiency import calibration_of, default_calibration
from webapp.core.documents.config import GOLDEN_FILE
from webapp.core.documents.language import detect_language
from webapp.core.documents.model import Collection
from webapp.core.evaluation.calibrate import Example, Fit, TooFewQuestions, examples, fit, fit_apart, group_of
from webapp.core.evaluation.evaluate import Ask
from webapp.core.evaluation.questions import Question, QuestionsError, read_questions
from webapp.core.retrieval.chosen import embedder_of
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.known_questions import KnownQuestions
from webapp.core.retrieval.model import Query, Reader, Retrieval, Sufficiency
from webapp.core.retrieval.retriever import Retriever
from webapp.services.model import AskOptions

if TYPE_CHECKING:
    from webapp.services.desk import Desk

Judge = Callable[[Retrieval], Sufficiency]

log = logging.getLogger(__name__)


def golden_questions(folder: Path) -> tuple[Question, ...]:
    """Return a collection's golden set, empty when it has none. Raises QuestionsError."""
    file = folder / GOLDEN_FILE
    return read_questions(file) if file.exists() else ()


def learn(
    version: IndexVersion, collection: Collection, questions: Sequence[Question], vectors: Path | None = None
) -> Fit:
    """Fit a calibration for a version on labelled questions. With a folder of known `vectors`, questions that were
    asked before cost no embedding. Raises TooFewQuestions."""
    start = default_calibration(version.manifest.embedder)
    taught = _taught(version, collection, questions, vectors)
    return fit(taught, start, _source(collection, questions), max_wrong=collection.config.max_wrong)


def fair_judges(version: IndexVersion, collection: Collection, vectors: Path) -> Callable[[Question], Judge]:
    """Return by what to judge the evidence for labelled questions: by the calibration that readers get, but where the
    golden set holds the question, by one that has not seen it, nor others about the same document."""
    own = calibration_of(version.manifest)
    if version.manifest.calibration is None:
        return lambda _: own.judge
    golden = golden_questions(collection.folder)
    start = default_calibration(version.manifest.embedder)
    taught = _taught(version, collection, golden, vectors)
    apart = fit_apart(taught, start, _source(collection, golden), max_wrong=collection.config.max_wrong)
    unseen = {one.question: apart.get(group_of(one, collection.documents), own) for one in golden}
    return lambda question: unseen.get(question.question, own).judge


def asker(desk: Desk) -> Ask:
    """Return what asks labelled questions of a desk as a customer would, and keeps nothing.

    It raises ModelUnavailable when the model has cost its cap: figures of two models mixed would be those of none.
    """
    judge_of = fair_judges(desk.live(), desk.files(), desk.vectors)

    def ask(question: Question) -> Answer:
        desk.meter.require()
        return desk.try_out(question.question, Reader(), AskOptions(lang=question.lang), judge_of(question))[0]

    return ask


def _source(collection: Collection, questions: Sequence[Question]) -> str:
    return f"{len(questions)} questions of {collection.config.name}"


def _taught(
    version: IndexVersion, collection: Collection, questions: Sequence[Question], vectors: Path | None
) -> list[Example]:
    config = collection.config
    embedder = embedder_of(version.manifest)
    retriever = Retriever(version, KnownQuestions(embedder, vectors))

    def query(question: Question) -> Query:
        return Query(question.question, question.lang or detect_language(question.question, config.languages))

    return examples(questions, collection.documents, query, retriever.retrieve)


def calibration_for(version: IndexVersion, collection: Collection, vectors: Path) -> Mapping[str, Any] | None:
    """Return what the collection's golden set teaches about a version under construction, None for the default.

    A golden set that can't be used doesn't keep new documents from being served.
    """
    try:
        questions = golden_questions(collection.folder)
        if not questions:
            return None
        return learn(version, collection, questions, vectors).calibration.model_dump()
    except (QuestionsError, TooFewQuestions) as error:
        log.warning("the golden set of %s is not used: %s", collection.config.name, error)
        return None
