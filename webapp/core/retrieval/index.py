"""Building index versions: cut, embed what is new, store, try, seal, switch.

A build that fails leaves the live version as it was and nothing of itself behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webapp.core.chunking.cut import cut
from webapp.core.documents.model import Chunk, Collection, Document
from webapp.core.retrieval.cache import VectorCache
from webapp.core.retrieval.embedders.base import Embedder
from webapp.core.retrieval.engine import Draft, Engine, Entry, HeldBack, IndexProblem, IndexVersion, Manifest
from webapp.core.retrieval.engines.local import IndexFolder
from webapp.core.retrieval.visibility import Access
from webapp.core.retrieval.words import terms

__all__ = ["BuildReport", "IndexFolder", "IndexProblem", "IndexVersion", "build", "is_stale"]

FORMAT = 12  # raised when words, sentences or files change so that old versions no longer fit the code
VECTORS_FOLDER = "vectors"
WINDOW = 4_000  # chunks that are cut, embedded and stored in one go

Cut = tuple[Document, tuple[Chunk, ...]]

Progress = Callable[[str, int, int], None]  # stage, done, of
Validate = Callable[[IndexVersion], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did. `unchanged` chunks kept their vectors, `embedded` ones are new or changed."""

    collection: str
    version: str
    documents: int
    sections: int
    chunks: int
    unchanged: int
    embedded: int
    held_back: tuple[HeldBack, ...]
    embedder: str
    seconds: float
    built: bool = True  # False: the live version already was what was asked for


def is_stale(version: IndexVersion | None, collection: Collection, embedder: str | None = None) -> bool:
    """Tell whether a version no longer says what the collection's files and settings say, or there is none.

    A version cut with another strategy than the collection's own was made so on purpose, and isn't stale for that.
    """
    if version is None:
        return True
    manifest = version.manifest
    return (
        manifest.format != FORMAT
        or manifest.corpus_hash != collection.corpus_hash
        or manifest.embedder != (embedder or collection.config.embedder)
    )


def build(  # noqa: PLR0913 - a build has this many free choices, all but three of them with a default
    collection: Collection,
    home: Path | Engine,
    embedder: Embedder,
    *,
    strategy: str | None = None,
    options: Mapping[str, int] | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
    validate: Validate | None = None,
    force: bool = False,
    author: str = "",
) -> BuildReport:
    """Build a version of the collection in an engine and make it live; a folder stands for the local engine there.

    `strategy` and `options` default to the collection's. Vectors are kept in the folder `cache`, which may be left out
    where `home` is a folder: they are beside the versions then. `validate` is shown the finished version before it goes
    live: what it returns is kept as the version's calibration, and if it raises, the old version stays. Nothing is
    built when the live version already is what is asked for, unless `force` says so. Raises IndexProblem, ValueError
    for unknown or wrong strategy options, PartUnavailable.
    """
    started = time.monotonic()
    engine = IndexFolder(home) if isinstance(home, Path) else home
    with engine.alone():
        plan = _plan(collection, embedder, strategy, options).model_copy(update={"author": author})
        live = _current(engine)
        if live is not None and not force and _same(live.manifest, plan):
            return _report(live.manifest, 0, started, built=False)
        vectors = VectorCache(cache or _beside(home), embedder)
        after = live.manifest.id if live is not None and _follows(live, plan) else None
        draft = engine.begin(plan, after)
        version, embedded = _build(draft, plan, collection, vectors, progress or _quiet, validate)
        engine.switch(version.manifest.id)
        engine.prune()
        return _report(version.manifest, embedded, started, built=True)


def _beside(home: Path | Engine) -> Path:
    if not isinstance(home, Path):
        raise ValueError("an engine that is no folder needs to be told where vectors are kept")
    return home / VECTORS_FOLDER


def _quiet(stage: str, done: int, of: int) -> None:
    """Report to nobody."""


def _current(engine: Engine) -> IndexVersion | None:
    """Return the live version; a damaged one counts as none, so that building again mends it."""
    try:
        return engine.current()
    except IndexProblem:
        return None


def _plan(
    collection: Collection, embedder: Embedder, strategy: str | None, options: Mapping[str, int] | None
) -> Manifest:
    config = collection.config
    own = strategy is None or strategy == config.strategy
    chosen = options if options is not None else (config.options if own else {})
    return Manifest(
        format=FORMAT,
        created_at=datetime.now(UTC),
        corpus_hash=collection.corpus_hash,
        config=config,
        strategy=strategy or config.strategy,
        options=dict(chosen),
        embedder=embedder.name,
        dim=embedder.dim,
        held_back=tuple(
            HeldBack(path=problem.path, line=problem.line, problem=problem.problem)
            for problem in collection.problems
            if problem.held_back
        ),
    )


