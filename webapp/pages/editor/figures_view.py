"""The comparison in the reader's words: a row for each setting, the facts that broke, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.core.documents.model import Chunk, Document
from webapp.core.evaluation.compare import Comparison, SettingFigures
from webapp.core.evaluation.facts import LostFact
from webapp.core.evaluation.metrics import Figure
from webapp.core.evaluation.questions import fact_spans
from webapp.core.evaluation.verdict import VerdictCode
from webapp.pages.editor.recall import Scope
from webapp.pages.editor.strategy_words import label
from webapp.web.charts import Rect, Whisker, bars, whisker
from webapp.web.i18n import gettext as _
from webapp.web.i18n import ngettext, number
from webapp.web.printable import printable

BARS_SIZE = (120, 32)  # of the histogram's view box
WHISKER_WIDTH = 90
_AROUND = 28  # characters shown beside a broken fact


@dataclass(frozen=True, slots=True)
class Recall:
    """Recall@k as the table shows it; `value` is None where nothing was measured."""

    k: int
    value: str | None
    low: str
    high: str
    whisker: Whisker | None


@dataclass(frozen=True, slots=True)
class Row:
    """What the table says of one setting."""

    key: str
    label: str
    figures: SettingFigures
    bars: tuple[Rect, ...]
    recall: tuple[Recall, ...]

    @property
    def whole(self) -> int:
        """Key facts that stand whole in one chunk."""
        return len(self.figures.facts.whole)

    @property
    def facts(self) -> int:
        """Key facts that the text says."""
        return self.whole + len(self.figures.facts.lost)


@dataclass(frozen=True, slots=True)
class Half:
    """A chunk that holds a part of a broken fact: that part, and the words around it inside the chunk."""

    number: int
    before: str
    part: str
    after: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A key fact that a setting breaks, and what is left of it in each of the two chunks."""

    key: str
    label: str
    fact: str
    halves: tuple[Half, ...]


def rows(comparison: Comparison, keys: Sequence[str]) -> list[Row]:
    """Return a row for each setting; `keys` are the settings' names on the page."""
    counts = [[bar.chunks for bar in one.histogram] for one in comparison.settings]
    tallest = max((count for one in counts for count in one), default=0)
    return [
        Row(
            key,
            label(one.setting),
            one,
            bars(count, len(count), tallest, *BARS_SIZE) if tallest else (),
            tuple(_recall(k, figure) for k, figure in one.recall.items()),
        )
        for key, one, count in zip(keys, comparison.settings, counts, strict=True)
    ]


def lengths(table: Sequence[Row]) -> list[list[str]]:
    """Return how many chunks are how long, a line for each bar of the histograms, a column for each setting."""
    bins = zip(*(row.figures.histogram for row in table), strict=True)
    return [
        [f"{number(bars[0].low)}–{number(bars[0].high)}", *(number(bar.chunks) for bar in bars)]
        for bars in bins
        if any(bar.chunks for bar in bars)
    ]


def broken_facts(row: Row, document: Document, chunks: Sequence[Chunk]) -> list[Broken]:
    """Return the facts that the setting breaks, each with its halves."""
    by_id = {chunk.id: chunk for chunk in chunks}
    return [
        Broken(row.key, row.label, lost.fact.fact, tuple(_halves(lost, document, by_id)))
        for lost in row.figures.facts.lost
    ]


def measured_on(questions: int, scope: Scope) -> str:
    """Say what recall was measured on."""
    if scope.whole:
        return ngettext(
            "Recall: %(count)s labelled question, searched in every page of the collection cut this way.",
            "Recall: %(count)s labelled questions, searched in every page of the collection cut this way.",
            questions,
        )
    return ngettext(
        "Recall: %(count)s labelled question about this page, searched in it and the %(pages)s pages nearest to it.",
        "Recall: %(count)s labelled questions about this page, searched in it and the %(pages)s pages nearest to it.",
        questions,
        pages=number(len(scope.beside)),
    )


def verdict_on_recall(comparison: Comparison) -> str:
    """Say what the recall figures allow to be said."""
    verdict = comparison.verdict
    labels = {one.setting.label: label(one.setting) for one in comparison.settings}
    asked = ngettext("%(count)s question", "%(count)s questions", verdict.questions)
    best = labels.get(verdict.best or "", "")
    worse = _(" and ").join(labels[one] for one in verdict.worse)
    k = number(verdict.k or 0)
    match verdict.code:
        case VerdictCode.NO_TEXT:
            return _("There is no text to cut.")
        case VerdictCode.NO_QUESTIONS:
            return _("No labelled question has its answer here, so recall can't be compared.")
        case VerdictCode.TOO_CLOSE:
            step = number(f"{verdict.step or 0:.3f}")
            return _("Too close to call on %(asked)s: one miss moves recall by %(step)s.", asked=asked, step=step)
        case VerdictCode.SOME_WORSE:
            return _(
                "No clear winner on %(asked)s, but %(worse)s: clearly lower recall@%(k)s than %(best)s.",
                asked=asked,
                worse=worse,
                k=k,
                best=best,
            )
        case VerdictCode.WINNER:
            return _("%(best)s has clearly the highest recall@%(k)s on %(asked)s.", best=best, k=k, asked=asked)


def verdict_on_facts(comparison: Comparison) -> list[str]:
    """Say which settings break key facts, or that none does; nothing without key facts."""
    facts = comparison.verdict.facts
    if facts and not comparison.verdict.breaking:
        return [
            ngettext(
                "Every setting keeps the key fact of this page whole.",
                "Every setting keeps all %(count)s key facts of this page whole.",
                facts,
            )
        ]
    return [_breaks(one, facts) for one in comparison.settings if one.facts.lost]


def _breaks(figures: SettingFigures, facts: int) -> str:
    lost = len(figures.facts.lost)
    return ngettext(
        "%(setting)s breaks %(lost)s of %(count)s key fact.",
        "%(setting)s breaks %(lost)s of %(count)s key facts.",
        facts,
        setting=label(figures.setting),
        lost=number(lost),
    )


def _recall(k: int, figure: Figure) -> Recall:
    if figure.value is None or figure.low is None or figure.high is None:
        return Recall(k, None, "", "", None)
    share, low, high = (number(f"{value:.2f}") for value in (figure.value, figure.low, figure.high))
    return Recall(k, share, low, high, whisker(figure.value, figure.low, figure.high, WHISKER_WIDTH))


def _halves(lost: LostFact, document: Document, chunks: Mapping[str, Chunk]) -> list[Half]:
    spans = fact_spans(lost.fact.fact, document)
    if not spans:
        return []
    span, text = spans[0], document.text
    halves = []
    for chunk in (chunks[name] for name in lost.halves):
        start, end = max(span.start, chunk.start), min(span.end, chunk.end)
        before = text[max(chunk.start, start - _AROUND) : start]
        after = text[end : min(chunk.end, end + _AROUND)]
        cut_before, cut_after = start - _AROUND > chunk.start, end + _AROUND < chunk.end
        words = (printable(part) for part in ("…" * cut_before + before, text[start:end], after + "…" * cut_after))
        halves.append(Half(chunk.ordinal, *words))
    return halves
