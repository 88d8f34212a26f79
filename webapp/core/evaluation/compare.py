"""Chunking settings side by side: sizes, cuts mid-sentence, facts kept and lost, recall, and what may be concluded.

Nothing is stored: documents are cut in memory, and searching them is left to a function that is passed in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from typing import Any, Protocol

from pydantic import ValidationError

from webapp.core.chunking.base import strategies
from webapp.core.chunking.cut import cut
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Chunk, Document
from webapp.core.documents.sentences import ends_sentence
from webapp.core.evaluation.facts import FactCheck, KeyFact, LostFact, check_facts
from webapp.core.evaluation.metrics import Figure, rate
from webapp.core.evaluation.questions import Place, Question, first_problem, places
from webapp.core.evaluation.verdict import Breakage, Ranks, Verdict, VerdictCode, found, judge_recall

RECALL_AT = (1, 3, 5)
FEWEST, MOST = 2, 6
BARS = 10  # at most so many in a histogram


@dataclass(frozen=True, slots=True)
class Setting:
    """A strategy and its options."""

    strategy: str
    options: Mapping[str, int] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """`paragraph`, `sentence 100`, `fixed 100/20`."""
        return " ".join(part for part in (self.strategy, "/".join(map(str, self.options.values()))) if part)


DEFAULT_SETTINGS = (
    Setting("paragraph"),
    Setting("sentence", {"max_chars": 100}),
    Setting("fixed", {"size": 100, "overlap": 20}),
    Setting("fixed", {"size": 100, "overlap": 40}),
)


class Rank(Protocol):
    """Searches documents, cut with a setting, for questions."""

    def __call__(
        self, documents: Sequence[Document], setting: Setting, questions: Sequence[Question], depth: int
    ) -> Sequence[Sequence[Chunk]]:
        """Return for each question the first `depth` chunks, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram: chunks of `low` to `high` characters, both included."""

    low: int
    high: int
    chunks: int


@dataclass(frozen=True, slots=True)
class SettingFigures:
    """What one setting does to the documents. Lengths are characters of chunk text; None where there is no chunk."""

    setting: Setting
    chunks: int
    shortest: int | None
    median: float | None
    longest: int | None
    cut_mid_sentence: int
    facts: FactCheck
    histogram: tuple[Bar, ...]
    recall: Mapping[int, Figure]

    def as_dict(self) -> dict[str, Any]:
        """Return it as the commands print it."""
        return {
            "strategy": self.setting.strategy,
            "options": dict(self.setting.options),
            "label": self.setting.label,
            "chunks": self.chunks,
            "shortest": self.shortest,
            "median": self.median,
            "longest": self.longest,
            "cut_mid_sentence": self.cut_mid_sentence,
            "facts": len(self.facts.whole) + len(self.facts.lost),
            "facts_whole": len(self.facts.whole),
            "facts_lost": [_lost_as_dict(lost) for lost in self.facts.lost],
            "histogram": [{"low": bar.low, "high": bar.high, "chunks": bar.chunks} for bar in self.histogram],
            "recall": {str(k): figure.as_dict() for k, figure in self.recall.items()},
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Settings side by side, on the same documents and questions."""

    settings: tuple[SettingFigures, ...]
    verdict: Verdict
    questions: int  # labelled ones whose lines were found
    facts_absent: tuple[KeyFact, ...]  # their documents don't say them, however they are cut

    def as_dict(self) -> dict[str, Any]:
        """Return it as the commands print it."""
        return {
            "settings": [figures.as_dict() for figures in self.settings],
            "questions": self.questions,
            "facts_absent": [{"fact": fact.fact, "document": fact.document} for fact in self.facts_absent],
            "verdict": self.verdict.text,
            "judgement": self.verdict.as_dict(),
        }


def settings_of(config: CollectionConfig) -> tuple[Setting, ...]:
    """Return the settings a collection wants compared; the default ones when it names none."""
    named = tuple(Setting(one["strategy"], one.get("options", {})) for one in config.compare)
    return named or DEFAULT_SETTINGS


def compare(
    documents: Sequence[Document],
    settings: Sequence[Setting],
    facts: Sequence[KeyFact] = (),
    questions: Sequence[Question] = (),
    retrieve: Rank | None = None,
    beside: Sequence[Document] = (),
) -> Comparison:
    """Cut the documents with every setting and put the figures side by side.

    `beside` are further documents of the collection, searched along when recall is measured: a draft takes the
    place of the page with its id. Without `retrieve` or labelled questions, recall is empty.
    Raises ValueError for too few or too many settings, an unknown strategy or options that don't fit, before any work.
    """
    settings = _checked(settings)
    cuts = [{document.id: cut(document, one.strategy, one.options) for document in documents} for one in settings]
    labelled = _labelled(questions, searched := _searched(documents, beside)) if retrieve else []
    ranks = [_ranks(retrieve, searched, one, labelled) if retrieve else [] for one in settings]
    checks = [check_facts(facts, documents, chunks) for chunks in cuts]
    bars = _bars(len(chunk.text) for chunks in cuts for chunk in _all(chunks))
    figures = tuple(
        _figures(setting, list(_all(chunks)), check, rank, bars)
        for setting, chunks, check, rank in zip(settings, cuts, checks, ranks, strict=True)
    )
    return Comparison(figures, _verdict(figures, ranks), len(labelled), checks[0].absent)


