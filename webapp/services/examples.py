"""Example questions under the question box: only those that the documents, as served now, answer for this reader."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import date

from webapp.core.answering.sufficiency import calibration_of
from webapp.core.documents.language import detect_language
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.chosen import embedder_of
from webapp.core.retrieval.embedders.base import Embedder
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.known_questions import Meanings
from webapp.core.retrieval.model import Outcome, Query, Reader
from webapp.core.retrieval.retriever import Retriever
from webapp.services.moment import OfLiveVersion

_MOST = 100  # meanings that are remembered: a collection has a few examples in each language
_PATIENCE = 1.0  # seconds to wait for somebody else who is finding out: with a model on a server it may take longer

_Asked = tuple[str, Reader, date]


class Examples:
    """Remembers of the live version which examples have evidence, for each kind of reader, and what examples mean
    beyond it: with each new version everybody wants to know at once, and one finds out."""

    def __init__(self) -> None:
        self._answered = OfLiveVersion()
        self._meanings = Meanings(_MOST)
        self._finding_out = threading.Lock()

    def answered(self, version: IndexVersion, questions: Sequence[str], reader: Reader) -> tuple[str, ...]:
        """Return those of the questions that have evidence enough; all of them when nobody can tell just now."""
        asked = [(question, reader, date.today()) for question in questions]  # pages are valid until a day
        found: Sequence[bool] | None = self._answered.known(version, asked)
        if found is None:
            found = self._found_out(version, asked)
        return tuple(question for question, is_answered in zip(questions, found, strict=True) if is_answered)

    def _found_out(self, version: IndexVersion, asked: Sequence[_Asked]) -> Sequence[bool]:
        if not self._finding_out.acquire(timeout=_PATIENCE):
            return [True] * len(asked)
        try:
            return [self._is_answered(version, one) for one in asked]
        except PartUnavailable:
            return [True] * len(asked)
        finally:
            self._finding_out.release()

    def _is_answered(self, version: IndexVersion, asked: _Asked) -> bool:
        def look() -> bool:
            embedder = self._meanings.known_to(None, embedder_of(version.manifest))
            return _has_evidence(version, asked[0], asked[1], embedder)

        return self._answered.of(version, asked, look)


def _has_evidence(version: IndexVersion, question: str, reader: Reader, embedder: Embedder) -> bool:
    manifest = version.manifest
    query = Query(question, detect_language(question, manifest.config.languages), reader)
    found = Retriever(version, embedder).retrieve(query)
    return calibration_of(manifest).judge(found).outcome in {Outcome.ANSWER, Outcome.CAUTION}
