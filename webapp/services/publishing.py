"""Publishing a change of one page: built and tried first, written only when it is good, live in the same moment.

Nobody sees the file before the version made from it has been approved, so there is nothing to take back when it is
not; from the write to the switch the lock of index builds is held. A publication that was broken off in between is
carried on when its job is done again, for the file then is what was to be written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.core.documents.errors import DocumentError
from webapp.core.documents.head_edit import with_status
from webapp.core.documents.model import Document, Status
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.paired import PairedFigure
from webapp.core.evaluation.questions import QuestionsError
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.files import replace_file
from webapp.services.change import compare_answers, golden_figures, to_try
from webapp.services.drafts import as_file, checked_path, read_page, sha256
from webapp.services.git import Commit, commit_file
from webapp.services.measuring import golden_questions
from webapp.store.publications import Publication

if TYPE_CHECKING:
    from webapp.services.desk import Desk, Judge
    from webapp.services.work.base import Progress
    from webapp.store.drafts import Draft
    from webapp.store.store import Store


class Act(StrEnum):
    """What is done to a page."""

    PUBLISH = "publish"
    SUPERSEDE = "supersede"
    WITHDRAW = "withdraw"
    RESTORE = "restore"


STATUS_AFTER = {Act.SUPERSEDE: Status.SUPERSEDED, Act.WITHDRAW: Status.WITHDRAWN, Act.RESTORE: Status.CURRENT}


class Outcome(StrEnum):
    """How a publication ended."""

    LIVE = "live"
    FELL = "fell"  # an agreed figure fell, and there was no reason why it may
    CHANGED = "changed"  # the file is no longer the one that the change began from
    STOPPED = "stopped"  # the file could not be read, or its id is another page's
    SAME = "same"  # the file says all this already


@dataclass(frozen=True, slots=True)
class Edition:
    """A change of one page that is to be published."""

    id: str  # of the publication; the same one is never made twice
    act: Act
    path: str
    data: bytes
    base: str | None  # sha256 of the file that it changes; None: there is none yet
    author: str
    message: str
    reason: str = ""  # why it may go live although a figure falls


@dataclass(frozen=True, slots=True)
class Published:
    """How it ended. `figures` are empty without a golden set."""

    outcome: Outcome
    figures: tuple[PairedFigure, ...] = ()
    before: str | None = None
    after: str | None = None
    document_id: str = ""
    problem: str = ""
    commit: Commit = field(default_factory=lambda: Commit("none"))

    def as_dict(self) -> dict[str, Any]:
        """Return it as a job keeps it."""
        return {
            "outcome": self.outcome.value,
            "figures": [one.as_dict() for one in self.figures],
            "before": self.before,
            "after": self.after,
            "document_id": self.document_id,
            "problem": self.problem,
            "git": {"state": self.commit.state, "words": self.commit.words},
        }


def known_outcome(publication: Publication) -> dict[str, Any]:
    """Return how a publication ended that was kept already, as a job keeps it."""
    live = Published(Outcome.LIVE, (), publication.before, publication.after, publication.document_id)
    return live.as_dict() | {"figures": publication.figures.get("agreed", [])}


class _NotPublished(Exception):
    """Ends a build whose version is not to go live."""

    def __init__(self, published: Published) -> None:
        super().__init__(published.outcome.value)
        self.published = published


def edition_of_draft(draft: Draft, folder: Path, about: Mapping[str, str]) -> Edition:
    """Return the change that a draft makes. `about`: id, author, message, reason."""
    data = as_file(draft.text, read_page(folder, draft.path))
    return Edition(act=Act.PUBLISH, path=draft.path, data=data, base=draft.base, **about)


def edition_of_status(
    folder: Path, act: Act, path: str, base: str, about: Mapping[str, str], successor: str | None = None
) -> Edition:
    """Return the change of a page's status, which touches no other byte. Raises DocumentError, DraftError."""
    now = read_page(folder, checked_path(path, folder)) or b""
    data = with_status(now, STATUS_AFTER[act], successor if act is Act.SUPERSEDE else None)
    return Edition(act=act, path=path, data=data, base=base, **about)


def publish(store: Store, desk: Desk, edition: Edition, progress: Progress) -> Published:
    """Publish a change, or say why it is not. What is served and the files stay as they are then.

    Raises as `Desk.index` does, OSError for a file that can't be written, Cancelled.
    """
    now = read_page(desk.folder, edition.path)
    refused = _refused(desk, edition, now)
    if refused:
        return refused
    progress("reading", 0, 0)
    attempt = _Attempt(desk, edition, progress, already=now == edition.data)
    try:
        with attempt:
            report = desk.publish({edition.path: edition.data}, attempt.approve, progress, edition.author)
    except _NotPublished as ended:
        return ended.published
    commit = commit_file(desk.folder, edition.path, edition.author, edition.message)
    published = Published(
        Outcome.LIVE, attempt.figures, attempt.before, report.version, attempt.document_id, commit=commit
    )
    store.publications.add(_publication(desk, edition, published))
    return published


