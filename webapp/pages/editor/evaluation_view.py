"""Runs of evaluation in the reader's words: their figures, what went wrong, what a limit costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from webapp.core.documents.model import Document
from webapp.core.evaluation.labels import text_of
from webapp.core.evaluation.runs import Outcome, misses, outcome
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.wording import language_name
from webapp.pages.editor.shares import Share, share_of
from webapp.services.closed import closed_to
from webapp.services.desk import Desk
from webapp.store.runs import Run
from webapp.web.access import current_reader
from webapp.web.context import services
from webapp.web.i18n import gettext as _
from webapp.web.i18n import lines_words, ngettext, number, percent
from webapp.web.printable import printable

_LONG = 220  # characters of a passage that are shown

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: what it says, and a share for all questions and for each language."""

    name: str
    meaning: str
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a page; `url` is "" and there is no text when the reader may not open it, or it is gone."""

    title: str
    lang: str
    lines: str
    text: str = ""
    url: str = ""
    score: str = ""
    right: bool = False


@dataclass(frozen=True, slots=True)
class Miss:
    """A question that didn't go well, where its answer stands, and what was found instead."""

    id: str
    question: str
    lang: str
    outcome: str
    how: str
    kept: bool  # it is a golden question still
    right: tuple[Passage, ...]
    found: tuple[Passage, ...]


def columns(figures: Figures) -> list[str]:
    """Return the heads of the figures' columns: all questions, and each language where there are several."""
    languages = [language_name(lang) for lang in figures["languages"]]
    return [_("All questions"), *languages]


def lines(figures: Figures) -> list[Line]:
    """Return the figures of a run, line by line."""
    parts = [figures, *figures["languages"].values()]
    return [Line(name, meaning, tuple(share_of(value(one)) for one in parts)) for name, meaning, value in _measures()]


def _measures() -> list[tuple[str, str, Callable[[Figures], Mapping[str, float | None]]]]:
    return [
        (
            _("Right section first"),
            _("of the questions that our pages answer"),
            lambda one: one["retrieval"]["section_recall"]["1"],
        ),
        (
            _("Right section among the first five"),
            _("of the same questions"),
            lambda one: one["retrieval"]["section_recall"]["5"],
        ),
        (
            _("Answered when it should be"),
            _("of the same questions"),
            lambda one: one["abstention"]["answered_when_answerable"],
        ),
        (
            _("Refused when it should be"),
            _("of the questions that our pages don't answer"),
            lambda one: one["abstention"]["abstained_when_unanswerable"],
        ),
        (
            _("Wrong answers"),
            _("of the questions that our pages don't answer; the less the better"),
            lambda one: one["abstention"]["wrong_answers"],
        ),
        (
            _("Wrong source"),
            _("of the answers given; the less the better"),
            lambda one: one["abstention"]["wrong_source"],
        ),
    ]


def counts_words(figures: Figures) -> str:
    """Say on what the figures rest."""
    asked = ngettext("%(count)s question that our pages answer", "%(count)s questions that our pages answer",
                     figures["answerable"])  # fmt: skip
    words = ngettext(
        "Measured on %(asked)s and %(count)s that they don't.",
        "Measured on %(asked)s and %(count)s that they don't.",
        figures["unanswerable"],
        asked=asked,
    )
    if figures["label_broken"]:
        words += " " + ngettext(
            "%(count)s label no longer held, so its question was left out.",
            "%(count)s labels no longer held, so their questions were left out.",
            figures["label_broken"],
        )
    return words


def limits_words(figures: Figures) -> str:
    """Say how far the figures can be trusted, from the size of the sample."""
    smallest = min((one for one in (figures["answerable"], figures["unanswerable"]) if one), default=0)
    if not smallest:
        return ""
    points = number(round(100 / smallest, 1))
    words = _("In the smaller group one question more or less moves a share by %(points)s points.", points=points)
    if smallest < 50:
        words += " " + _("That is a small sample: read the intervals, not the shares, and add questions.")
    return words


