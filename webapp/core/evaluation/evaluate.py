"""How good are the answers? Every question is asked as a reader would ask it, and scored against its label.

Nothing is fitted here. Retrieval is scored by sections, found from the files whatever the chunking, so that coarse
chunks gain nothing; all figures can be computed again from the rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from webapp.core.answering.model import Answer
from webapp.core.documents.lines import lines_of
from webapp.core.documents.model import Document
from webapp.core.evaluation.metrics import Figure, auc, mean, rate, reciprocal_rank, risk_coverage
from webapp.core.evaluation.questions import Place, Question, places
from webapp.core.evaluation.regions import Regions

DEPTH = 10  # retrieved chunks that count, and sections: a coarse chunk may stand for many
KS = (1, 5)

Ask = Callable[[Question], Answer]
Progress = Callable[[int, int], None]


class NoQuestions(ValueError):
    """There is nothing to evaluate."""


@dataclass(frozen=True, slots=True)
class Found:
    """A retrieved or cited place."""

    document_id: str
    first_line: int
    last_line: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What happened to one question. `section_rank` and `document_rank` are those of the right one, 0: not found."""

    id: str
    question: str
    lang: str
    answerable: bool
    label_broken: bool
    retrieved: tuple[Found, ...]
    probability: float
    abstained: bool
    reason: str
    citations: tuple[Found, ...]
    section_rank: int
    document_rank: int
    right_source: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the row as the command prints it."""
        row = asdict(self)
        for found in row["citations"]:
            del found["score"]
        return row


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The rows, and the figures that follow from them."""

    rows: tuple[Row, ...]
    seconds: float

    @property
    def scored(self) -> list[Row]:
        """The answerable questions whose labels hold."""
        return [row for row in self.rows if row.answerable and not row.label_broken]

    @property
    def unanswerable(self) -> list[Row]:
        """The questions that must not be answered."""
        return [row for row in self.rows if not row.answerable]

    def section_recall(self, k: int) -> Figure:
        """Share of questions with the right section among the first k different ones."""
        return rate(sum(0 < row.section_rank <= k for row in self.scored), len(self.scored))

    def document_recall(self, k: int) -> Figure:
        """Share of questions with the right document among the first k different ones."""
        return rate(sum(0 < row.document_rank <= k for row in self.scored), len(self.scored))

    def risk_coverage(self) -> list[tuple[float, float, float]]:
        """(threshold, share answered, share wrong of the answered) for each threshold that could be chosen."""
        rows = [row for row in self.rows if not row.label_broken]
        return risk_coverage([row.probability for row in rows], [row.answerable for row in rows])

    def as_dict(self) -> dict[str, Any]:
        """Return everything as the command prints it: figures, of all and by language, the curve, failures, rows."""
        languages = sorted({row.lang for row in self.rows})
        return {
            **self.figures(),
            "languages": {lang: self.of(lang).figures() for lang in languages} if len(languages) > 1 else {},
            "risk_coverage": [
                {"threshold": round(at, 4), "answered": round(answered, 4), "wrong": round(wrong, 4)}
                for at, answered, wrong in self.risk_coverage()
            ],
            "failures": [asdict(one) for one in failures(self.rows)],
            "seconds": round(self.seconds, 3),
            "rows": [row.as_dict() for row in self.rows],
        }

    def figures(self) -> dict[str, Any]:
        """Return the figures alone."""
        answered = [row for row in self.scored if not row.abstained]
        refused = sum(row.abstained for row in self.unanswerable)
        wrong_source = sum(not row.right_source for row in answered)
        ranks = [1 / row.section_rank if 0 < row.section_rank <= DEPTH else 0.0 for row in self.scored]
        abstention = {
            "auc": auc([row.probability for row in self.scored], [row.probability for row in self.unanswerable]),
            "answered_when_answerable": rate(len(answered), len(self.scored)),
            "abstained_when_unanswerable": rate(refused, len(self.unanswerable)),
            "wrong_answers": rate(len(self.unanswerable) - refused, len(self.unanswerable)),
            "wrong_source": rate(wrong_source, len(answered)),
        }
        return {
            "questions": len(self.rows),
            "answerable": sum(row.answerable for row in self.rows),
            "unanswerable": len(self.unanswerable),
            "label_broken": sum(row.label_broken for row in self.rows),
            "retrieval": {
                "section_recall": {str(k): self.section_recall(k).as_dict() for k in KS},
                "document_recall": {str(k): self.document_recall(k).as_dict() for k in KS},
                "mrr10": mean(ranks).as_dict(),
            },
            "abstention": {name: figure.as_dict() for name, figure in abstention.items()},
        }

    def of(self, lang: str) -> Evaluation:
        """Return the part of it that was asked in one language."""
        return Evaluation(tuple(row for row in self.rows if row.lang == lang), self.seconds)


