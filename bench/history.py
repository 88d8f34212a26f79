"""How long agents wait for stored answers: by text, by what they cite, by vote, a page of 30 among so many.

Fills a database with made-up answers of the sample collection, then looks for some again and again: SQLite in a folder
of its own, or the empty one of a PostgreSQL server whose address is given. Figures: docs/performance.md.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import numpy as np
import sqlalchemy as sa

from webapp.core.answering.model import Answer, Citation, Reason, Statement, Trace
from webapp.core.documents.collection import load_collection
from webapp.core.documents.model import Document
from webapp.core.documents.sentences import sentence_spans
from webapp.services.gaps import MOST, grouped, wordings_of
from webapp.store.answers import Answers as StoredAnswers
from webapp.store.copying import holds_something
from webapp.store.database import Database
from webapp.store.feedback import Feedback, Vote
from webapp.store.finding import Wanted
from webapp.store.kept import Kept, Snapshot
from webapp.store.server import wait_patiently
from webapp.store.store import Store
from webapp.store.words import position_of

KESTREL = Path(__file__).parents[1] / "corpus" / "kestrel"
BEGIN = datetime(2026, 6, 1, tzinfo=UTC)
PAGE = 30
DIMENSIONS = 384
MOST_MILLISECONDS = 100  # to find an answer by text, 95 of 100
ABSTAINED = 0.3
RARE = Reason.CONFLICTING_SOURCES
SEED = 7


@click.command(help=__doc__)
@click.option("--answers", default=100_000, help="Answers that are stored")
@click.option("--rounds", default=40, help="Times that each search is made, with other words each time")
@click.option("--database", default="", help="Address of an empty database, postgresql://…; default: SQLite")
def main(answers: int, rounds: int, database: str) -> None:
    """Fill, measure, print; exit 1 when finding by text is over its limit."""
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(database or f"sqlite:///{folder}/history.db")
        if holds_something(store._database):
            raise click.UsageError("there is something in that database; give an empty one")
        started = time.perf_counter()
        made = Answers(chance)
        fill(store, made, answers)
        click.echo(f"{answers} answers in {time.perf_counter() - started:.0f} s, {megabytes(store):.0f} MB")
        slow = measure(store, searches(made, answers, chance), rounds)
        measure_gaps(store, chance)
        store.close()
    sys.exit(slow > MOST_MILLISECONDS)


def megabytes(store: Store) -> float:
    """Return the size of the database."""
    if not store._database.on_server:
        return (
            sum(file.stat().st_size for file in Path(str(store._database.engine.url.database)).parent.iterdir()) / 1e6
        )
    with store._database.reading() as connection:
        return float(connection.execute(sa.text("SELECT pg_database_size(current_database()) / 1e6")).scalar_one())


class Answers:
    """Makes answers: words as frequent as in the collection, sentences of its documents."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.documents = load_collection(KESTREL).documents
        self.sentences = {document.id: list(_sentences(document)) for document in self.documents}
        self.words = [word for found in self.sentences.values() for one in found for word in one.split()]
        self.copies = {one.id: Snapshot("kestrel", one.id, one.path, one.text, _DETAILS) for one in self.documents}

    def kept(self, number: int) -> Kept:
        """Return the answer of that number; its question holds a code that no other one has."""
        question = f"{' '.join(self._chance.choices(self.words, k=8))} {code(number)}"
        created_at = BEGIN + timedelta(seconds=100 * number)
        if self._chance.random() < ABSTAINED:
            reason = RARE if number % 1000 == 0 else self._chance.choice([Reason.NO_EVIDENCE, Reason.WEAK_EVIDENCE])
            return self._kept(number, question, created_at, reason, None)
        return self._kept(number, question, created_at, Reason.OK, self._chance.choice(self.documents))

    def _kept(self, number: int, question: str, created_at: datetime, reason: Reason, cited: Document | None) -> Kept:
        text = self._chance.choice(self.sentences[cited.id]) if cited else "We found no answer in our documents."
        answer = Answer(
            id=f"{number:022}",
            question=question,
            lang=cited.lang if cited else "en",
            collection="kestrel",
            index_version=f"v{number // 5000}",
            model="extractive",
            created_at=created_at,
            abstained=cited is None,
            reason=reason,
            confidence="high" if cited else None,
            answer=text,
            statements=(Statement(text=text, markers=(1,)),) if cited else (),
            citations=(_citation(cited, self._chance.randrange(8, 20)),) if cited else (),
        )
        copies = {cited.id: self.copies[cited.id]} if cited else {}
        return Kept(answer, Trace(None, "", "", ""), "customer", copies, asker=f"asker {number % 9973}")


_DETAILS = {"title": "", "audience": ["public"]}


def _sentences(document: Document) -> Iterator[str]:
    for section in document.sections:
        for span in sentence_spans(section.text, document.lang):
            yield section.text[span.start : span.end]


def _citation(document: Document, line: int) -> Citation:
    return Citation(
        marker=1,
        chunk_id=f"{document.id}:c1",
        document_id=document.id,
        title=document.title,
        version=document.version,
        status="current",
        lang=document.lang,
        updated=None,
        heading="",
        first_line=line,
        last_line=line + 1,
        label="",
    )


