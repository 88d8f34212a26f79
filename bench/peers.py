"""Search beside other engines and frameworks: `python -m bench.peers 10000` (set up by `make peers`).

All get the same chunks, of which four in ten may be answered from (the others are superseded), the same vectors of 384
dimensions and the same questions, and look for the best 100; ours fuses them and reads the best ten. Said of each:
seconds to take in the chunks, milliseconds of a search (median, 95 of 100), and for search by meaning the share of the
true ten nearest that it found. What embeds the question is left out everywhere.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from bench.scale import SECTIONS, MadeUp, Writer
from webapp.core.documents.collection import load_collection
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.index import IndexFolder, build
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.query_terms import query_terms
from webapp.core.retrieval.retriever import Retriever

LIMIT = 100
NEAREST = 10
ROUNDS = 100
BATCH = 5_000

Search = Callable[[int], Sequence[int]]  # number of a question → rows, best first


@dataclass(frozen=True, eq=False)
class Data:
    """What everybody searches: chunks by their rows, and the questions."""

    texts: list[str]
    vectors: Vectors
    allowed: NDArray[np.bool_]
    questions: list[str]
    asked: Vectors
    version: IndexVersion
    folder: Path

    def rows(self) -> range:
        """Return every row."""
        return range(len(self.texts))


def ours_by_meaning(data: Data) -> Search:
    """Exact, over memory-mapped vectors."""
    visible = data.version.visible(Query("?", "en"))
    return lambda n: data.version.search_meaning(data.asked[n], visible, LIMIT)[0].tolist()


def ours_by_words(data: Data) -> Search:
    """Tantivy, weighed by what the reader may see; the question's words are looked up as well."""
    version = data.version

    def search(n: int) -> Sequence[int]:
        query = Query(data.questions[n], "en")
        visible = version.visible(query)
        terms = query_terms(query.text, query.lang, version, visible)
        rows: list[int] = version.search_words(terms.search_weights, visible, LIMIT)[0].tolist()
        return rows

    return search


def ours(data: Data) -> Search:
    """Both, fused by eight features of each chunk, with the signals to judge by."""
    retriever = Retriever(data.version, MadeUp())
    return lambda n: [hit.chunk.ordinal for hit in retriever.retrieve(Query(data.questions[n], "en")).hits]


def faiss_flat(data: Data) -> Search:
    """Exact, with the allowed rows as a bitmap."""
    import faiss

    index = faiss.IndexFlatIP(data.vectors.shape[1])
    index.add(data.vectors)
    chosen = faiss.SearchParameters(sel=faiss.IDSelectorBitmap(np.packbits(data.allowed, bitorder="little")))
    return lambda n: index.search(data.asked[n : n + 1], LIMIT, params=chosen)[1][0].tolist()


def bm25s_words(data: Data) -> Search:
    """Scores worked out beforehand; its own tokeniser, and a mask for the allowed rows."""
    import bm25s

    index = bm25s.BM25()
    index.index(bm25s.tokenize(data.texts, show_progress=False), show_progress=False)
    mask = data.allowed.astype(np.float32)

    def search(n: int) -> Sequence[int]:
        asked = bm25s.tokenize(data.questions[n], show_progress=False)
        rows: list[int] = index.retrieve(asked, k=LIMIT, weight_mask=mask, show_progress=False)[0][0].tolist()
        return rows

    return search


def _lance(data: Data) -> Any:
    import lancedb
    from lancedb.index import Bitmap

    table = lancedb.connect(str(data.folder / "lance")).create_table(
        "chunks",
        [
            {"row": row, "text": data.texts[row], "allowed": bool(data.allowed[row]), "vector": data.vectors[row]}
            for row in data.rows()
        ],
        mode="overwrite",
    )
    table.create_index("allowed", config=Bitmap())
    return table


def rows_found(query: Any) -> list[int]:
    """Return the rows that a query of LanceDB finds."""
    rows: list[int] = query.limit(LIMIT).to_arrow()["row"].to_pylist()
    return rows


def lance_by_meaning(data: Data) -> Search:
    """Without an index of vectors, so exact; filtered first."""
    table = _lance(data)

    def search(n: int) -> Sequence[int]:
        found = table.search(data.asked[n]).distance_type("dot").where("allowed", prefilter=True)
        return rows_found(found.select(["row", "_distance"]))

    return search


def lance_by_words(data: Data) -> Search:
    """Its own full-text index."""
    from lancedb.index import FTS

    table = _lance(data)
    table.create_index("text", config=FTS())

    def search(n: int) -> Sequence[int]:
        found = table.search(data.questions[n], query_type="fts").where("allowed", prefilter=True)
        return rows_found(found.select(["row", "_score"]))

    return search


def lance_both(data: Data) -> Search:
    """Its hybrid search, fused by reciprocal ranks."""
    from lancedb.index import FTS
    from lancedb.rerankers import RRFReranker

    table, fuse = _lance(data), RRFReranker()
    table.create_index("text", config=FTS())

    def search(n: int) -> Sequence[int]:
        found = table.search(query_type="hybrid").vector(data.asked[n]).text(data.questions[n]).distance_type("dot")
        return rows_found(found.where("allowed", prefilter=True).rerank(fuse))

    return search


