"""Recall on the collection's labelled questions, for settings that are only being tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.language import detect_language
from webapp.core.documents.model import Document
from webapp.core.evaluation.compare import Comparison, Setting, compare
from webapp.core.evaluation.facts import KeyFact
from webapp.core.evaluation.questions import Question
from webapp.core.evaluation.trial import TrialSearch
from webapp.core.retrieval.chosen import chosen_embedder, embedder_of
from webapp.core.retrieval.known_questions import KnownQuestions
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever
from webapp.services.desk import Desk
from webapp.services.trying import unknown_texts

SMALL = 30_000  # characters of a collection that is searched whole; of a larger one every setting would take minutes
AT_ONCE = 60  # texts never read for their meaning that a request may read: two to four seconds
NEAREST = 5  # pages of a larger collection that are searched along


@dataclass(frozen=True, slots=True)
class Scope:
    """What recall is measured on: questions, and the pages searched beside the one compared."""

    questions: tuple[Question, ...]
    beside: tuple[Document, ...]
    whole: bool  # every question and every page of the collection


def scope_for(desk: Desk, document: Document, questions: tuple[Question, ...]) -> Scope:
    """Return the whole of a small collection; of a larger one the questions about this page, and the pages that come
    nearest to answering them."""
    documents = desk.files().documents
    if not questions or sum(len(one.text) for one in documents) <= SMALL:
        return Scope(questions, documents, whole=True)
    own = tuple(one for one in questions if any(label.document == document.id for label in one.labels))
    near = _nearest(desk, own, document.id)
    return Scope(own, tuple(one for one in documents if one.id in near), whole=False)


def needs_reading(desk: Desk, document: Document, settings: Sequence[Setting], scope: Scope) -> bool:
    """Tell whether measuring would take longer than a request may. Raises PartUnavailable."""
    if not scope.questions:
        return False
    tried = [document, *(one for one in scope.beside if one.id != document.id)]
    return len(unknown_texts(desk, tried, [(one.strategy, one.options) for one in settings])) > AT_ONCE


def compare_measured(
    desk: Desk, document: Document, settings: Sequence[Setting], facts: Sequence[KeyFact], scope: Scope
) -> Comparison:
    """Compare the settings, recall included: each cuts the page and those beside it into an index that is gone
    afterwards. Raises PartUnavailable."""
    config = desk.files().config
    search = TrialSearch(config, chosen_embedder(config), desk.vectors)
    return compare([document], settings, facts, scope.questions, search, scope.beside)


def _nearest(desk: Desk, questions: Sequence[Question], besides: str) -> set[str]:
    """Return the ids of the pages that the live index finds most often for the questions."""
    live = desk.live()
    retriever = Retriever(live, KnownQuestions(embedder_of(live.manifest), desk.vectors))
    votes: dict[str, float] = {}
    for question in questions:
        for rank, hit in enumerate(retriever.retrieve(_query(question, desk.config)).hits, 1):
            votes[hit.chunk.document_id] = votes.get(hit.chunk.document_id, 0) + 1 / rank
    votes.pop(besides, None)
    return set(sorted(votes, key=lambda one: -votes[one])[:NEAREST])


def _query(question: Question, config: CollectionConfig) -> Query:
    return Query(question.question, question.lang or detect_language(question.question, config.languages))
