"""What the pages leave open: questions without an answer, and with one that readers found unhelpful, by meaning."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from webapp.core.documents.lines import fold
from webapp.core.retrieval.chosen import embedder_of
from webapp.core.retrieval.embedders.base import Embedder, Vectors
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.model import Query, Reader
from webapp.core.retrieval.words import terms
from webapp.services.model import Listed, StoredAnswer
from webapp.store.gaps import OpenQuestion
from webapp.store.words import position_of

if TYPE_CHECKING:
    from webapp.services.desk import Desk
    from webapp.services.root import Services
    from webapp.services.work.base import Progress
    from webapp.store.accounts import Account
    from webapp.store.drafts import Draft

MOST = 2000  # open questions that are looked at, the newest
AT_ONCE = 16  # questions whose meaning a page finds out by itself; more are a worker's
SAMPLE = 256  # chunks that the middle of a collection's meanings is taken from
# Two questions are one gap from this cosine on, measured from that middle: raw ones differ from embedder to embedder.
# On 34 questions of 14 kinds, e5-small finds more than half of the pairs that mean the same, and joins 1.5 % of others.
NEAR = 0.63
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Wording:
    """A question in the same words, up to case, inflection and signs."""

    question: str  # as it was asked last
    lang: str
    answer_ids: tuple[str, ...]  # the newest first
    down: int
    last_asked: datetime
    dismissed: bool
    vector: bytes | None  # None: its meaning is not known yet


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions that want the same, the most asked wording first."""

    wordings: tuple[Wording, ...]
    nearest: Listed | None = None

    @property
    def id(self) -> str:
        """The answer that it is told by: the newest to the most asked wording."""
        return self.wordings[0].answer_ids[0]

    @property
    def answer_ids(self) -> tuple[str, ...]:
        """Every answer in it."""
        return tuple(id_ for one in self.wordings for id_ in one.answer_ids)

    @property
    def down(self) -> int:
        """How often readers found an answer unhelpful."""
        return sum(one.down for one in self.wordings)

    @property
    def last_asked(self) -> datetime:
        """When one of them was asked last."""
        return max(one.last_asked for one in self.wordings)

    @property
    def dismissed(self) -> bool:
        """Whether an editor has put it aside; later questions that mean the same go with it."""
        return any(one.dismissed for one in self.wordings)


@dataclass(frozen=True, slots=True)
class Overview:
    """A part of a collection's gaps."""

    gaps: tuple[Gap, ...]
    count: int  # of all, aside or not as asked for
    aside: int  # how many are put aside
    unread: int = 0  # wordings whose meaning is not known yet: each stands alone until a worker has read it


