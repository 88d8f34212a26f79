"""Do labels still hold? What is wrong with those that don't, and where their text may have gone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from webapp.core.documents.lines import fold, lines_of
from webapp.core.documents.model import Document, Status
from webapp.core.evaluation.questions import Label, Place, Question, find_fact, label_lines

ALIKE = 0.6  # share of a text's words that a place must hold to be suggested for it
MUCH_LONGER = 2  # a stretch of several lines with so many times the text's words is not looked at
_MARKS = "#*_`>-–—.,;:!?।()[]{}\"'“”‘’|…"


class LabelProblem(StrEnum):
    """Why a label no longer holds; pages word it in the reader's language."""

    NO_DOCUMENT = "no_document"
    NOT_CURRENT = "not_current"
    NO_LINES = "no_lines"  # the page has become shorter
    NO_FACT = "no_fact"  # the page no longer says these words


@dataclass(frozen=True, slots=True)
class CheckedLabel:
    """A label and what it means today: a place, or what is wrong with it."""

    label: Label
    place: Place | None
    problem: LabelProblem | None = None


@dataclass(frozen=True, slots=True)
class CheckedQuestion:
    """A question with its labels as they stand today."""

    question: Question
    labels: tuple[CheckedLabel, ...]

    @property
    def broken(self) -> bool:
        """Tell whether one of its labels no longer holds."""
        return any(label.problem for label in self.labels)

    @property
    def scored(self) -> bool:
        """Tell whether evaluation can score it: it is unanswerable, or one label holds."""
        return not self.question.answerable or any(label.place for label in self.labels)


def check_questions(questions: Sequence[Question], documents: Sequence[Document]) -> list[CheckedQuestion]:
    """Return every question with its labels as they stand in the documents."""
    by_id = {document.id: document for document in documents}
    return [
        CheckedQuestion(question, tuple(check_label(label, by_id.get(label.document)) for label in question.labels))
        for question in questions
    ]


def check_label(label: Label, document: Document | None) -> CheckedLabel:
    """Return what a label means in its document, or what is wrong with it."""
    if document is None:
        return CheckedLabel(label, None, LabelProblem.NO_DOCUMENT)
    if document.status is not Status.CURRENT:
        return CheckedLabel(label, None, LabelProblem.NOT_CURRENT)
    found = label_lines(label, document)
    if not found:
        return CheckedLabel(label, None, LabelProblem.NO_FACT if label.fact else LabelProblem.NO_LINES)
    return CheckedLabel(label, Place(document.id, *found[0]))


def label_of(document: Document, first: int, last: int, fact: str = "") -> Label:
    """Return the label of lines of a document's body, with their words: so it follows them when lines shift.

    `fact`: the words among them that matter, default all. Raises ValueError when there is nothing in those lines that
    could be found again, or the fact isn't there.
    """
    if not document.body_line <= first <= last <= len(document.line_starts):
        raise ValueError("these lines are not in the text of the page")
    words = fold(fact) or text_of(document, first, last)
    inside = [lines for lines in find_fact(words, document) if first <= lines[0] and lines[1] <= last] if words else []
    if not inside:
        raise ValueError("these words are not in the lines")
    return Label(document=document.id, lines=inside[0], fact=words)


def text_of(document: Document, first: int, last: int) -> str:
    """Return what lines of a file say, white space folded."""
    return fold("\n".join(lines_of(document.text)[first - 1 : last]))


class Searcher:
    """Looks for texts that have moved or changed a little, by their words, in the current documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        self._bodies: dict[str, _Body] = {}

    def suggest(self, label: Label, text: str) -> Place | None:
        """Return the place most like a label's text: in its own document or in what replaces that one if there is one
        that is alike, else in any other; None when nothing is."""
        words = _words(text)
        if not words:
            return None
        own = self._successors(label.document)
        others = [document for id_, document in self._documents.items() if id_ not in own]
        return self._best(words, own.values()) or self._best(words, others)

    def _successors(self, document_id: str) -> dict[str, Document]:
        """Return a document, what replaces it, what replaces that, and so on."""
        found: dict[str, Document] = {}
        document = self._documents.get(document_id)
        while document and document.id not in found:
            found[document.id] = document
            document = self._documents.get(document.superseded_by or "")
        return found

    def _best(self, words: Counter[str], documents: Iterable[Document]) -> Place | None:
        needed = math.ceil(ALIKE * words.total())
        best: tuple[float, float] = (0.0, 0.0)
        place = None
        for document in documents:
            body = self._body(document) if document.status is Status.CURRENT else _NOTHING
            if _held(words, body.all) < needed:
                continue
            for lines, window in _windows(body.lines, words):
                held = _held(words, window)
                rank = (held / words.total(), held / window.total())
                if held >= needed and rank > best:
                    best, place = rank, Place(document.id, *(document.body_line + line for line in lines))
        return place

    def _body(self, document: Document) -> _Body:
        """Return the words of each line of a document's body; every document is read once."""
        if document.id not in self._bodies:
            lines = [_words(line) for line in lines_of(document.text)[document.body_line - 1 :]]
            self._bodies[document.id] = _Body(lines, Counter(word for line in lines for word in line.elements()))
        return self._bodies[document.id]


class _Body(NamedTuple):
    lines: Sequence[Counter[str]]
    all: Counter[str]


_NOTHING = _Body((), Counter())


def _windows(body: Sequence[Counter[str]], words: Counter[str]) -> Iterator[tuple[tuple[int, int], Counter[str]]]:
    """Yield each line that has one of the words, and each stretch of lines from there on that isn't much longer."""
    for start, line in enumerate(body):
        if words.keys().isdisjoint(line):
            continue
        window, size, end = Counter(line), line.total(), start
        while True:
            if body[end] and not words.keys().isdisjoint(body[end]):
                yield (start, end), window
            end += 1
            if end == len(body) or (size := size + body[end].total()) > MUCH_LONGER * words.total():
                break
            window.update(body[end])


def _words(text: str) -> Counter[str]:
    return Counter(word for part in text.casefold().split() if (word := part.strip(_MARKS)))


def _held(words: Counter[str], text: Mapping[str, int]) -> int:
    """Return how many of the words the text has, each as often as both have it."""
    return sum(min(count, text.get(word, 0)) for word, count in words.items())