@dataclass(frozen=True, slots=True)
class Failure:
    """A question that didn't go well: what came first instead, and why it counts as one."""

    id: str
    question: str
    why: str
    first: Found | None  # what ranked first


def failures(rows: Sequence[Row]) -> list[Failure]:
    """Return the rows that failed, in their order."""
    return [Failure(row.id, row.question, why, next(iter(row.retrieved), None)) for row in rows if (why := _why(row))]


def _why(row: Row) -> str:
    """Say what went wrong with a question, "" when nothing did."""
    if row.label_broken:
        return "its label no longer holds in the files"
    if not row.answerable:
        return "" if row.abstained else "answered, though nothing answers it"
    found = f"the right section came {_place(row.section_rank)}"
    if row.abstained:
        return f"abstained ({row.reason}, probability {row.probability:.2f}); {found}"
    return "" if row.right_source else f"answered from a wrong place; {found}"


def _place(rank: int) -> str:
    return f"at rank {rank}" if rank else "nowhere"


def evaluate(
    questions: Sequence[Question], documents: Sequence[Document], ask: Ask, progress: Progress | None = None
) -> Evaluation:
    """Ask every question and score what comes back. `ask` must answer as the desk would, and may not know the labels.

    Raises NoQuestions.
    """
    if not questions:
        raise NoQuestions("there are no labelled questions; give a questions file with at least one line")
    started = time.monotonic()
    scorer = Scorer(documents)
    rows = []
    for done, question in enumerate(questions, 1):
        rows.append(scorer.row(question, ask(question)))
        if progress:
            progress(done, len(questions))
    return Evaluation(tuple(rows), time.monotonic() - started)


class Scorer:
    """Scores answers against labels, in the documents as they are."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._regions = {document.id: Regions(lines_of(document.text), document.body_line) for document in documents}

    def row(self, question: Question, answer: Answer) -> Row:
        """Return what one answer is worth."""
        right = places(question, self._documents)
        retrieved = tuple(
            Found(chunk.document_id, chunk.first_line, chunk.last_line, chunk.score)
            for chunk in answer.retrieved[:DEPTH]
        )
        citations = tuple(Found(one.document_id, one.first_line, one.last_line) for one in answer.citations)
        return Row(
            id=question.id,
            question=question.question,
            lang=question.lang or answer.lang,
            answerable=question.answerable,
            label_broken=question.answerable and not right,
            retrieved=retrieved,
            probability=answer.probability,
            abstained=answer.abstained,
            reason=answer.reason.value,
            citations=citations,
            section_rank=self.section_rank(retrieved, right),
            document_rank=document_rank(retrieved, right),
            right_source=any(_inside(found, right) for found in citations),
        )

    def section_rank(self, retrieved: Sequence[Found], right: Sequence[Place]) -> int:
        """Return the rank of the first section that overlaps a right place, among the different ones retrieved."""
        wanted = {
            (place.document_id, start)
            for place in right
            for start in self._starts(place.document_id, place.first_line, place.last_line)
        }
        sections = dict.fromkeys(
            (found.document_id, start)
            for found in retrieved
            for start in self._starts(found.document_id, found.first_line, found.last_line)
        )
        return _rank([section in wanted for section in sections])

    def _starts(self, document_id: str, first_line: int, last_line: int) -> list[int]:
        regions = self._regions.get(document_id)
        return regions.of(first_line, last_line) if regions else []


def document_rank(retrieved: Sequence[Found], right: Sequence[Place]) -> int:
    """Return the rank of the first right document among the different ones retrieved, 0 when there is none."""
    wanted = {place.document_id for place in right}
    documents = dict.fromkeys(found.document_id for found in retrieved)
    return _rank([document in wanted for document in documents])


def _rank(hits: Sequence[bool]) -> int:
    reciprocal = reciprocal_rank(hits)
    return round(1 / reciprocal) if reciprocal else 0


def _inside(found: Found, right: Sequence[Place]) -> bool:
    return any(place.overlaps(found.document_id, found.first_line, found.last_line) for place in right)
