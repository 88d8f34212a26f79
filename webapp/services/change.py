"""What would a change of a page change? The same questions, asked of what is served and of what would be."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any

from webapp.core.answering.model import Answer
from webapp.core.answering.question import InvalidQuestion
from webapp.core.documents.differences import compare_texts, new_place
from webapp.core.documents.lines import fold
from webapp.core.documents.model import Document
from webapp.core.evaluation.evaluate import Scorer
from webapp.core.evaluation.paired import Pair, PairedFigure, paired_figures
from webapp.core.evaluation.questions import Label, Question
from webapp.core.retrieval.engine import IndexVersion
from webapp.services.copies import document_in
from webapp.services.model import AskOptions

if TYPE_CHECKING:
    from webapp.services.desk import Asker, Desk
    from webapp.services.work.base import Progress
    from webapp.store.asked import Asked

ASKED = 200  # real questions that are tried by default


class ChangeKind(StrEnum):
    """How an answer changes, the worst first."""

    ABSTAINS = "abstains"
    SOURCE = "source"
    TEXT = "text"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Tried:
    """A question that is tried: labelled, or one that readers asked so many times."""

    question: str
    lang: str | None = None
    times: int = 0
    golden: Question | None = None
    answer_id: str = ""  # of a real question: one of its answers


@dataclass(frozen=True, slots=True)
class Compared:
    """A question's answers before and after."""

    tried: Tried
    before: Answer
    after: Answer

    @property
    def kind(self) -> ChangeKind | None:
        """How the answer changes; None when it stays, also where its lines only moved."""
        if self.before.abstained or self.after.abstained:
            if self.before.abstained and self.after.abstained:
                return None
            return ChangeKind.ANSWERED if self.before.abstained else ChangeKind.ABSTAINS
        if _sources(self.before) != _sources(self.after):
            return ChangeKind.SOURCE
        return ChangeKind.TEXT if fold(self.before.answer) != fold(self.after.answer) else None

    def as_dict(self) -> dict[str, Any]:
        """Return the change as it is kept: of a reader's question the answer that has its words, so that they are gone
        when that is erased."""
        golden = self.tried.golden
        return {
            "kind": self.kind,
            "question": None if self.tried.answer_id else self.tried.question,
            "answer_id": self.tried.answer_id,
            "lang": self.before.lang,
            "times": self.tried.times,
            "answerable": golden.answerable if golden else None,
            "before": _side(self.before),
            "after": _side(self.after),
        }


def to_try(
    golden: Sequence[Question], asked: Sequence[Asked] = (), most: int = 0, wanted: Sequence[str] = ()
) -> list[Tried]:
    """Return the labelled questions, those that the page is `wanted` for, then the `most` real ones asked most often
    that are not among them; each once."""
    tried = {_key(one.question): Tried(one.question, one.lang, golden=one) for one in golden}
    for question in wanted:
        tried.setdefault(_key(question), Tried(question))
    real = (one for one in asked if _key(one.question) not in tried)
    tried |= {
        _key(one.question): Tried(one.question, one.lang, one.times, answer_id=one.answer_id)
        for one in islice(real, most)
    }
    return list(tried.values())


def compare_answers(before: Asker, after: Asker, tried: Sequence[Tried], progress: Progress) -> Iterator[Compared]:
    """Ask every question of both, and yield what came back; questions that can no longer be asked are left out."""
    for done, one in enumerate(tried):
        progress("asking", done, len(tried))
        options = AskOptions(lang=one.lang)
        try:
            yield Compared(one, before(one.question, options), after(one.question, options))
        except InvalidQuestion:
            continue
    progress("asking", len(tried), len(tried))


def what_would_change(desk: Desk, path: str, data: bytes, tried: Sequence[Tried], progress: Progress) -> dict[str, Any]:
    """Return which answers change if the file at that path held these bytes, and the golden figures of both.

    Nothing that is served or kept is touched but known vectors. Raises as `Desk.index` does, DocumentError.
    """
    started, live = time.monotonic(), desk.live()
    with desk.trying({path: data}, progress) as version:
        compared = list(compare_answers(desk.asker(live), desk.asker(version), tried, progress))
        figures = golden_figures(compared, live, version, path)
        document = at_path(version, path)
    return {
        "live": live.manifest.id,
        "document_id": document.id if document else None,
        "questions": len(compared),
        "golden": sum(one.tried.golden is not None for one in compared),
        "figures": [one.as_dict() for one in figures],
        "changes": [one.as_dict() for one in _changes(compared)],
        "seconds": round(time.monotonic() - started, 1),
    }


def _changes(compared: Sequence[Compared]) -> list[Compared]:
    """Return the answers that change, the worst kind first, those asked most often before others."""
    order = list(ChangeKind)
    changed = [(order.index(one.kind), -one.tried.times, one) for one in compared if one.kind]
    return [one for _, _, one in sorted(changed, key=lambda ranked: ranked[:2])]


def golden_figures(
    compared: Sequence[Compared], before: IndexVersion, after: IndexVersion, path: str
) -> tuple[PairedFigure, ...]:
    """Return the agreed figures of both versions, over those of the questions that are labelled."""
    labelled = [(one, one.tried.golden) for one in compared if one.tried.golden]
    if not labelled:
        return ()
    old, new = documents_of(before), documents_of(after)
    was, now = (next((one for one in side if one.path == path), None) for side in (old, new))
    scorers = Scorer(old), Scorer(new)
    pairs = [
        Pair(question, scorers[0].row(question, one.before), scorers[1].row(_moved(question, was, now), one.after))
        for one, question in labelled
    ]
    changed = now or was
    return paired_figures(pairs, changed.id if changed else "")


def documents_of(version: IndexVersion) -> list[Document]:
    """Return every document as the version holds it."""
    return [document for id_ in version.documents() if (document := document_in(version, id_))]


def at_path(version: IndexVersion, path: str) -> Document | None:
    """Return the document whose file is at that path."""
    found = next((stored.id for stored in version.documents().values() if stored.path == path), None)
    return document_in(version, found) if found else None


def _moved(question: Question, was: Document | None, now: Document | None) -> Question:
    """Return the question with its labels in the page where they stand now: lines that only moved, and facts that its
    successor says."""
    mine = [label for label in question.labels if was and label.document == was.id]
    if not mine or was is None or now is None:
        return question
    rows = compare_texts(was.text, now.text)
    labels = []
    for label in question.labels:
        place = new_place(rows, *label.lines) if label in mine and label.lines and label.fact is None else None
        labels.append(label.model_copy(update={"lines": place}) if place else label)
    if now.superseded_by:
        labels += [Label(document=now.superseded_by, fact=label.fact) for label in mine if label.fact]
    return question.model_copy(update={"labels": tuple(labels)})


def _sources(answer: Answer) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({(one.document_id, one.heading) for one in answer.citations}))


def _side(answer: Answer) -> dict[str, Any]:
    cited = ("document_id", "title", "heading", "first_line", "last_line", "lang")
    return {
        "abstained": answer.abstained,
        "reason": answer.reason.value,
        "answer": "" if answer.abstained else answer.answer,
        "citations": [{name: getattr(one, name) for name in cited} for one in answer.citations],
    }


def _key(question: str) -> str:
    return fold(question).casefold()