_SETTINGS = ("format", "config", "strategy", "options", "embedder", "dim")


def _same(live: Manifest, plan: Manifest, *, but: str = "") -> bool:
    return all(getattr(live, name) == getattr(plan, name) for name in ("corpus_hash", *_SETTINGS) if name != but)


def _follows(live: IndexVersion, plan: Manifest) -> bool:
    """Tell whether documents may be taken over from the live version: it was made in the same way, and is whole."""
    return _same(live.manifest, plan, but="corpus_hash") and not live.damage()


def _build(
    draft: Draft,
    plan: Manifest,
    collection: Collection,
    vectors: VectorCache,
    progress: Progress,
    validate: Validate | None,
) -> tuple[IndexVersion, int]:
    try:
        changed = [document for document in collection.documents if not draft.keeps(document)]
        embedding = _Embedding(vectors, changed, progress)
        for window in _windows(changed, plan, progress):
            for document, entries in embedding.entries(window):
                draft.put(document, entries)
        preview = draft.preview()
        return draft.seal(validate(preview) if validate else None), embedding.chunks
    except BaseException:
        draft.abandon()
        raise


def _windows(documents: Sequence[Document], plan: Manifest, progress: Progress) -> Iterator[list[Cut]]:
    """Cut the documents, those of one access side by side, and yield them when there are some thousand chunks: however
    large the collection, no more are in memory at once."""
    window: list[Cut] = []
    chunks = 0
    for done, document in enumerate(sorted(documents, key=_place), 1):
        window.append((document, tuple(cut(document, plan.strategy, plan.options))))
        chunks += len(window[-1][1])
        progress("cutting", done, len(documents))
        if chunks >= WINDOW:
            yield window
            window, chunks = [], 0
    if window:
        yield window


def _place(document: Document) -> tuple[str, str]:
    return Access.of(document).place, document.path


class _Embedding:
    """Embeds what is new, window by window. How much there will be in all is reckoned from the pages seen so far."""

    def __init__(self, vectors: VectorCache, documents: Sequence[Document], progress: Progress) -> None:
        self.chunks = 0  # that were new or changed
        self._vectors = vectors
        self._progress = progress
        self._characters = sum(len(document.text) for document in documents)
        self._seen = 0
        self._done = 0
        self._stored = 0

    def entries(self, window: Sequence[Cut]) -> Iterator[tuple[Document, list[Entry]]]:
        """Return the documents of a window with the entries of their chunks."""
        every = [chunk for _, chunks in window for chunk in chunks]
        own = [passage(chunk) for chunk in every]
        new = set(self._vectors.missing(own))
        self.chunks += sum(text in new for text in own)
        self._seen += sum(len(document.text) for document, _ in window)
        self._fill([text for chunk in every for text in (passage(chunk), *sentence_passages(chunk))])
        for document, chunks in window:
            yield document, [_entry(chunk, self._vectors) for chunk in chunks]
            self._stored += len(chunks)
            self._progress("storing", self._stored, self._in_all(self._stored))

    def _fill(self, texts: Sequence[str]) -> None:
        before, missing = self._done, self._vectors.missing(texts)
        of = self._in_all(before + len(missing))
        self._vectors.fill(missing, lambda done, _: self._progress("embedding", before + done, of))
        self._done += len(missing)

    def _in_all(self, so_far: int) -> int:
        return round(so_far * self._characters / (self._seen or 1))


def _entry(chunk: Chunk, vectors: VectorCache) -> Entry:
    context = tuple(terms(chunk.context, chunk.lang))
    both = vectors.known([passage(chunk), *sentence_passages(chunk)])
    return Entry.of(chunk, (*context, *terms(chunk.plain, chunk.lang)), context, both)


def passage(chunk: Chunk) -> str:
    """Return the text whose vector stands for the chunk: title and headings give it its subject."""
    return f"{chunk.context}\n{chunk.plain}"


def sentence_passages(chunk: Chunk) -> list[str]:
    """Return the texts whose vectors stand for the chunk's sentences, with the lead-in that gives them meaning."""
    return [f"{sentence.lead} {sentence.text}".strip() for sentence in chunk.sentences]


def _report(manifest: Manifest, embedded: int, started: float, *, built: bool) -> BuildReport:
    return BuildReport(
        collection=manifest.config.name,
        version=manifest.id,
        documents=manifest.documents,
        sections=manifest.sections,
        chunks=manifest.chunks,
        unchanged=manifest.chunks - embedded,
        embedded=embedded,
        held_back=manifest.held_back,
        embedder=manifest.embedder,
        seconds=time.monotonic() - started,
        built=built,
    )