def _checked(settings: Sequence[Setting]) -> tuple[Setting, ...]:
    if not FEWEST <= len(settings) <= MOST:
        raise ValueError(f"{len(settings)} settings were given; compare {FEWEST} to {MOST} of them")
    return tuple(Setting(one.strategy, _options(one)) for one in settings)


def _options(setting: Setting) -> Mapping[str, int]:
    """The setting's options, checked, with those it leaves out."""
    try:
        return strategies.get(setting.strategy).parse(setting.options).model_dump()
    except ValidationError as error:
        raise ValueError(f"{setting.label}: {first_problem(error)}") from error


def _searched(documents: Sequence[Document], beside: Sequence[Document]) -> tuple[Document, ...]:
    drafted = {document.id for document in documents}
    return (*documents, *(document for document in beside if document.id not in drafted))


def _labelled(questions: Sequence[Question], documents: Sequence[Document]) -> list[tuple[Question, tuple[Place, ...]]]:
    found_places = ((question, places(question, documents)) for question in questions if question.answerable)
    return [(question, where) for question, where in found_places if where]


def _ranks(
    retrieve: Rank,
    documents: Sequence[Document],
    setting: Setting,
    labelled: Sequence[tuple[Question, tuple[Place, ...]]],
) -> list[int | None]:
    """For each question, the rank of the first chunk that shares a line with its label."""
    if not labelled:
        return []
    ranked = retrieve(documents, setting, [question for question, _ in labelled], max(RECALL_AT))
    return [_first_right(chunks, where) for chunks, (_, where) in zip(ranked, labelled, strict=True)]


def _first_right(chunks: Sequence[Chunk], where: Sequence[Place]) -> int | None:
    return next((rank for rank, chunk in enumerate(chunks, 1) if _is_right(chunk, where)), None)


def _is_right(chunk: Chunk, where: Sequence[Place]) -> bool:
    lines = chunk.location.first_line, chunk.location.last_line
    return any(place.overlaps(chunk.document_id, *lines) for place in where)


def _figures(setting: Setting, chunks: Sequence[Chunk], facts: FactCheck, ranks: Ranks, bars: range) -> SettingFigures:
    lengths = [len(chunk.text) for chunk in chunks]
    return SettingFigures(
        setting=setting,
        chunks=len(chunks),
        shortest=min(lengths, default=None),
        median=median(lengths) if lengths else None,
        longest=max(lengths, default=None),
        cut_mid_sentence=sum(not ends_sentence(chunk.plain or chunk.text) for chunk in chunks),
        facts=facts,
        histogram=tuple(_bar(low, bars, lengths) for low in bars),
        recall={k: recall_at(ranks, k) for k in RECALL_AT},
    )


def recall_at(ranks: Ranks, k: int) -> Figure:
    """Return the share of questions with a right chunk among the first k, with its interval; empty without questions.

    Raises ValueError for a k below 1.
    """
    hits = found(ranks, k)
    return rate(sum(hits), len(hits))


def _verdict(figures: Sequence[SettingFigures], ranks: Sequence[Ranks]) -> Verdict:
    facts = len(figures[0].facts.whole) + len(figures[0].facts.lost)
    breaking = tuple(Breakage(one.setting.label, one.facts.lost) for one in figures if one.facts.lost)
    if not any(one.chunks for one in figures):
        return Verdict(VerdictCode.NO_TEXT, 0, facts, breaking)
    code, k, best, worse = judge_recall(ranks)
    labels = [one.setting.label for one in figures]
    return Verdict(
        code, len(ranks[0]), facts, breaking, k, None if best is None else labels[best], tuple(labels[i] for i in worse)
    )


def _all(chunks: Mapping[str, Sequence[Chunk]]) -> Iterator[Chunk]:
    return (chunk for of_document in chunks.values() for chunk in of_document)


def _bars(lengths: Iterator[int]) -> range:
    """Where the bars begin: of the smallest round width that needs at most BARS, the same for every setting."""
    longest = max(lengths, default=0)
    widths = (base * 10**power for power in count() for base in (10, 20, 25, 50))
    return range(1, longest + 1, next(width for width in widths if longest <= width * BARS))


def _bar(low: int, bars: range, lengths: Sequence[int]) -> Bar:
    high = low + bars.step - 1
    return Bar(low, high, sum(low <= length <= high for length in lengths))


def _lost_as_dict(lost: LostFact) -> dict[str, Any]:
    return {"fact": lost.fact.fact, "document": lost.fact.document, "halves": list(lost.halves)}