def outcome_words(kind: Outcome) -> str:
    """Name how a question came out."""
    return {
        Outcome.RIGHT: _("answered from the right place"),
        Outcome.REFUSED: _("rightly refused"),
        Outcome.ABSTAINED: _("not answered, though our pages do"),
        Outcome.WRONG_SOURCE: _("answered from another place"),
        Outcome.WRONG_ANSWER: _("answered, though our pages don't"),
        Outcome.BROKEN: _("its label no longer held"),
    }[kind]


def missed(run: Run, desk: Desk, kept: Set[str], first: int, size: int) -> tuple[list[Miss], int]:
    """Return some of what went wrong, the worst first, and how much there is. `kept`: ids of today's questions."""
    found = misses(open_rows(run, desk, kept))
    shelf = _Shelf(desk)
    return [_miss(row, shelf, kept) for row in found[first : first + size]], len(found)


def asked(run: Run, desk: Desk, kept: Set[str], question_id: str) -> list[Miss]:
    """Return how one question came out, whether well or not; nothing for one that the run didn't ask."""
    return [_miss(row, _Shelf(desk), kept) for row in open_rows(run, desk, kept) if row["id"] == question_id]


def open_rows(run: Run, desk: Desk, kept: Set[str]) -> list[Mapping[str, Any]]:
    """Return the rows of a run whose questions the current reader may know of. `kept`: ids of those of today's
    questions; what became of another one's page is told by the run alone, where its label still held."""
    closed = closed_to(current_reader(), desk, services().store).ids
    if not closed:
        return list(run.rows)

    def knows(row: Mapping[str, Any]) -> bool:
        places = {place["document_id"] for place in row.get("right", ())}
        return row["id"] in kept or (places.isdisjoint(closed) if places else not row["answerable"])

    return [row for row in run.rows if knows(row)]


def _miss(row: Mapping[str, Any], shelf: _Shelf, kept: Set[str]) -> Miss:
    right = row.get("right", ())
    return Miss(
        id=row["id"],
        question=printable(row["question"]),
        lang=row["lang"],
        outcome=outcome_words(outcome(row)),
        how=_how(row),
        kept=row["id"] in kept,
        right=tuple(shelf.passage(place) for place in right),
        found=tuple(shelf.passage(place, right) for place in row["retrieved"]),
    )


def _how(row: Mapping[str, Any]) -> str:
    """Say where the right section came, and how sure the evidence seemed."""
    sure = _("likely to be answered: %(share)s", share=percent(round(row["probability"], 2)))
    if not row["answerable"] or row["label_broken"]:
        return sure
    rank = row["section_rank"]
    place = _("right section at rank %(rank)s", rank=number(rank)) if rank else _("right section not found")
    return f"{place} · {sure}"


class _Shelf:
    """The pages as they are now, as far as the reader may open them."""

    def __init__(self, desk: Desk) -> None:
        self._collection = desk.name
        self._shelf = desk.shelf(current_reader())
        self._documents = {document.id: document for document in desk.files().documents}

    def passage(self, place: Mapping[str, Any], right: Sequence[Mapping[str, Any]] = ()) -> Passage:
        """Return a place that a run kept."""
        first, last = place["first_line"], place["last_line"]
        shown = lines_words(first, last)
        score = place.get("score")
        document = self._documents.get(place["document_id"])
        if document is None or not self._shelf.sees_document(document.id):
            return Passage(_("a page that is gone or closed to you"), "", shown)
        lines = f"{first}-{last}" if last > first else f"{first}"
        return Passage(
            title=document.title,
            lang=document.lang,
            lines=shown,
            text=_short(document, first, last),
            url=f"{source_url(self._collection, document.id, lines=lines)}#L{first}",
            score="" if score is None else number(f"{score:.2f}"),
            right=any(_overlap(place, one) for one in right),
        )


def _short(document: Document, first: int, last: int) -> str:
    text = printable(text_of(document, first, last))
    return text if len(text) <= _LONG else text[:_LONG].rsplit(" ", 1)[0] + " …"


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(
        one["document_id"] == other["document_id"]
        and one["first_line"] <= other["last_line"]
        and other["first_line"] <= one["last_line"]
    )
