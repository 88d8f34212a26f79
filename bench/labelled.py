"""The questions of labelled folders, each with all that both searches found for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import numpy as np

from bench.fusion_fit import Lesson
from webapp.core.documents.collection import load_collection
from webapp.core.documents.config import GOLDEN_FILE
from webapp.core.documents.language import detect_language
from webapp.core.documents.lines import lines_of
from webapp.core.documents.model import Collection, Document
from webapp.core.evaluation.calibrate import ENOUGH_UNANSWERABLE, MADE_UP
from webapp.core.evaluation.questions import Question, places, read_questions
from webapp.core.evaluation.regions import Regions
from webapp.core.retrieval.embedders.base import Embedder
from webapp.core.retrieval.fusion import features
from webapp.core.retrieval.index import IndexFolder, IndexVersion, build
from webapp.core.retrieval.known_questions import KnownQuestions
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever, Search

FOREIGN = 0.25  # weight of another folder's question: now and then it can be answered here after all
FOREIGN_ASKED = 100  # of them, for each folder

Place = tuple[str, int]


class Kind(Enum):
    """Where a question comes from."""

    OWN = 1.0
    HIDDEN = MADE_UP  # asked again with the documents hidden that answer it
    FOREIGN = FOREIGN


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One question, or the same with its documents hidden, and what both searches found for it."""

    folder: str
    question: Question
    lang: str
    kind: Kind
    group: str
    search: Search
    retriever: Retriever
    regions: Mapping[int, tuple[Place, ...]]  # that each candidate overlaps, by row
    right: frozenset[Place]
    right_documents: frozenset[str]

    @property
    def answerable(self) -> bool:
        """Whether what it is asked of holds the answer."""
        return self.question.answerable and self.kind is Kind.OWN

    def lesson(self) -> Lesson:
        """Return what fusion learns from it."""
        rows = self.search.candidates.rows.tolist()
        right = [any(place in self.right for place in self.regions[row]) for row in rows]
        return Lesson(features(self.search.candidates, self.search.question, self.lang), np.array(right, dtype=bool))


def indexed(collection: Collection, name: str, cache: Path, embedder: Embedder) -> IndexVersion:
    """Return the index of a labelled folder, built where it is missing or stale."""
    build(collection, cache / "indexes" / name, embedder, cache=cache)
    version = IndexFolder(cache / "indexes" / name).current()
    assert version is not None  # it has just been built
    return version


def ask_all(folder: Path, folders: Sequence[Path], cache: Path, embedder: Embedder) -> Iterator[Asked]:
    """Ask every question of a folder; the answerable ones again with their documents hidden, where few are not; and
    questions of the other folders, which it can't answer, in other languages too."""
    questions = labelled(folder)
    collection = load_collection(docs_of(folder))
    version = indexed(collection, folder.name, cache, embedder)
    retriever = Retriever(version, KnownQuestions(embedder, cache))
    regions = {document.id: _regions(document) for document in collection.documents}
    make_up = sum(not question.answerable for question in questions) < ENOUGH_UNANSWERABLE
    for question in questions:
        one = ask(folder.name, question, collection, retriever, regions)
        yield one
        if question.answerable and make_up:
            yield replace(one, kind=Kind.HIDDEN, search=retriever.search(_query(one, without=one.right_documents)))
    for question in foreign(folder, folders):
        yield replace(ask(folder.name, question, collection, retriever, regions), kind=Kind.FOREIGN)


def docs_of(folder: Path) -> Path:
    """Return where the documents of a labelled folder are."""
    return folder / "docs" if (folder / "docs").is_dir() else folder


def labelled(folder: Path) -> tuple[Question, ...]:
    """Return the questions of a labelled folder."""
    return read_questions(folder / ("questions.jsonl" if docs_of(folder) != folder else GOLDEN_FILE))


def foreign(folder: Path, folders: Sequence[Path]) -> list[Question]:
    """Return questions of the other folders, spread over them."""
    others = [
        Question(id=f"{other.name}/{one.id}", question=one.question, answerable=False)
        for other in folders
        if other != folder
        for one in labelled(other)
    ]
    return others[:: -(-len(others) // FOREIGN_ASKED)]


def ask(
    folder: str, question: Question, collection: Collection, retriever: Retriever, regions: dict[str, Regions]
) -> Asked:
    """Ask one question."""
    right = places(question, collection.documents)
    documents = frozenset(place.document_id for place in right)
    lang = detect_language(question.question, collection.config.languages)
    search = retriever.search(Query(question.question, lang))
    return Asked(
        folder=folder,
        question=question,
        lang=lang,
        kind=Kind.OWN,
        group=f"{folder}/{min(documents, default=question.id)}",
        search=search,
        retriever=retriever,
        regions={
            row: _places(regions, one.document_id, one.location.first_line, one.location.last_line)
            for row, one in zip(search.candidates.rows.tolist(), retriever.chunks(search.candidates), strict=True)
        },
        right=frozenset(
            place for one in right for place in _places(regions, one.document_id, one.first_line, one.last_line)
        ),
        right_documents=documents,
    )


def _places(regions: dict[str, Regions], document_id: str, first: int, last: int) -> tuple[Place, ...]:
    return tuple((document_id, start) for start in regions[document_id].of(first, last))


def _regions(document: Document) -> Regions:
    return Regions(lines_of(document.text), document.body_line)


def _query(one: Asked, without: frozenset[str]) -> Query:
    return Query(one.question.question, one.lang, without=without)
