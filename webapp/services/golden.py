"""The golden sets: a file of labelled questions beside a collection's documents, and what is proposed for it.

The file belongs to people: a change here touches the lines it is about and no other byte, and happens only if those
lines still are what the editor saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from webapp.core.documents.config import CONFIG_FILE, GOLDEN_FILE
from webapp.core.documents.config_edit import with_number
from webapp.core.documents.lines import fold, lines_of
from webapp.core.evaluation.labels import CheckedQuestion, Searcher, check_questions
from webapp.core.evaluation.questions import Label, Place, Question
from webapp.core.evaluation.questions_file import FileLine, QuestionsFile, written
from webapp.core.retrieval.files import locked, replace_file
from webapp.core.retrieval.model import Reader
from webapp.services.closed import closed_to
from webapp.store.proposals import DISMISSED, OPEN, TAKEN, Proposal, proposal

if TYPE_CHECKING:
    from pathlib import Path

    from webapp.services.desk import Desk
    from webapp.store.store import Store

ORIGINS = ("reader", "agent", "gap")


class GoldenTrouble(StrEnum):
    """Why a golden set can't be read or changed: pages word it in the reader's language."""

    CHANGED = "changed"  # somebody else changed or removed the line in the meantime
    GONE = "gone"  # no line of the file is that question any more
    ID_TAKEN = "id_taken"
    NOT_TEXT = "not_text"  # the file is no UTF-8
    NOT_WRITTEN = "not_written"  # no right to write, no room on the disk
    UNUSABLE = "unusable"  # lines to bring in that are no questions; `lines` names them


_MESSAGES = {
    GoldenTrouble.CHANGED: "this question has been changed or removed in the meantime; look at it again",
    GoldenTrouble.GONE: "this question is no longer in the golden file, or its line can't be read",
    GoldenTrouble.ID_TAKEN: "there is a question with this id already",
    GoldenTrouble.NOT_TEXT: "the golden file is not UTF-8 text; mend it in an editor",
    GoldenTrouble.NOT_WRITTEN: "the golden file can't be written; is the folder writable, and is there room?",
    GoldenTrouble.UNUSABLE: "there are lines that can't be used; nothing was brought in",
}


class GoldenProblem(ValueError):
    """A golden set can't be read or changed; `code` says why to programs, the message to people (English)."""

    def __init__(self, code: GoldenTrouble, lines: tuple[FileLine, ...] = ()) -> None:
        super().__init__(_MESSAGES[code])
        self.code = code
        self.lines = lines


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """What importing did: how many questions are new, took the place of others, were there already, or were left
    because another one has their id."""

    added: int = 0
    replaced: int = 0
    same: int = 0
    left: int = 0


