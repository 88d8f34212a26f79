"""Searching as the desk would, in an index that is gone afterwards: for settings and drafts that are only tried."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.language import detect_language
from webapp.core.documents.model import Chunk, Collection, Document
from webapp.core.evaluation.compare import Setting
from webapp.core.evaluation.questions import Question
from webapp.core.retrieval.embedders.base import Embedder
from webapp.core.retrieval.index import IndexFolder, build
from webapp.core.retrieval.known_questions import KnownQuestions
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever


class TrialSearch:
    """A `Rank` for `compare`: builds a temporary index and asks it, as a customer would, with the desk's retriever.

    `cache` is a folder of known vectors, which spares embedding the same sentences for every setting; without one
    nothing at all is kept. Calling it raises what `build` and `Retriever.retrieve` raise.
    """

    def __init__(self, config: CollectionConfig, embedder: Embedder, cache: Path | None = None) -> None:
        self._config = config
        self._embedder = KnownQuestions(embedder, cache)
        self._cache = cache

    def __call__(
        self, documents: Sequence[Document], setting: Setting, questions: Sequence[Question], depth: int
    ) -> list[list[Chunk]]:
        """Return for each question the first `depth` chunks, best first."""
        with TemporaryDirectory(prefix="evidencedesk-") as folder:
            retriever = self._retriever(documents, setting, Path(folder))
            return [
                [hit.chunk for hit in retriever.retrieve(self._query(question), depth).hits[:depth]]
                for question in questions
            ]

    def _retriever(self, documents: Sequence[Document], setting: Setting, folder: Path) -> Retriever:
        tried = Collection(self._config, folder, tuple(documents), (), corpus_hash="0" * 8)
        build(tried, folder, self._embedder, strategy=setting.strategy, options=setting.options, cache=self._cache)
        version = IndexFolder(folder).current()
        assert version is not None  # it has just been built
        return Retriever(version, self._embedder)

    def _query(self, question: Question) -> Query:
        return Query(question.question, question.lang or detect_language(question.question, self._config.languages))
