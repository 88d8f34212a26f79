"""Labelled questions: one JSON object a line, labels that are lines or facts and so survive re-chunking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError, model_validator

from webapp.core.documents.lines import lines_of
from webapp.core.documents.model import Document, Span, Status


class QuestionsError(ValueError):
    """A questions file can't be used; the message names file, line and what to mend."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a document that answer a question: 1-based lines of the file, both ends included."""

    document_id: str
    first_line: int
    last_line: int

    def overlaps(self, document_id: str, first_line: int, last_line: int) -> bool:
        """Tell whether those lines share one with this place."""
        return self.document_id == document_id and self.first_line <= last_line and first_line <= self.last_line


class Label(BaseModel, frozen=True, extra="forbid"):
    """A right place as it stands in the file: a document, and lines or a fact (the words themselves) or both."""

    document: str = Field(min_length=1)
    lines: tuple[int, int] | None = None
    fact: str | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _says_where(self) -> Label:
        if self.lines is None and self.fact is None:
            raise ValueError('needs "lines" or a "fact"')
        if self.lines and not 1 <= self.lines[0] <= self.lines[1]:
            raise ValueError('"lines" must be [first, last], counted from 1')
        return self


class Question(BaseModel, frozen=True, extra="forbid"):
    """One labelled question. `labels` is empty for those that the collection can't answer."""

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answerable: bool
    labels: tuple[Label, ...] = ()
    lang: str | None = None  # None: found out as for any other question

    @model_validator(mode="after")
    def _labels_fit(self) -> Question:
        if self.answerable and not self.labels:
            raise ValueError('an answerable question needs a "document" with "lines" or a "fact"')
        if not self.answerable and self.labels:
            raise ValueError("a question that can't be answered has no document, lines or fact")
        return self


def read_questions(file: Path) -> tuple[Question, ...]:
    """Read a questions file; blank lines are skipped. Raises QuestionsError."""
    try:
        lines = lines_of(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"{file}: can't be read as UTF-8 text ({error})") from error
    return parse_questions(lines, file.name)


def parse_questions(lines: Iterable[str], name: str) -> tuple[Question, ...]:
    """Parse the lines of a questions file; `name` is used in messages. Raises QuestionsError."""
    seen: dict[str, int] = {}
    questions = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            question = parse_question(line)
        except QuestionsError as error:
            raise QuestionsError(f"{name}, line {number}: {error}") from error
        if question.id in seen:
            raise QuestionsError(f"{name}, line {number}: id {question.id!r} is also that of line {seen[question.id]}")
        seen[question.id] = number
        questions.append(question)
    return tuple(questions)


def parse_question(line: str) -> Question:
    """Parse one line of a questions file. Raises QuestionsError, which names no place."""
    try:
        flat = _FlatQuestion.model_validate_json(line)
        return Question(
            id=flat.id, question=flat.question, answerable=flat.answerable, labels=flat.labels(), lang=flat.lang
        )
    except ValidationError as error:
        raise QuestionsError(first_problem(error)) from error


def first_problem(error: ValidationError) -> str:
    """Say in one line what pydantic found first: the field, and what is wrong with it."""
    problem = error.errors()[0]
    field = ".".join(str(part) for part in problem["loc"])
    message = problem["msg"].removeprefix("Value error, ")
    return f"{field}: {message}" if field else message


class _FlatQuestion(BaseModel, extra="ignore"):
    """The form on disk: the first label's fields stand beside the question, further ones under `also`."""

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answerable: bool
    document: str | None = None
    lines: tuple[int, int] | None = None
    fact: str | None = None
    also: tuple[Label, ...] = ()
    lang: str | None = None

    @model_validator(mode="after")
    def _lines_of_what(self) -> _FlatQuestion:
        if self.document is None and (self.lines or self.fact or self.also):
            raise ValueError('"lines", "fact" and "also" need a "document"')
        return self

    def labels(self) -> tuple[Label, ...]:
        if self.document is None:
            return ()
        return (Label(document=self.document, lines=self.lines, fact=self.fact), *self.also)


def as_line(question: Question) -> dict[str, Any]:
    """Return the question as the JSON object of its line in a questions file."""
    labels = [label.model_dump(mode="json", exclude_none=True) for label in question.labels]
    line: dict[str, Any] = {"id": question.id, "question": question.question, "answerable": question.answerable}
    line |= labels[0] if labels else {}
    line |= {"also": labels[1:]} if labels[1:] else {}
    return line | ({"lang": question.lang} if question.lang else {})


def places(question: Question, documents: Sequence[Document]) -> tuple[Place, ...]:
    """Return the lines that the question's labels mean today; those that no longer hold are left out.

    A fact is looked up in the text, so it follows its words when lines shift; with lines too, the nearest
    occurrence counts.
    """
    by_id = {document.id: document for document in documents}
    found = []
    for label in question.labels:
        document = by_id.get(label.document)
        if document is not None and document.status is Status.CURRENT:
            found += [Place(document.id, *lines) for lines in label_lines(label, document)]
    return tuple(found)


def label_is_broken(question: Question, documents: Sequence[Document]) -> bool:
    """Tell whether an answerable question has no place left: document gone or not current, lines or fact not there."""
    return question.answerable and not places(question, documents)


def label_lines(label: Label, document: Document) -> list[tuple[int, int]]:
    """Return the lines that a label means in its document as it is now; none when it no longer holds."""
    if label.fact is None:
        lines = label.lines or (0, 0)
        return [lines] if lines[1] <= len(document.line_starts) else []
    found = find_fact(label.fact, document)
    if found and label.lines:
        wanted = label.lines[0]
        return [min(found, key=lambda lines: abs(lines[0] - wanted))]
    return found


def find_fact(fact: str, document: Document) -> list[tuple[int, int]]:
    """Return the lines of every place where the document says exactly these words; see `fact_spans`."""
    spans = fact_spans(fact, document)
    return [(document.line_at(span.start), document.line_at(span.end - 1)) for span in spans]


def fact_spans(fact: str, document: Document) -> list[Span]:
    """Return the file offsets of every place where the document says exactly these words.

    White space and case don't count; words are looked for in the file's own characters first, then in the plain
    text, where Markdown's marks no longer stand between them.
    """
    pattern = re.compile(r"\s+".join(re.escape(word) for word in fact.split()), re.IGNORECASE)
    body = document.line_starts[min(document.body_line, len(document.line_starts)) - 1]
    spans = [Span(*match.span()) for match in pattern.finditer(document.text, body)]
    if not spans:
        for section in document.sections:
            plain = section.plain
            for match in pattern.finditer(plain.text):
                first, last = plain.raw_start(match.start()), plain.raw_end(match.end() - 1)
                spans.append(Span(section.start + first, section.start + last))
    return spans