def code(number: int) -> str:
    """Return the code in the question of that number."""
    return f"KX-{number:06}"


def fill(store: Store, made: Answers, count: int) -> None:
    """Store so many answers, every twentieth with a vote, one in five of these against it."""
    with store._database.writing() as connection:  # one transaction: what is timed is finding
        together = _Together(store._database.engine, connection)
        answers, votes = StoredAnswers(together), Feedback(together)
        if together.on_server:
            wait_patiently(connection)
        for number in range(count):
            kept = made.kept(number)
            answers.add(kept)
            if number % 20 == 0:
                votes.put(kept.answer.id, "reader", Vote(good=number % 100 != 0))


class _Together(Database):
    """A database whose changes all belong to one transaction."""

    def __init__(self, engine: sa.Engine, connection: sa.Connection) -> None:
        super().__init__(engine)
        self._connection = connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """The one transaction, which somebody else ends."""
        yield self._connection


def searches(made: Answers, count: int, chance: random.Random) -> dict[str, Callable[[], Wanted]]:
    """Return what is looked for, by what the table calls it."""
    words = [word for word in made.words if len(word) > 3]
    bangla = [word for word in words if "\u0980" <= word[0] <= "\u09ff"]

    def wanted(**given: object) -> Wanted:
        return Wanted(("kestrel",), **given)  # type: ignore[arg-type]

    closed = frozenset({made.copies[made.documents[0].id].hash})
    middle = position_of(BEGIN + timedelta(seconds=50 * count))
    return {
        "text: a code that stands in one": lambda: wanted(words=code(chance.randrange(count))),
        "text: a frequent word": lambda: wanted(words="bike"),
        "text: any word": lambda: wanted(words=chance.choice(words)),
        "text: any two words": lambda: wanted(words=" ".join(chance.choices(words, k=2))),
        "text: a Bangla word": lambda: wanted(words=chance.choice(bangla)),
        "text: a word that stands nowhere": lambda: wanted(words="zeppelin"),
        "text: any word, without a closed page": lambda: wanted(words=chance.choice(words), closed=closed),
        "text: any word, oldest first": lambda: wanted(words=chance.choice(words), oldest_first=True),
        "the newest": wanted,
        "those before the middle": lambda: wanted(until=middle),
        "one document": lambda: wanted(document=chance.choice(made.documents).id),
        "two lines of a document": lambda: wanted(document=chance.choice(made.documents).id, lines=((9, 10),)),
        "one document and a word": lambda: wanted(document=made.documents[0].id, words=chance.choice(words)),
        "voted down": lambda: wanted(voted=False),
        "a rare reason": lambda: wanted(reasons=frozenset({RARE.value})),
        "the oldest index version": lambda: wanted(index_version="v0"),
        "one asker": lambda: wanted(asker=f"asker {chance.randrange(9973)}"),
        "without a closed page": lambda: wanted(closed=closed),
    }


def measure_gaps(store: Store, chance: random.Random) -> None:
    """Print how long it takes to put the open questions together by meaning, once it is known; meanings are made up."""
    noise = np.random.default_rng(chance.randrange(1000))
    found = store.gaps.newest("kestrel", frozenset(), MOST)
    near = noise.normal(size=(200, DIMENSIONS))
    vectors = (near[n % 200] + 0.5 * noise.normal(size=DIMENSIONS) for n in range(len(found)))
    rows = ((one.answer_id, vector.astype(np.float32).tobytes()) for one, vector in zip(found, vectors, strict=True))
    store.gaps.keep_vectors("made up", rows)
    taken = []
    for _ in range(10):
        start = time.perf_counter()
        wordings = wordings_of(store.gaps.newest("kestrel", frozenset(), MOST), "made up")
        groups = grouped(wordings, np.zeros(DIMENSIONS, dtype=np.float32))
        taken.append(1000 * (time.perf_counter() - start))
    click.echo(f"{len(wordings)} open questions put into {len(groups)} gaps: median {statistics.median(taken):.0f} ms")


def measure(store: Store, wanted: dict[str, Callable[[], Wanted]], rounds: int) -> float:
    """Print median, 95 of 100 and the longest of each search; return the slowest 95 of 100 of those by text."""
    click.echo(f"{'milliseconds':<40}{'median':>8}{'p95':>8}{'longest':>9}{'found':>7}")
    slowest = 0.0
    for name, make in wanted.items():
        taken, found = [], 0
        for _ in range(rounds):
            one = make()
            start = time.perf_counter()
            found += len(store.finder.page(one, PAGE + 1))
            taken.append(1000 * (time.perf_counter() - start))
        taken.sort()
        late = taken[int(0.95 * len(taken))]
        click.echo(f"{name:<40}{statistics.median(taken):>8.1f}{late:>8.1f}{taken[-1]:>9.1f}{found / rounds:>7.1f}")
        slowest = max(slowest, late if name.startswith("text") else 0.0)
    return slowest


if __name__ == "__main__":
    main()