class Golden:
    """Every collection's golden set; `services.golden`."""

    def __init__(self, desk: Callable[[str], Desk], store: Store, locks: Path) -> None:
        self._desk = desk
        self._store = store
        self._locks = locks  # folder of the files that hold off other editors while one writes

    def file(self, collection: str) -> QuestionsFile:
        """Return a golden set as it is, also lines that can't be used; empty when there is none. Raises
        GoldenProblem."""
        try:
            return QuestionsFile(self._path(collection).read_bytes().decode("utf-8"))
        except FileNotFoundError:
            return QuestionsFile()
        except UnicodeDecodeError as error:
            raise GoldenProblem(GoldenTrouble.NOT_TEXT) from error

    def checked(self, collection: str) -> list[CheckedQuestion]:
        """Return the questions with their labels as they stand in the files today. Raises GoldenProblem."""
        return check_questions(self.file(collection).questions, self._desk(collection).files().documents)

    def kept_from(self, collection: str, reader: Reader) -> tuple[Question, ...]:
        """Return the questions whose answers stand in documents that the reader may not know of: to them they are not
        there. Raises GoldenProblem."""
        closed = closed_to(reader, self._desk(collection), self._store)
        return tuple(one for one in self.file(collection).questions if closed.labels(one))

    def searcher(self, collection: str) -> Callable[[Label], Place | None]:
        """Return what suggests where the text of a broken label has gone. Its words are the label's own; those of
        lines alone come from the newest index version that still has them."""
        desk = self._desk(collection)
        searcher = Searcher(desk.files().documents)
        return lambda label: searcher.suggest(label, label.fact or _text_at(label, desk.texts_of(label.document)))

    def put(self, collection: str, question: Question, replaces: str | None = None, mark: str = "") -> None:
        """Write a question: a new one at the end, or in place of the one with the id `replaces`, whose line must still
        have the `mark` that the editor saw. Raises GoldenProblem."""
        with self._writing(collection) as (file, write):
            same = file.find(question.id)
            if same and question.id != replaces:
                raise GoldenProblem(GoldenTrouble.ID_TAKEN)
            if replaces is None:
                write(file.with_added(written(question)))
            else:
                line = _unchanged(file.find(replaces), mark)
                write(file.with_changed(line.number, written(question, line.text)))

    def remove(self, collection: str, number: int, mark: str) -> None:
        """Remove the line of that number, if it still has that mark. Raises GoldenProblem."""
        with self._writing(collection) as (file, write):
            line = _unchanged(next((line for line in file.lines if line.number == number), None), mark)
            write(file.without(line.number))

    def mend(self, collection: str, number: int, mark: str, text: str) -> None:
        """Put another text in place of a line, if it still has that mark. Raises GoldenProblem, also when the text is
        no question or isn't one line."""
        given = QuestionsFile(text.strip())
        if given.problems or len(given.lines) != 1:
            raise GoldenProblem(GoldenTrouble.UNUSABLE, given.problems)
        with self._writing(collection) as (file, write):
            line = _unchanged(next((line for line in file.lines if line.number == number), None), mark)
            write(file.with_changed(line.number, given.lines[0].text))

    def bring_in(self, collection: str, text: str, replace: bool = False) -> BroughtIn:
        """Add the questions of a file's text as they are written there; of one whose id is known, only if `replace`
        says so. All or none. Raises GoldenProblem, which names the lines that can't be used."""
        given = QuestionsFile(text)
        if given.problems:
            raise GoldenProblem(GoldenTrouble.UNUSABLE, given.problems)
        with self._writing(collection) as (file, write):
            merged, done = _merged(file, given, replace)
            if done.added or done.replaced:
                write(merged)
        return done

    def allow_wrong(self, collection: str, share: float) -> None:
        """Keep in collection.toml what share (0 to 0.5) of the questions that nothing answers may be answered: the
        next index version chooses its limit by it. Raises ValueError when the file can't be changed, GoldenProblem."""
        file = self._desk(collection).folder / CONFIG_FILE
        try:
            with locked(self._locks / f"settings-{collection}"):
                text = file.read_bytes().decode("utf-8") if file.exists() else ""
                replace_file(file.resolve(), with_number(text, "max_wrong", share).encode("utf-8"))
        except OSError as error:
            raise GoldenProblem(GoldenTrouble.NOT_WRITTEN) from error

    def propose(
        self,
        collection: str,
        question: str,
        origin: str,
        answer_id: str | None = None,
        label: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> str:
        """Propose a question for the golden set; return the proposal's id. An open one that asks the same is kept,
        and learns what this one knows more.

        `origin`: reader, agent or gap. `label`: what is known of the right place, any of `document` (an id), `lines`
        ([first, last] of the file) and `fact` (its words). `note`: what the person said, shown to editors.
        Raises UnknownCollection, ValueError for an empty question or another origin.
        """
        question = fold(question)
        if not question or origin not in ORIGINS:
            raise ValueError(f"a proposal needs a question, and an origin of {', '.join(ORIGINS)}")
        name = self._desk(collection).name
        return self._store.proposals.put(proposal(name, question, origin, answer_id, label, note.strip()))

    def proposals(self, collection: str, page: int = 1, size: int = 20) -> tuple[list[Proposal], bool]:
        """Return a page of the open proposals, newest first, and whether older ones follow."""
        found = self._store.proposals.open(collection, size + 1, (page - 1) * size)
        return found[:size], len(found) > size

    def waiting(self, collection: str) -> int:
        """Return how many proposals wait for an editor."""
        return self._store.proposals.count_open(collection)

    def proposal(self, collection: str, proposal_id: str) -> Proposal | None:
        """Return a proposal of that collection, whatever became of it."""
        found = self._store.proposals.get(proposal_id)
        return found if found and found.collection == collection else None

    def take(self, proposal_id: str) -> None:
        """Say that a proposal's question has joined the golden set."""
        self._store.proposals.settle(proposal_id, TAKEN)

    def dismiss(self, proposal_id: str) -> None:
        """Put a proposal aside."""
        self._store.proposals.settle(proposal_id, DISMISSED)

    def reopen(self, proposal_id: str) -> None:
        """Undo `dismiss`."""
        self._store.proposals.settle(proposal_id, OPEN)

    def _path(self, collection: str) -> Path:
        return self._desk(collection).folder / GOLDEN_FILE

    @contextmanager
    def _writing(self, collection: str) -> Iterator[tuple[QuestionsFile, Callable[[QuestionsFile], None]]]:
        """Give the file as it is, and what replaces it whole, while no other editor can."""
        path = self._path(collection).resolve()
        try:
            with locked(self._locks / f"golden-{collection}"):
                yield self.file(collection), lambda file: replace_file(path, file.text.encode("utf-8"))
        except OSError as error:
            raise GoldenProblem(GoldenTrouble.NOT_WRITTEN) from error


def _unchanged(line: FileLine | None, mark: str) -> FileLine:
    if line is None or line.mark != mark:
        raise GoldenProblem(GoldenTrouble.CHANGED)
    return line


def _merged(file: QuestionsFile, given: QuestionsFile, replace: bool) -> tuple[QuestionsFile, BroughtIn]:
    known = {line.question.id: line for line in file.lines if line.question}
    new: list[str] = []
    replaced = same = left = 0
    for line in given.lines:
        assert line.question
        ours = known.get(line.question.id)
        if ours is None:
            new.append(line.text)
        elif ours.question == line.question:
            same += 1
        elif replace:
            file, replaced = file.with_changed(ours.number, line.text), replaced + 1
        else:
            left += 1
    return file.with_added(*new), BroughtIn(len(new), replaced, same, left)


def _text_at(label: Label, texts: Iterator[str]) -> str:
    """Return what a label's lines said in the first of the texts that is long enough to have them."""
    first, last = label.lines or (1, 0)
    for text in texts:
        lines = lines_of(text)
        if last <= len(lines):
            return fold(" ".join(lines[first - 1 : last]))
    return ""