def haystack_both(data: Data) -> Search:
    """Haystack's documents in memory: BM25 and embeddings, joined by reciprocal ranks."""
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore(embedding_similarity_function="dot_product", return_embedding=False)
    store.write_documents(
        [
            Document(id=str(row), content=text, meta={"allowed": bool(data.allowed[row])}, embedding=vector)
            for row, (text, vector) in enumerate(zip(data.texts, data.vectors.tolist(), strict=True))
        ]
    )
    words, meaning = InMemoryBM25Retriever(store), InMemoryEmbeddingRetriever(store)
    join = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=LIMIT)
    only = {"field": "meta.allowed", "operator": "==", "value": True}

    def search(n: int) -> Sequence[int]:
        held = words.run(query=data.questions[n], filters=only, top_k=LIMIT)["documents"]
        near = meaning.run(query_embedding=data.asked[n].tolist(), filters=only, top_k=LIMIT)["documents"]
        return [int(document.id) for document in join.run(documents=[held, near])["documents"]]

    return search


def llama_index_both(data: Data) -> Search:
    """LlamaIndex's vectors in memory and bm25s, joined by reciprocal ranks as its fusion retriever does."""
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import SimpleVectorStore
    from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery

    store, status = SimpleVectorStore(), ("superseded", "current")
    store.add(
        [
            TextNode(id_=str(row), text=text, metadata={"status": status[bool(data.allowed[row])]}, embedding=vector)
            for row, (text, vector) in enumerate(zip(data.texts, data.vectors.tolist(), strict=True))
        ]
    )
    words = bm25s_words(data)
    only = MetadataFilters(filters=[MetadataFilter(key="status", value="current", operator=FilterOperator.EQ)])

    def search(n: int) -> Sequence[int]:
        asked = VectorStoreQuery(query_embedding=data.asked[n].tolist(), similarity_top_k=LIMIT, filters=only)
        near = [int(id_) for id_ in store.query(asked).ids or []]
        scores: dict[int, float] = {}
        for found in (near, words(n)):
            for rank, row in enumerate(found):
                scores[row] = scores.get(row, 0.0) + 1 / (rank + 60)
        return sorted(scores, key=lambda row: -scores[row])[:LIMIT]

    return search


KINDS: Mapping[str, Mapping[str, Callable[[Data], Search]]] = {
    "by meaning": {"ours": ours_by_meaning, "faiss, flat": faiss_flat, "LanceDB, flat": lance_by_meaning},
    "by words": {"ours": ours_by_words, "bm25s": bm25s_words, "LanceDB": lance_by_words},
    "both": {
        "ours": ours,
        "LanceDB, hybrid": lance_both,
        "Haystack, in memory": haystack_both,
        "LlamaIndex, in memory": llama_index_both,
    },
}
SLOW = 20_000  # rows, above which those that look at every chunk in Python are left out
IN_PYTHON = ("Haystack, in memory", "LlamaIndex, in memory")


def made(size: int, folder: Path) -> Data:
    """Write, build and read back a collection of so many chunks."""
    writer = Writer(folder / "docs", current=0.39)
    for number in range(size // SECTIONS):
        writer.page(number)
    build(load_collection(writer.folder), folder / "index", MadeUp())
    version = IndexFolder(folder / "index").current()
    assert version is not None
    entries = [
        entry for start in range(0, size, BATCH) for entry in version.fetch(range(start, min(size, start + BATCH)))
    ]
    questions = [writer.words(6) for _ in range(ROUNDS)]
    return Data(
        texts=[f"{entry.chunk.context}\n{entry.chunk.plain}" for entry in entries],
        vectors=np.stack([entry.vector for entry in entries]),
        allowed=np.array([entry.chunk.status.value == "current" for entry in entries]),
        questions=questions,
        asked=MadeUp().query(questions),
        version=version,
        folder=folder,
    )


def truly_nearest(data: Data) -> list[set[int]]:
    """Return the allowed rows nearest to each question."""
    scores = np.where(data.allowed, data.asked @ data.vectors.T, -2.0)
    return [set(np.argsort(-row)[:NEAREST].tolist()) for row in scores]


def measured(data: Data, prepare: Callable[[Data], Search]) -> tuple[float, list[float], list[Sequence[int]]]:
    """Return seconds of taking in, milliseconds of each search in order of size, and what was found."""
    started = time.perf_counter()
    search = prepare(data)
    search(0)
    taken = time.perf_counter() - started
    times, found = [], []
    for n in range(ROUNDS):
        started = time.perf_counter()
        found.append(search(n))
        times.append(1000 * (time.perf_counter() - started))
    return taken, sorted(times), found


def rows_of(data: Data) -> Iterator[str]:
    """Yield the table, line by line."""
    nearest = truly_nearest(data)
    for kind, peers in KINDS.items():
        first = 0.0
        for name, prepare in peers.items():
            if name in IN_PYTHON and len(data.texts) > SLOW:
                continue
            taken, times, found = measured(data, prepare)
            median, late = times[ROUNDS // 2], times[ROUNDS * 95 // 100]
            first = first or median
            recall = np.mean(
                [len(near & set(rows[:NEAREST])) / NEAREST for near, rows in zip(nearest, found, strict=True)]
            )
            share = f"{recall:.3f}" if kind == "by meaning" else ""
            yield f"| {kind} | {name} | {taken:.1f} | {median:.2f} | {late:.2f} | {median / first:.1f} | {share} |"


@click.command()
@click.argument("sizes", nargs=-1, type=int, metavar="CHUNKS...")
def main(sizes: tuple[int, ...]) -> None:
    """Compare searches over collections of so many CHUNKS."""
    for size in sizes or (10_000,):
        folder = Path(tempfile.mkdtemp())
        try:
            click.echo(f"{size:,} chunks, {ROUNDS} questions, the best {LIMIT}")
            click.echo("| search | by | s to take in | median, ms | 95 of 100 | times ours | true ten found |")
            click.echo("|---|---|---|---|---|---|---|")
            for line in rows_of(made(size, folder)):
                click.echo(line)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
