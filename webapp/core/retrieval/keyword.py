"""Keyword search: tantivy over terms that `words` has already made, filtered by access before anything is ranked."""

from __future__ import annotations

import math
import shutil
import tempfile
import unicodedata
import weakref
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from numpy.typing import NDArray

from webapp.core.retrieval.engine import VisiblePart
from webapp.core.retrieval.files import is_open
from webapp.core.retrieval.vectors import Rows, inside

WRITER_BYTES = 64_000_000
LETTERS_FILE = "letters.txt"


class KeywordWriter:
    """Writes a keyword index, row by row."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True)
        self._writer = tantivy.Index(_schema(), path=str(folder)).writer(heap_size=WRITER_BYTES, num_threads=1)
        self._known: set[str] = set()
        self._row = 0

    def add(self, access: int, terms: Sequence[str]) -> None:
        """Add the next row."""
        document = tantivy.Document()
        document.add_unsigned("row", self._row)
        document.add_text("terms", " ".join(_scoped(access, term) for term in terms))
        new = set(terms) - self._known
        document.add_text("known", " ".join(new))
        self._writer.add_document(document)
        self._known |= new
        self._row += 1

    def finish(self) -> None:
        """Write what is still in memory; from here on nothing changes."""
        self._writer.commit()
        self._writer.wait_merging_threads()
        (self._folder / LETTERS_FILE).write_text(letters_of(set().union(*self._known)), encoding="utf-8")


class KeywordIndex:
    """A read-only keyword index over rows. Scores are tantivy's BM25, with the weights that it is given and, in each
    row, its own measure of length: the mean of all rows, closed ones too. So they only say which rows to look at;
    ranking scores those anew (`fusion`)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def build(folder: Path, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Write an index of (access number, terms), row by row."""
        writer = KeywordWriter(folder)
        for access, terms in rows:
            writer.add(access, terms)
        writer.finish()

    @cached_property
    def _index(self) -> tantivy.Index:
        return tantivy.Index.open(str(self._folder if is_open(self._folder) else self._links))

    @property
    def _links(self) -> Path:
        """Tantivy locks what it reads with a file beside it: where none can be made, it is given links."""
        folder = Path(tempfile.mkdtemp(prefix="evidencedesk-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        for file in (one for one in self._folder.iterdir() if one.suffix != ".lock"):
            (folder / file.name).symlink_to(file.resolve())
        return folder

    @cached_property
    def _searcher(self) -> Any:
        return self._index.searcher()

    def counts(self, terms: Iterable[str], visible: VisiblePart) -> dict[str, int]:
        """Return in how many rows of the visible accesses each term stands, those that are left out among them."""
        return {term: sum(count for _, count in self._scopes(term, visible)) for term in dict.fromkeys(terms)}

    def search(
        self, weights: Mapping[str, float], visible: VisiblePart, limit: int
    ) -> tuple[Rows, NDArray[np.float32]]:
        """Return the visible rows that hold any of the terms and their scores, best first.

        `weights` gives each term the idf it is to count with; it takes the place of the index's own, which would
        let rows that the reader may not see be felt.
        """
        wanted = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self._query(scoped), weight / self._own_idf(count)))
            for term, weight in weights.items()
            for scoped, count in self._scopes(term, visible)
            if weight > 0
        ]
        if not wanted or limit < 1:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        return self._best(tantivy.Query.boolean_query(wanted), visible, limit)

    def _best(self, query: tantivy.Query, visible: VisiblePart, limit: int) -> tuple[Rows, NDArray[np.float32]]:
        """Return the best rows that aren't left out. As long as too many of those found are, twice as many are looked
        for: tantivy passes over most of the postings as long as it need not ask of each row whether it counts."""
        most = limit + min(limit, sum(end - start for start, end in visible.left_out))
        while True:
            hits = self._searcher.search(query, most, count=False).hits
            rows = np.array(self._searcher.fast_field_values("row", [at for _, at in hits]), dtype=np.int64)
            shown = np.flatnonzero(~inside(visible.left_out, rows))[:limit]
            if len(shown) == limit or len(hits) < most:
                return rows[shown], np.array([score for score, _ in hits], dtype=np.float32)[shown]
            most *= 2

    @cached_property
    def letters(self) -> str:
        """Every letter and mark that the indexed terms are written in, each once."""
        return (self._folder / LETTERS_FILE).read_text(encoding="utf-8")

    def known(self, terms: Iterable[str]) -> set[str]:
        """Return those of the terms that any row at all holds: a quick look before `counts`."""
        holding = self._searcher.doc_freq
        return {term for term in terms if holding("known", term)}

    def _scopes(self, term: str, visible: VisiblePart) -> list[tuple[str, int]]:
        """Return the term as the rows of each visible access hold it, and how many do; none that no row holds."""
        scopes = [_scoped(access, term) for access in visible.accesses]
        counts = [int(self._searcher.doc_freq("terms", scoped)) for scoped in scopes]
        return [(scoped, count) for scoped, count in zip(scopes, counts, strict=True) if count]

    def _query(self, scoped: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._index.schema, "terms", scoped, "freq")

    def _own_idf(self, count: int) -> float:
        return idf(count, self._searcher.num_docs)


def _scoped(access: int, term: str) -> str:
    """Return the term as it is indexed: one for each access.

    So a search reads the postings of visible rows only, and what an access holds of a term is one look-up instead of
    a filtered search. The price is a look-up for each access that a reader may see.
    """
    return f"{access}:{term}"


def idf(holding: int, of: int) -> float:
    """Return BM25's inverse document frequency (the form that is never negative)."""
    return math.log(1 + (of - holding + 0.5) / (holding + 0.5))


def letters_of(characters: Iterable[str]) -> str:
    """Return the letters and marks among the characters, in order."""
    return "".join(sorted(filter(_is_letter, characters)))


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", fast=True)
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")  # as `_scoped` has them
    builder.add_text_field("known", tokenizer_name="whitespace", index_option="basic")  # each term once, as it is
    return builder.build()