def _refused(desk: Desk, edition: Edition, now: bytes | None) -> Published | None:
    """Return why the change can't be published at all."""
    state = sha256(now) if now is not None else None
    if now == edition.data and state == edition.base:
        return Published(Outcome.SAME)
    if now != edition.data and state != edition.base:
        return Published(Outcome.CHANGED)
    try:
        document = _read(desk, edition)
    except DocumentError as error:
        return Published(Outcome.STOPPED, problem=str(error))
    problem = _clash(desk, document)
    return Published(Outcome.STOPPED, problem=problem) if problem else None


def _read(desk: Desk, edition: Edition) -> Document:
    """Read what is to be written. Raises DocumentError, also where flags in the head overrule its status."""
    document = document_from_bytes(edition.data, edition.path, desk.files().config)
    wanted = STATUS_AFTER.get(edition.act, document.status)
    if document.status is not wanted:
        raise DocumentError(f"the head also says that the page is {document.status.value}; edit the page instead", 1)
    return document


def _clash(desk: Desk, document: Document) -> str:
    others = (one for one in desk.files().documents if one.path != document.path and one.declared_id)
    same = [one.path for one in others if one.id == document.id and document.declared_id]
    return f"the id {document.id} is also that of {', '.join(same)}; give each its own" if same else ""


def _publication(desk: Desk, edition: Edition, published: Published) -> Publication:
    return Publication(
        id=edition.id,
        collection=desk.name,
        path=edition.path,
        document_id=published.document_id,
        act=edition.act.value,
        author=edition.author,
        message=edition.message,
        override=edition.reason or None if any(one.fell for one in published.figures) else None,
        before=published.before,
        after=published.after,
        figures={"agreed": [one.as_dict() for one in published.figures]},
        created_at=datetime.now(UTC),
    )


class _Attempt:
    """One try to publish: approves the new version, writes the file, and puts it back if the switch then fails."""

    def __init__(self, desk: Desk, edition: Edition, progress: Progress, already: bool) -> None:
        self._desk = desk
        self._edition = edition
        self._progress = progress
        self._already = already  # the file is written: an earlier try was broken off after that
        self._undo: bytes | None = None
        self._written = False
        self._live = desk.live()
        self.before = self._live.manifest.id
        self.figures: tuple[PairedFigure, ...] = ()
        self.document_id = ""

    def approve(self, version: IndexVersion, judge: Judge) -> None:
        """Compare the golden figures of the version with those of the live one, and write the file if none fell.

        Raises _NotPublished.
        """
        path = self._edition.path
        self.document_id = next((one.id for one in version.documents().values() if one.path == path), "")
        if not self.document_id:
            held = (one.problem for one in version.manifest.held_back if one.path == path)
            raise _NotPublished(self._ended(Outcome.STOPPED, next(held, "")))
        self.figures = self._compared(version, judge)
        if any(one.fell for one in self.figures) and not self._edition.reason and not self._already:
            raise _NotPublished(self._ended(Outcome.FELL))
        self._write()

    def _compared(self, version: IndexVersion, judge: Judge) -> tuple[PairedFigure, ...]:
        tried = to_try(_golden(self._desk.folder))
        asks = self._desk.asker(self._live), self._desk.asker(version, judge)
        compared = list(compare_answers(*asks, tried, self._progress))
        return golden_figures(compared, self._live, version, self._edition.path)

    def _write(self) -> None:
        """Write the file, unless it has changed since the build began. Raises _NotPublished, OSError."""
        edition, folder = self._edition, self._desk.folder
        now = read_page(folder, checked_path(edition.path, folder))
        if now == edition.data:
            return
        if (sha256(now) if now is not None else None) != edition.base:
            raise _NotPublished(self._ended(Outcome.CHANGED))
        self._undo, self._written = now, True
        write_page(folder / edition.path, edition.data)

    def __enter__(self) -> _Attempt:
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if kind is None or not self._written:
            return
        file = self._desk.folder / self._edition.path
        if self._undo is None:
            file.unlink(missing_ok=True)
        else:
            write_page(file, self._undo)

    def _ended(self, outcome: Outcome, problem: str = "") -> Published:
        return Published(outcome, self.figures, self.before, document_id=self.document_id, problem=problem)


def write_page(file: Path, data: bytes) -> None:
    """Write a page whole, with the rights that its file had; what an earlier, killed try left is cleared away.

    Raises OSError, in words for whoever publishes.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        for part in file.parent.glob(f".{_as_pattern(file.name)}.*.part"):
            part.unlink(missing_ok=True)
        with _same_rights(file):
            replace_file(file, data)
    except OSError as error:
        raise OSError(
            f"{file.name} can't be written ({error.strerror}): its folder must be open to the program for writing, "
            "and the disk must have room"
        ) from error


@contextmanager
def _same_rights(file: Path) -> Iterator[None]:
    mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else None
    yield
    if mode is not None:
        os.chmod(file, mode)


def _as_pattern(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def _golden(folder: Path) -> tuple[Any, ...]:
    """Return the golden set; one that can't be read checks nothing, as it calibrates nothing."""
    try:
        return golden_questions(folder)
    except QuestionsError:
        return ()
