"""Searching documents of every status, for staff: by words and by meaning, inside what the reader may see."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from webapp.core.documents.language import detect_language
from webapp.core.documents.model import Chunk, Span, Status
from webapp.core.documents.versions import version_key
from webapp.core.retrieval.chosen import embedder_of
from webapp.core.retrieval.embedders.base import Remote
from webapp.core.retrieval.engine import IndexVersion, StoredDocument
from webapp.core.retrieval.fusion import Ranked
from webapp.core.retrieval.model import Query, Reader
from webapp.core.retrieval.query_terms import QueryTerms, query_terms
from webapp.core.retrieval.retriever import Retriever
from webapp.core.retrieval.visibility import may_see
from webapp.core.retrieval.words import terms
from webapp.services.desk import Desk

PAGE = 20  # documents
PASSAGES = 3  # of one document
MOST = 500  # chunks that words alone may find
_NEAR = 0.6  # of the way from what anything comes near by to what comes nearest: less near is no find
_BARE = " \t.,;:!?()[]{}<>\"'“”‘’।॥*_`#|"
_RUN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched for. Without words it is the list of documents."""

    words: str = ""
    status: Status | None = None
    lang: str | None = None
    audience: str | None = None
    version: str | None = None  # of the document
    meaning: bool = True  # else by words alone
    page: int = 1


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be filtered by among the documents the reader may see."""

    statuses: tuple[Status, ...]
    langs: tuple[str, ...]
    audiences: tuple[str, ...]
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence that matched, its lines in the file, and the searched words in it (offsets in the text)."""

    chunk: Chunk
    text: str
    first_line: int
    last_line: int
    marks: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A document, with what matched in it; `by_words`: it holds some of the words, not only their meaning."""

    document: StoredDocument
    passages: tuple[Passage, ...] = ()
    by_words: bool = True


@dataclass(frozen=True, slots=True)
class Results:
    """One page of what was found, of how many in all. `meaning`: whether meaning had a say."""

    found: tuple[Found, ...]
    count: int
    meaning: bool
    choices: Choices


@dataclass(frozen=True, slots=True)
class Passed:
    """A document that would have been found, had its status or audience let the asker see it."""

    document: StoredDocument
    why: str  # status, expired, audience, filter
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class _Match:
    chunk: Chunk
    score: float
    words: float  # BM25; 0: near in meaning only
    cosines: tuple[float, ...]  # of each of the chunk's sentences


def search_documents(desk: Desk, reader: Reader, wanted: Wanted) -> Results:
    """Return the documents that fit, best first; without words all of them, by title. Raises PartUnavailable."""
    version = desk.live()
    seen = _seen(version, reader)
    chosen = [one for one in seen if _fits(one, wanted)]
    words = " ".join(wanted.words.split())
    if not words:
        listed = sorted(chosen, key=lambda one: (one.title.casefold(), one.id))
        return Results(_paged([Found(one) for one in listed], wanted.page), len(listed), False, _choices(seen))
    meaning = wanted.meaning and not _is_outside(version)
    query = _query(version, words, reader, chosen)
    found = _search(version, query, meaning) if chosen else []
    return Results(_paged(found, wanted.page), len(found), meaning, _choices(seen))


def passed_over(desk: Desk, query: Query, reader: Reader, least: float, most: int = 5) -> tuple[Passed, ...]:
    """Return what would have ranked among the evidence of a question, but may not be its asker's (for a reader who may
    see it): documents whose best passage scores `least` or more, best first.

    Nothing where questions are sent to an outside server to be searched for: looking at an answer sends nothing.
    """
    version = desk.live()
    whys = {one.id: why for one in _seen(version, reader) if (why := _why_not(one, query, version))}
    if not whys or _is_outside(version):
        return ()
    passed = frozenset(version.documents().keys() - whys.keys())
    query = replace(query, reader=reader, only_lang=None, attributes={}, every_status=True, without=passed)
    retriever = Retriever(version, embedder_of(version.manifest))
    ranked = retriever.rank(retriever.search(query), query.lang)
    best: dict[str, Passed] = {}
    for entry in version.fetch(ranked.candidates.rows[ranked.scores >= least].tolist()):
        chunk = entry.chunk
        if chunk.document_id not in best:
            document, at = version.documents()[chunk.document_id], chunk.location
            best[document.id] = Passed(document, whys[document.id], at.first_line, at.last_line)
    return tuple(best.values())[:most]


def _seen(version: IndexVersion, reader: Reader) -> list[StoredDocument]:
    staff_see_groups = version.manifest.config.staff_see_groups
    return [one for one in version.documents().values() if may_see(one.audience, reader, staff_see_groups)]


def _why_not(one: StoredDocument, query: Query, version: IndexVersion) -> str:
    """Say why a document is no evidence for a query; "" when it may be."""
    if one.status != Status.CURRENT:
        return "status"
    if one.valid_until is not None and one.valid_until < (query.today or date.today()):
        return "expired"
    if not may_see(one.audience, query.reader, version.manifest.config.staff_see_groups):
        return "audience"
    fits = query.only_lang in {None, one.lang} and query.attributes.items() <= one.attributes.items()
    return "" if fits else "filter"


def _fits(one: StoredDocument, wanted: Wanted) -> bool:
    return (
        wanted.status in {None, one.status}
        and wanted.lang in {None, one.lang}
        and (wanted.audience is None or wanted.audience in one.audience)
        and wanted.version in {None, one.version}
    )


def _choices(seen: Sequence[StoredDocument]) -> Choices:
    statuses = {one.status for one in seen}
    return Choices(
        statuses=tuple(status for status in Status if status in statuses),
        langs=tuple(sorted({one.lang for one in seen})),
        audiences=tuple(sorted({group for one in seen for group in one.audience})),
        versions=tuple(sorted({one.version for one in seen if one.version}, key=version_key)),
    )


def _paged(found: Sequence[Found], page: int) -> tuple[Found, ...]:
    return tuple(found[(page - 1) * PAGE : page * PAGE])


def _is_outside(version: IndexVersion) -> bool:
    embedder = embedder_of(version.manifest)
    return isinstance(embedder, Remote) and bool(embedder.outside)


def _query(version: IndexVersion, words: str, reader: Reader, chosen: Iterable[StoredDocument]) -> Query:
    lang = detect_language(words, version.manifest.config.languages)
    others = version.documents().keys() - {one.id for one in chosen}
    return Query(words, lang, reader, without=frozenset(others), every_status=True)


def _search(version: IndexVersion, query: Query, meaning: bool) -> list[Found]:
    question, matches = _by_both(version, query) if meaning else _by_words(version, query)
    of_document: dict[str, list[_Match]] = defaultdict(list)
    for match in matches:
        of_document[match.chunk.document_id].append(match)
    return [_found(version.documents()[id_], those, question) for id_, those in of_document.items()]


def _by_both(version: IndexVersion, query: Query) -> tuple[QueryTerms, list[_Match]]:
    retriever = Retriever(version, embedder_of(version.manifest))
    search = retriever.search(query)
    ranked = retriever.rank(search, query.lang)
    found, meaning = ranked.candidates, ranked.candidates.columns.meaning
    near = search.background + _NEAR * (float(meaning.max(initial=0.0)) - search.background)
    close = np.flatnonzero((found.words > 0) | (meaning >= near))
    entries = version.fetch(found.rows[close].tolist())
    places = zip(entries, close.tolist(), strict=True)
    return search.question, [_match(entry.chunk, ranked, place) for entry, place in places]


def _match(chunk: Chunk, ranked: Ranked, place: int) -> _Match:
    found = ranked.candidates
    cosines = tuple(found.columns.sentences[place].tolist())
    return _Match(chunk, float(ranked.scores[place]), float(found.words[place]), cosines)


def _by_words(version: IndexVersion, query: Query) -> tuple[QueryTerms, list[_Match]]:
    visible = version.visible(query)
    question = query_terms(query.text, query.lang, version, visible)
    rows, scores = version.search_words(question.search_weights, visible, MOST)
    entries = version.fetch(rows.tolist())
    found = zip(entries, scores.tolist(), strict=True)
    return question, [_Match(entry.chunk, score, score, ()) for entry, score in found]


def _found(document: StoredDocument, matches: Sequence[_Match], question: QueryTerms) -> Found:
    worded = [match for match in matches if match.words]
    shown = (worded or matches)[:PASSAGES]
    passages = [_passage(match, question.search_weights) for match in shown]
    once = {(one.first_line, one.last_line, one.text): one for one in passages}.values()
    holding = [one for one in once if one.marks]  # the words of the others stand in title or headings
    return Found(document, tuple(holding or once), bool(worded))


def _passage(match: _Match, weights: Mapping[str, float]) -> Passage:
    """Return the sentence of a chunk that holds most of the words, or comes nearest to their meaning."""
    chunk = match.chunk
    sentences = chunk.sentences
    if not sentences:
        at = chunk.location
        return Passage(chunk, chunk.plain, at.first_line, at.last_line, tuple(_marks(chunk.plain, chunk.lang, weights)))
    cosines = match.cosines or (0.0,) * len(sentences)
    worth = [(_held(one.text, chunk.lang, weights), cosine) for one, cosine in zip(sentences, cosines, strict=True)]
    best = sentences[worth.index(max(worth))]
    return Passage(chunk, best.text, best.first_line, best.last_line, tuple(_marks(best.text, chunk.lang, weights)))


def _held(text: str, lang: str, weights: Mapping[str, float]) -> float:
    return sum(weights[term] for term in set(terms(text, lang)) & weights.keys())


def _marks(text: str, lang: str, weights: Mapping[str, float]) -> Iterator[Span]:
    for run in _RUN.finditer(text):
        bare = run[0].strip(_BARE)
        if bare and not weights.keys().isdisjoint(terms(bare, lang)):
            start = run.start() + run[0].index(bare)
            yield Span(start, start + len(bare))
