"""The key facts and labelled questions kept beside a collection's documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webapp.core.documents.config import FACTS_FILE
from webapp.core.evaluation.facts import FactsError, KeyFact, read_facts
from webapp.core.evaluation.questions import Question, QuestionsError
from webapp.services.measuring import golden_questions


@dataclass(frozen=True, slots=True)
class Labels:
    """What was found; `problems` name the files that can't be used, with line and reason."""

    facts: tuple[KeyFact, ...] = ()
    questions: tuple[Question, ...] = ()
    problems: tuple[str, ...] = ()


def read_labels(folder: Path) -> Labels:
    """Read what a collection has; a file that can't be used counts as not there, and is named."""
    problems: list[str] = []
    facts: tuple[KeyFact, ...] = ()
    questions: tuple[Question, ...] = ()
    try:
        facts = read_facts(folder / FACTS_FILE)
    except FactsError as problem:
        problems.append(str(problem))
    try:
        questions = golden_questions(folder)
    except QuestionsError as problem:
        problems.append(str(problem))
    return Labels(facts, questions, tuple(problems))
