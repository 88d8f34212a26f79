"""Reading one sealed version of the local engine: its segments one after another, as if they were one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry, IndexProblem, Manifest, Scores, StoredDocument, Visible, VisiblePart
from webapp.core.retrieval.engines._segment import Segment
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.vectors import Rows, best_of, spread_sample, top_rows
from webapp.core.retrieval.visibility import Access, may_retrieve

MANIFEST = "manifest.json"
SEGMENTS = "segments"
DRAFT = ".{}.draft"  # a segment that is being written
TEXTS = "texts"
SAMPLED = 512


@dataclass(frozen=True, slots=True)
class Held:
    """A segment as one version holds it: from which row of the version on, and without which of its documents."""

    segment: Segment
    start: int
    gone: frozenset[str]


class LocalVersion:
    """A version: segments, of which others may hold some as well."""

    def __init__(self, manifest: Manifest, segments: Sequence[Segment], texts: Path) -> None:
        self.manifest = manifest
        self._texts = texts
        starts = accumulate((segment.rows for segment in segments), initial=0)
        gone = [frozenset(reference.gone) for reference in manifest.segments]
        self.held = tuple(map(Held, segments, starts, gone))
        self._starts = np.array([held.start for held in self.held], dtype=np.int64)

    def visible(self, query: Query) -> Visible:
        """Return what may be retrieved for the query."""
        staff_see_groups = self.manifest.config.staff_see_groups

        def allowed(access: Access) -> bool:
            return may_retrieve(access, query, staff_see_groups)

        return Visible(tuple(one.segment.visible(allowed, query.without | one.gone) for one in self.held))

    def search_meaning(self, vector: Vectors, visible: Visible, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows nearest in meaning and their cosines, best first."""
        found = [top_rows(one.segment.vectors, vector, part.slices, limit) for one, part in self._with(visible)]
        return best_of(found, self._starts, limit)

    def sample(self, visible: Visible, at_most: int) -> Rows:
        """Return up to `at_most` of the visible rows, evenly spread over them, the same every time."""
        slices = [
            (one.start + start, one.start + end) for one, part in self._with(visible) for start, end in part.slices
        ]
        return spread_sample(slices, at_most)

    def background(self, vector: Vectors, visible: Visible) -> float:
        """Return the mean cosine with a spread sample of the visible rows, 0 when there are none."""
        rows = self.sample(visible, SAMPLED)
        numbers = np.searchsorted(self._starts, rows, side="right") - 1
        cosines = [one.segment.vectors[rows[numbers == n] - one.start] @ vector for n, one in enumerate(self.held)]
        return float(np.concatenate(cosines).mean()) if len(rows) else 0.0

    def search_words(self, weights: Mapping[str, float], visible: Visible, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows that hold any of the terms and their BM25 scores, best first."""
        found = [one.segment.search_words(weights, part, limit) for one, part in self._with(visible)]
        return best_of(found, self._starts, limit)

    def counts(self, terms: Iterable[str], visible: Visible) -> dict[str, int]:
        """Return in how many visible rows each term stands."""
        terms = tuple(dict.fromkeys(terms))
        counted = [one.segment.words.counts(terms, part) for one, part in self._with(visible)]
        return {term: sum(counts[term] for counts in counted) for term in terms}

    def letters(self) -> str:
        """Return the letters that the indexed terms are written in."""
        return self._letters

    @cached_property
    def _letters(self) -> str:
        return "".join(sorted({letter for one in self.held for letter in one.segment.words.letters}))

    def holds(self, term: str) -> bool:
        """Tell whether any row, visible or not, holds the term."""
        return any(one.segment.words.holds(term) for one in self.held)

    def _with(self, visible: Visible) -> Iterable[tuple[Held, VisiblePart]]:
        return zip(self.held, visible.parts, strict=True)

    def fetch(self, rows: Sequence[int]) -> list[Entry]:
        """Return the entries of those rows, in that order."""
        return [self.held[number].segment.entry(row) for number, row in self._places(rows)]

    def _places(self, rows: Sequence[int] | Rows) -> Iterable[tuple[int, int]]:
        """Return for each row the number of its segment, and its row in there."""
        rows = np.asarray(rows, dtype=np.int64)
        numbers = np.searchsorted(self._starts, rows, side="right") - 1
        return zip(numbers.tolist(), (rows - self._starts[numbers]).tolist(), strict=True)

    def documents(self) -> Mapping[str, StoredDocument]:
        """Return every document of the version, whatever its status, by id."""
        return self._documents

    @cached_property
    def _documents(self) -> dict[str, StoredDocument]:
        return {
            document.id: document
            for one in self.held
            for document in one.segment.documents.values()
            if document.id not in one.gone
        }

    def document_text(self, document_id: str) -> str:
        """Return the file's decoded text. Raises KeyError for a document that the version doesn't hold."""
        return text_file(self._texts, self._documents[document_id].text_hash).read_bytes().decode("utf-8")

    def chunks_of(self, document_id: str) -> list[Chunk]:
        """Return the chunks of a document in order. Raises KeyError."""
        return [entry.chunk for entry in self.entries_of(document_id)]

    def entries_of(self, document_id: str) -> list[Entry]:
        """Return the entries of a document in order. Raises KeyError."""
        if document_id not in self._documents:
            raise KeyError(document_id)
        segment = next(
            one.segment for one in self.held if document_id in one.segment.documents and document_id not in one.gone
        )
        return [segment.entry(row) for row in range(*segment.range_of(document_id))]

    def damage(self) -> list[str]:
        """Return the names of files that are missing or not as they were sealed."""
        return [f"{one.segment.name}/{name}" for one in self.held for name in one.segment.damage()]


def text_file(texts: Path, text_hash: str) -> Path:
    """Return where a document's text is kept."""
    return texts / text_hash[:2] / text_hash


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a sealed version. Raises IndexProblem."""
    try:
        return Manifest.model_validate(json.loads((folder / MANIFEST).read_bytes()))
    except (OSError, ValueError) as error:
        raise IndexProblem(f"index version {folder.name} can't be read ({error}); build the index again") from error