class Gaps:
    """The gaps of every collection; `services.gaps`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store.gaps

    def overview(self, collection: str, reader: Reader, page: int = 1, size: int = 20, aside: bool = False) -> Overview:
        """Return a page of the gaps, the most asked first: of those put aside, or of the others."""
        wordings = self._wordings(collection, reader)
        unread = _unread(wordings)
        if unread and len(unread) <= AT_ONCE:
            self.read(collection, unread)
            wordings, unread = self._wordings(collection, reader), []
        groups = self._groups(collection, reader, wordings)
        chosen = [one for one in groups if one.dismissed == aside]
        shown = chosen[(page - 1) * size : page * size]
        gaps = tuple(Gap(one.wordings, self._nearest(one, reader)) for one in shown)
        return Overview(gaps, len(chosen), sum(one.dismissed for one in groups), len(unread))

    def groups(self, collection: str, reader: Reader) -> list[Gap]:
        """Return all gaps, the most asked first, without the pages near them. The same questions always give the
        same."""
        return self._groups(collection, reader, self._wordings(collection, reader))

    def gap(self, collection: str, reader: Reader, gap_id: str) -> Gap | None:
        """Return the gap that an answer is part of."""
        return next((one for one in self.groups(collection, reader) if gap_id in one.answer_ids), None)

    def put_aside(self, gap: Gap, aside: bool = True) -> None:
        """Take a gap off the list, or bring it back."""
        self._store.dismiss(gap.answer_ids, aside)

    def propose(self, collection: str, gap: Gap) -> None:
        """Propose its wordings for the golden set."""
        for one in gap.wordings:
            self._services.golden.propose(collection, one.question, "gap", one.answer_ids[0])

    def write(self, gap: Gap, desk: Desk, account: Account) -> Draft:
        """Begin a draft of a page that answers a gap, with its questions to be labelled there. Raises DraftError."""
        questions = [
            {"question": one.question, "lang": one.lang, "answerable": True, "answers": list(one.answer_ids)}
            for one in gap.wordings
        ]
        return self._services.drafts.begin(account, desk, page_for(gap), questions=questions)

    def unread(self, collection: str, reader: Reader) -> list[Wording]:
        """Return the wordings whose meaning is not known yet."""
        return _unread(self._wordings(collection, reader))

    def read(self, collection: str, wordings: Sequence[Wording], progress: Progress | None = None) -> None:
        """Find out what wordings mean, and keep it."""
        embedder = self._embedder(collection)
        for start in range(0, len(wordings), _BATCH):
            batch = wordings[start : start + _BATCH]
            vectors = embedder.passages([one.question for one in batch])
            rows = ((one.answer_ids[0], row.tobytes()) for one, row in zip(batch, vectors, strict=True))
            self._store.keep_vectors(embedder.name, rows)
            if progress:
                progress("comparing", start + len(batch), len(wordings))

    def _wordings(self, collection: str, reader: Reader) -> list[Wording]:
        days = self._services.settings.retention_days
        since = position_of(datetime.now(UTC) - timedelta(days=days)) if days else None
        questions = self._store.newest(collection, self._services.history.closed(reader), MOST, since)
        return wordings_of(questions, self._embedder(collection).name)

    def _groups(self, collection: str, reader: Reader, wordings: Sequence[Wording]) -> list[Gap]:
        middle = middle_of(self._services.desk(collection).live(), reader)
        groups = [Gap(tuple(sorted(found, key=_most_asked))) for found in grouped(wordings, middle)]
        return sorted(groups, key=lambda one: (-len(one.answer_ids), -one.last_asked.timestamp(), one.id))

    def _embedder(self, collection: str) -> Embedder:
        return embedder_of(self._services.desk(collection).live().manifest)

    def _nearest(self, gap: Gap, reader: Reader) -> Listed | None:
        """The page that came nearest when it was last asked, if the reader may open it."""
        opened = self._services.answer(gap.id, reader)
        if not isinstance(opened, StoredAnswer):
            return None
        answer = opened.answer
        near = [one.document_id for one in answer.citations] + [one.document_id for one in answer.nearest]
        shelf = self._services.desk(answer.collection).shelf(reader)
        return next(filter(None, map(shelf.entry, near)), None)


def wordings_of(questions: Iterable[OpenQuestion], embedder: str) -> list[Wording]:
    """Put questions in the same words together; `questions` come the newest first."""
    alike: dict[tuple[str, ...], list[OpenQuestion]] = {}
    for one in questions:
        alike.setdefault(tuple(terms(one.question, one.lang)) or (one.question,), []).append(one)
    return [_wording(found, embedder) for found in alike.values()]


def page_for(gap: Gap) -> str:
    """Return the begin of a page that answers a gap: its head, and the question as a heading."""
    first = gap.wordings[0]
    title = json.dumps(first.question, ensure_ascii=False)  # YAML reads it as it is
    return f"---\ntitle: {title}\nversion: 1\nstatus: current\nlang: {first.lang}\n---\n\n## {first.question}\n\n"


def middle_of(version: IndexVersion, reader: Reader) -> Vectors:
    """Return the mean vector of a sample of the chunks that the reader may see; zeros when there are none."""
    visible = version.visible(Query("", "en", reader))
    entries = version.fetch(list(version.sample(visible, SAMPLE)))
    if not entries:
        return np.zeros(version.manifest.dim, dtype=np.float32)
    middle: Vectors = np.mean([entry.vector for entry in entries], axis=0, dtype=np.float32)
    return middle


def grouped(wordings: Sequence[Wording], middle: Vectors) -> list[list[Wording]]:
    """Return wordings that mean the same together: each joins the group whose first one is nearest, or begins its own.

    Those put aside begin, so that what is asked later joins them; then the most asked.
    """
    ordered = sorted(wordings, key=lambda one: (not one.dismissed, *_most_asked(one)))
    vectors = np.stack([_from(middle, one.vector) for one in ordered]) if ordered else np.zeros((0, len(middle)))
    alike = vectors @ vectors.T
    firsts: list[int] = []  # place of the first one of each group
    groups: list[list[Wording]] = []
    for place, one in enumerate(ordered):
        near = alike[place, firsts]
        if firsts and near.max() >= NEAR:
            groups[int(near.argmax())].append(one)
        else:
            firsts.append(place)
            groups.append([one])
    return groups


def _from(middle: Vectors, vector: bytes | None) -> Vectors:
    """Return a meaning as seen from the middle, of length 1; zeros, near to nothing, where it is not known."""
    given = np.frombuffer(vector, dtype=np.float32) if vector else np.zeros(0, dtype=np.float32)
    if not given.any():
        return np.zeros_like(middle)
    seen: Vectors = given - middle
    length = np.linalg.norm(seen)
    return seen / length if length else seen


def _unread(wordings: Iterable[Wording]) -> list[Wording]:
    return [one for one in wordings if one.vector is None]


def _wording(questions: Sequence[OpenQuestion], embedder: str) -> Wording:
    newest = questions[0]
    return Wording(
        question=fold(newest.question),
        lang=newest.lang,
        answer_ids=tuple(one.answer_id for one in questions),
        down=sum(one.down for one in questions),
        last_asked=newest.at,
        dismissed=any(one.dismissed for one in questions),
        vector=next((one.vector for one in questions if one.embedder == embedder), None),
    )


def _most_asked(one: Wording) -> tuple[int, float, str]:
    return -len(one.answer_ids), -one.last_asked.timestamp(), one.answer_ids[0]
