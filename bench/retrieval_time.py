"""Where the time of retrieval goes, question by question."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from bench.labelled import docs_of, indexed, labelled
from bench.labelled_options import labelled_folders
from webapp.core.documents.collection import load_collection
from webapp.core.documents.language import detect_language
from webapp.core.retrieval.embedders.base import Embedder
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever

EMBEDDING, MEANING, WORDS, FUSE, ALL = "embedding", "meaning", "words", "fuse", "all"
SEARCHES = {"search_meaning": MEANING, "background": MEANING, "search_words": WORDS, "counts": WORDS, "known": WORDS}


class Timed:
    """A part whose calls are timed: each of the named methods adds to its stage."""

    def __init__(self, part: Any, stages: Mapping[str, str], spent: dict[str, float]) -> None:
        self._part, self._stages, self._spent = part, stages, spent

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        stage = self._stages.get(name)
        if stage is None:
            return found

        def timed(*given: Any) -> Any:
            start = time.perf_counter()
            try:
                return found(*given)
            finally:
                self._spent[stage] += time.perf_counter() - start

        return timed


@click.command(name="time")
@labelled_folders
@click.option("--rounds", default=3, help="Times that every question is asked, after a round that isn't counted")
def time_command(folders: Sequence[Path], cache: Path, embedder: Embedder, rounds: int) -> None:
    """Time what retrieval does for the questions of FOLDERS; `fuse` is all that is left between the other stages."""
    click.echo(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for folder in folders:
        spent = times(folder, cache, embedder, rounds)
        figures = (
            f"{stage} {_shown([one[stage] for one in spent])}" for stage in (EMBEDDING, MEANING, WORDS, FUSE, ALL)
        )
        click.echo(f"{folder.name}: " + "; ".join(figures))


def times(folder: Path, cache: Path, embedder: Embedder, rounds: int) -> list[dict[str, float]]:
    """Return the milliseconds of every stage for every question asked."""
    collection = load_collection(docs_of(folder))
    spent: dict[str, float] = defaultdict(float)
    version = Timed(indexed(collection, folder.name, cache, embedder), SEARCHES, spent)
    retriever = Retriever(version, Timed(embedder, {"query": EMBEDDING}, spent))
    questions = [one.question for one in labelled(folder)]
    queries = [Query(text, detect_language(text, collection.config.languages)) for text in questions]
    found = [_timed(retriever, query, spent) for _ in range(rounds + 1) for query in queries]
    return found[len(queries) :]


def _timed(retriever: Retriever, query: Query, spent: dict[str, float]) -> dict[str, float]:
    spent.clear()
    start = time.perf_counter()
    retriever.retrieve(query)
    spent[ALL] = time.perf_counter() - start
    spent[FUSE] = spent[ALL] - spent[EMBEDDING] - spent[MEANING] - spent[WORDS]
    return {stage: 1000 * seconds for stage, seconds in spent.items()}


def _shown(milliseconds: Sequence[float]) -> str:
    slow = sorted(milliseconds)[int(0.95 * len(milliseconds))]
    return f"{statistics.median(milliseconds):.1f} ms (p95 {slow:.1f})"
