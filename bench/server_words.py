"""What PostgreSQL's own searches by words would find, beside the engine's: `python -m bench.server_words 20000`.

Rows of made-up words (as frequent as in real texts) are searched with questions of six words, by a reader who sees all
of them and by one who sees a hundredth: by tsvector with ts_rank, by pg_textsearch's BM25, and by the postings of the
engine. Printed are milliseconds, and the share of the best ten and hundred rows that is found; best is BM25 with every
count taken from the visible rows, as ranking takes it.

`--folder corpus/kestrel` does the same with the words and the golden questions of a collection: printed is the share of
the answerable questions of which words alone find a right chunk first, among the first five and ten.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
import psycopg

from bench.engines import WORDS, MadeUp
from bench.labelled import docs_of, labelled
from bench.scale import MadeUp as MadeUpVectors
from tests.postgres import folder_of, started
from webapp.core.documents.collection import load_collection
from webapp.core.documents.language import detect_language
from webapp.core.documents.model import Chunk
from webapp.core.evaluation.questions import Place, places
from webapp.core.retrieval.engines._postings import Postings, PostingsWriter, best_rows, length_norms
from webapp.core.retrieval.index import IndexFolder, build
from webapp.core.retrieval.keyword import idf
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.query_terms import query_terms
from webapp.core.retrieval.vectors import Slices

QUESTIONS = 100
TABLE = """
CREATE EXTENSION pg_textsearch;
CREATE TABLE chunks (number int PRIMARY KEY, visible int, content text, terms tsvector);
"""
INDEXES = """
UPDATE chunks SET terms = to_tsvector('simple', content);
CREATE INDEX ON chunks USING gin (terms);
CREATE INDEX ranked ON chunks USING bm25 (content) WITH (text_config = 'simple');
ANALYZE chunks
"""
BY_TSVECTOR = """
SELECT number FROM chunks, to_tsquery('simple', %s) AS asked
WHERE terms @@ asked AND visible <= %s ORDER BY ts_rank(terms, asked, 1) DESC, number LIMIT 100
"""
BY_BM25 = """
SELECT number FROM chunks WHERE visible <= %s ORDER BY content <@> to_bm25query(%s, 'ranked') LIMIT 100
"""

Found = Sequence[int]


class Exact:
    """The engine's postings, in memory."""

    def __init__(self, chunks: list[list[str]]) -> None:
        writer = PostingsWriter()
        for words in chunks:
            writer.add(words)
        self._rows = len(chunks)
        norms = length_norms(np.asarray(writer.lengths).astype("<u4"))
        self._postings = {term: Postings.unpacked([(rows, counts)], norms) for term, rows, counts in writer.take()}

    def best(self, words: list[str], visible: int) -> Found:
        """Return the best hundred rows for a reader who sees so many."""
        slices: Slices = [(0, visible)]
        known = {word: self._postings[word] for word in words if word in self._postings}
        weights = {word: idf(postings.within(slices), visible) for word, postings in known.items()}
        rows: list[int] = best_rows(weights, known, self._rows, slices, 100)[0].tolist()
        return rows


def compare(name: str, find: Callable[[list[str]], Found], exact: Callable[[list[str]], Found], asked: Any) -> None:
    """Print how long a search takes, and what it finds of what is best."""
    times, shares = [], []
    for words in asked:
        started_at = perf_counter()
        found = find(words)
        times.append(1000 * (perf_counter() - started_at))
        best = exact(words)
        shares.append([len({*found[:of]} & {*best[:of]}) / max(1, len(best[:of])) for of in (10, 100)])
    at10, at100 = np.mean(shares, axis=0)
    click.echo(f"  {name:32} {np.median(times):7.1f} ms  {at10:.3f} of 10, {at100:.3f} of 100")


