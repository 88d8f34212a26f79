"""Example questions under the question box: only those that the documents, as served now, answer for this reader."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.answering.sufficiency import calibration_of
from webapp.core.documents.language import detect_language
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.chosen import embedder_of
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.model import Outcome, Query, Reader
from webapp.core.retrieval.retriever import Retriever


class Examples:
    """Remembers of the live version which examples have evidence, for each kind of reader."""

    def __init__(self) -> None:
        self._version = ""
        self._answered: dict[tuple[str, Reader], bool] = {}

    def answered(self, version: IndexVersion, questions: Sequence[str], reader: Reader) -> tuple[str, ...]:
        """Return those of the questions that have evidence enough; all of them when nobody can tell just now."""
        if version.manifest.id != self._version:
            self._version, self._answered = version.manifest.id, {}
        try:
            return tuple(question for question in questions if self._is_answered(version, question, reader))
        except PartUnavailable:
            return tuple(questions)

    def _is_answered(self, version: IndexVersion, question: str, reader: Reader) -> bool:
        key = question, reader
        if key not in self._answered:
            self._answered[key] = _has_evidence(version, question, reader)
        return self._answered[key]


def _has_evidence(version: IndexVersion, question: str, reader: Reader) -> bool:
    manifest = version.manifest
    query = Query(question, detect_language(question, manifest.config.languages), reader)
    found = Retriever(version, embedder_of(manifest)).retrieve(query)
    return calibration_of(manifest).judge(found).outcome in {Outcome.ANSWER, Outcome.CAUTION}
