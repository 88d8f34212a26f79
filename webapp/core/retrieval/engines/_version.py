"""Reading one sealed version: its segments one after another, as if they were one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.columns import Columns
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import Entry, Manifest, Scores, StoredDocument, Visible, VisiblePart
from webapp.core.retrieval.engines._rows import SegmentRows
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.vectors import Rows, best_of, spread_sample
from webapp.core.retrieval.visibility import Access, may_retrieve

T = TypeVar("T")

SAMPLED = 512
_MIDDLES_KEPT = 64  # of what readers may be shown


@dataclass(frozen=True, slots=True)
class Held:
    """A segment as one version holds it: from which row of the version on, and without which of its documents."""

    segment: SegmentRows
    start: int
    gone: frozenset[str]


class SegmentedVersion:
    """A version: segments, of which others may hold some as well."""

    def __init__(self, manifest: Manifest, segments: Sequence[SegmentRows]) -> None:
        self.manifest = manifest
        starts = accumulate((segment.rows for segment in segments), initial=0)
        gone = [frozenset(reference.gone) for reference in manifest.segments]
        self.held = tuple(map(Held, segments, starts, gone))
        self._starts = np.array([held.start for held in self.held], dtype=np.int64)
        self._middles: dict[Visible, NDArray[np.float64]] = {}

    def visible(self, query: Query) -> Visible:
        """Return what may be retrieved for the query."""
        staff_see_groups = self.manifest.config.staff_see_groups

        def allowed(access: Access) -> bool:
            return may_retrieve(access, query, staff_see_groups)

        return Visible(tuple(one.segment.visible(allowed, query.without | one.gone) for one in self.held))

    def search_meaning(self, vector: Vectors, visible: Visible, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows nearest in meaning and their cosines, best first."""
        found = [one.segment.search_meaning(vector, part, limit) for one, part in self._with(visible)]
        return best_of(found, self._starts, limit)

    def sample(self, visible: Visible, at_most: int) -> Rows:
        """Return up to `at_most` of the visible rows, evenly spread over them, the same every time."""
        slices = [
            (one.start + start, one.start + end) for one, part in self._with(visible) for start, end in part.slices
        ]
        return spread_sample(slices, at_most)

    def background(self, vector: Vectors, visible: Visible) -> float:
        """Return the mean cosine with a spread sample of the visible rows, 0 when there are none."""
        middle = self._middles.get(visible)
        if middle is None:
            if len(self._middles) >= _MIDDLES_KEPT:
                self._middles.clear()
            middle = self._middles[visible] = self._middle(visible)
        return float(middle @ vector)

    def _middle(self, visible: Visible) -> NDArray[np.float64]:
        """Return the mean of a spread sample of the visible rows' vectors: its product with any vector is the mean of
        theirs."""
        rows = self.sample(visible, SAMPLED)
        if not len(rows):
            return np.zeros(self.manifest.dim)
        numbers = np.searchsorted(self._starts, rows, side="right") - 1
        held = ((rows[numbers == n], self.held[n]) for n in np.unique(numbers).tolist())
        parts = [one.segment.vectors_of(mine - one.start) for mine, one in held]
        mean: NDArray[np.float64] = np.concatenate(parts).mean(axis=0, dtype=np.float64)
        return mean

    def search_words(self, weights: Mapping[str, float], visible: Visible, limit: int) -> tuple[Rows, Scores]:
        """Return the visible rows that hold any of the terms and their BM25 scores, best first."""
        found = [one.segment.search_words(weights, part, limit) for one, part in self._with(visible)]
        return best_of(found, self._starts, limit)

    def counts(self, terms: Iterable[str], visible: Visible) -> dict[str, int]:
        """Return in how many visible rows each term stands."""
        terms = tuple(dict.fromkeys(terms))
        counted = [one.segment.counts(terms, part) for one, part in self._with(visible)]
        return {term: sum(counts[term] for counts in counted) for term in terms}

    def letters(self) -> str:
        """Return the letters that the indexed terms are written in."""
        return self._letters

    @cached_property
    def _letters(self) -> str:
        return "".join(sorted({letter for one in self.held for letter in one.segment.letters}))

    def known(self, terms: Iterable[str]) -> list[str]:
        """Return those of the terms, in their order, that any row holds, visible or not."""
        terms = tuple(terms)
        found = set().union(*(one.segment.known(terms) for one in self.held))
        return [term for term in terms if term in found]

    def _with(self, visible: Visible) -> Iterable[tuple[Held, VisiblePart]]:
        return zip(self.held, visible.parts, strict=True)

    def columns(self, rows: Rows, vector: Vectors) -> Columns:
        """Return what ranking asks of those rows, which rise, beside a question's vector."""
        numbers = np.searchsorted(self._starts, rows, side="right") - 1
        held = [(one, rows[numbers == n] - one.start) for n, one in enumerate(self.held)]
        found = [one.segment.columns(own, vector) for one, own in held if len(own)]
        return Columns.joined(found) if found else Columns.none()

    def fetch(self, rows: Sequence[int]) -> list[Entry]:
        """Return the entries of those rows, in that order."""
        return self._each(rows, lambda segment, own: segment.entries(own))

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks alone of those rows, in that order."""
        return self._each(rows, lambda segment, own: segment.chunks(own))

    def _each(self, rows: Sequence[int], read: Callable[[SegmentRows, Sequence[int]], list[T]]) -> list[T]:
        wanted = np.asarray(rows, dtype=np.int64)
        numbers = np.searchsorted(self._starts, wanted, side="right") - 1
        found = {
            n: iter(read(self.held[n].segment, (wanted[numbers == n] - self.held[n].start).tolist()))
            for n in set(numbers.tolist())
        }
        return [next(found[n]) for n in numbers.tolist()]

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
        return self._holding(document_id).text_of(document_id)

    def chunks_of(self, document_id: str) -> list[Chunk]:
        """Return the chunks of a document in order. Raises KeyError."""
        return self._holding(document_id).chunks_of(document_id)

    def _holding(self, document_id: str) -> SegmentRows:
        for one in self.held:
            if document_id in one.segment.documents and document_id not in one.gone:
                return one.segment
        raise KeyError(document_id)

    def damage(self) -> list[str]:
        """Return the names of what is missing or not as it was sealed."""
        return [f"{one.segment.name}/{name}" for one in self.held for name in one.segment.damage()]