@click.command()
@click.argument("rows", type=int, default=20_000)
@click.option("--folder", "folders", multiple=True, type=click.Path(exists=True, path_type=Path), help="A labelled one")
def main(rows: int, folders: tuple[Path, ...]) -> None:
    """Compare searches of so many ROWS, or of labelled folders."""
    if folders:
        for folder in folders:
            compare_folder(folder)
        return
    made_up = MadeUp(rows)
    chunks = [made_up.words(WORDS) for _ in range(rows)]
    asked = [list(dict.fromkeys(made_up.words(6))) for _ in range(QUESTIONS)]
    exact = Exact(chunks)
    with filled(chunks) as connection:
        for visible in (rows, rows // 100):
            click.echo(f"{rows:,} rows, {visible:,} visible")
            searches(connection, exact, asked, visible)


@contextmanager
def filled(chunks: list[list[str]]) -> Iterator[psycopg.Connection[Any]]:
    """Enter with a server that holds the chunks."""
    with (
        started(folder_of("pgserver"), shared_preload_libraries="pg_textsearch", shared_buffers="1GB") as server,
        psycopg.connect(server.fresh(), autocommit=True) as connection,
    ):
        fill(connection, chunks)
        yield connection


def compare_folder(folder: Path) -> None:
    """Print what the three find of what answers a folder's questions. All are given the same terms, a number each, so
    that what differs is how they rank."""
    collection = load_collection(docs_of(folder))
    with tempfile.TemporaryDirectory() as home:
        build(collection, Path(home), MadeUpVectors())
        version = IndexFolder(Path(home)).current()
        assert version is not None
        visible = version.visible(Query("?", "en"))
        entries = version.fetch(version.sample(visible, visible.rows).tolist())
        asked = []
        for question in filter(lambda one: one.answerable, labelled(folder)):
            lang = detect_language(question.question, collection.config.languages)
            weights = query_terms(question.question, lang, version, visible).search_weights
            answering = places(question, collection.documents)
            asked.append((weights, {n for n, one in enumerate(entries) if _answers(one.chunk, answering)}))
    numbers = {term: f"t{n}" for n, term in enumerate(sorted({term for one in entries for term in one.terms}))}
    chunks = [[numbers[term] for term in one.terms] for one in entries]
    click.echo(f"{folder.name}: {len(chunks)} chunks, {len(asked)} questions")
    with filled(chunks) as connection:
        for name, find in finders(connection, Exact(chunks), len(chunks)).items():
            found = [(find([numbers[term] for term in weights]), right) for weights, right in asked]
            shares = [np.mean([bool(right & {*rows[:of]}) for rows, right in found]) for of in (1, 5, 10)]
            click.echo(f"  {name:32} first {shares[0]:.3f}, of 5 {shares[1]:.3f}, of 10 {shares[2]:.3f}")


def _answers(chunk: Chunk, answering: Sequence[Place]) -> bool:
    place = chunk.location
    return any(one.overlaps(chunk.document_id, place.first_line, place.last_line) for one in answering)


def fill(connection: psycopg.Connection[Any], chunks: list[list[str]]) -> None:
    """Make the table and both indexes."""
    connection.execute(TABLE)
    with connection.cursor() as cursor, cursor.copy("COPY chunks (number, visible, content) FROM STDIN") as copy:
        for number, words in enumerate(chunks):
            copy.write_row((number, number + 1, " ".join(words)))
    connection.execute(INDEXES)


def finders(
    connection: psycopg.Connection[Any], exact: Exact, visible: int
) -> Mapping[str, Callable[[list[str]], Found]]:
    """Return the three searches by name, for a reader who sees so many rows."""

    def numbers(statement: str, *values: object) -> Found:
        return [number for (number,) in connection.execute(statement.encode(), values)]

    return {
        "postings, as the engine has them": lambda words: exact.best(words, visible),
        "tsvector, ts_rank": lambda words: numbers(BY_TSVECTOR, " | ".join(words), visible),
        "pg_textsearch, BM25": lambda words: numbers(BY_BM25, visible, " ".join(words)),
    }


def searches(connection: psycopg.Connection[Any], exact: Exact, asked: list[list[str]], visible: int) -> None:
    """Compare the three."""
    for name, find in finders(connection, exact, visible).items():
        compare(name, find, lambda words: exact.best(words, visible), asked)


if __name__ == "__main__":
    main()
