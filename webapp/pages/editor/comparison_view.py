"""What the compare page shows: columns of the drawn text, the table below them, the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.core.chunking.cut import cut
from webapp.core.documents.model import Chunk, Document
from webapp.core.evaluation.compare import Comparison, Setting, compare
from webapp.pages.editor.chosen_text import Chosen, too_many
from webapp.pages.editor.chunk_view import Line, draw, window
from webapp.pages.editor.draft_view import me
from webapp.pages.editor.figures_view import (
    Broken,
    Row,
    broken_facts,
    lengths,
    measured_on,
    rows,
    verdict_on_facts,
    verdict_on_recall,
)
from webapp.pages.editor.labels import Labels, read_labels
from webapp.pages.editor.recall import Scope, compare_measured, needs_reading, scope_for
from webapp.pages.editor.setting_form import Slot
from webapp.pages.editor.strategy_words import label
from webapp.services.desk import Desk
from webapp.store.jobs import Job
from webapp.web.context import services
from webapp.web.i18n import gettext as _
from webapp.web.source_view import Window

FEWEST = 2
MOST_DRAWN = 1000  # chunks of one column


@dataclass(frozen=True, slots=True)
class Asked:
    """What else the address says: the line to begin with, and whether recall is to be measured."""

    line: int | None = None
    measure: bool = False

    @classmethod
    def from_request(cls, values: Mapping[str, str]) -> Asked:
        """Read it from an address or a form; what can't be read counts as not given."""
        line = values.get("line", "")
        return cls(int(line) if line.isdecimal() and len(line) < 9 else None, values.get("measure") == "1")


@dataclass(frozen=True, slots=True)
class Column:
    """One setting's column: its name, and the runs of every line shown."""

    key: str
    label: str
    chunks: int
    cut: int
    crowded: bool  # the lines shown hold more chunks than are drawn
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A finished comparison."""

    document: Document
    shown: Window
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    broken: tuple[Broken, ...]
    absent: tuple[str, ...]  # key facts that the text doesn't say
    measured: str  # what recall was measured on
    on_recall: str  # the verdict; "" while recall is not measured
    on_facts: tuple[str, ...]
    lengths: tuple[Sequence[str], ...]  # the histograms in numbers
    problems: tuple[str, ...]  # files of facts or questions that can't be used
    job: Job | None = None  # what has to be done first so that recall can be measured

    @property
    def empty(self) -> bool:
        """Tell whether there was nothing to cut."""
        return not any(row.figures.chunks for row in self.rows)


@dataclass(frozen=True, slots=True)
class View:
    """Values of the page. `compared` is there when nothing has to be mended first."""

    collection: str
    chosen: Chosen
    slots: tuple[Slot, ...]
    slots_error: str
    asked: Asked
    compared: Compared | None


def compare_chosen(desk: Desk, chosen: Chosen, slots: Sequence[Slot], asked: Asked) -> View:
    """Compare the settings on what was chosen, or say what is wrong with them."""
    settings = {slot.key: slot.setting for slot in slots if slot.setting}
    error = _what_is_wrong(chosen.document, slots, settings)
    ready = chosen.document and not error and not any(slot.wrong for slot in slots)
    compared = _compared(desk, chosen, chosen.document, settings, asked) if ready and chosen.document else None
    return View(desk.name, chosen, tuple(slots), error, asked, compared)


def _what_is_wrong(document: Document | None, slots: Sequence[Slot], settings: Mapping[str, Setting]) -> str:
    """Say what is wrong with the settings together; each one's own errors stand by its fields."""
    if any(slot.wrong for slot in slots):
        return ""
    if len(settings) < FEWEST:
        return _("Choose at least two settings.")
    for setting in settings.values():
        if document and too_many(document, setting):
            return _(
                "%(setting)s would cut this text into too many chunks to compare: take a larger size or less overlap.",
                setting=label(setting),
            )
    return ""


def _compared(
    desk: Desk, chosen: Chosen, document: Document, settings: Mapping[str, Setting], asked: Asked
) -> Compared:
    labels = read_labels(desk.folder)
    scope = scope_for(desk, document, labels.questions) if asked.measure else None
    job = _reading(desk, chosen, tuple(settings.values()), scope) if scope else None
    comparison, measured = _compare(desk, document, tuple(settings.values()), labels, None if job else scope)
    cuts = {key: cut(document, setting.strategy, setting.options) for key, setting in settings.items()}
    shown = window(document, asked.line)
    table = rows(comparison, tuple(settings))
    return Compared(
        document=document,
        shown=shown,
        columns=tuple(_column(row, document, cuts[row.key], shown) for row in table),
        rows=tuple(table),
        broken=tuple(fact for row in table for fact in broken_facts(row, document, cuts[row.key])),
        absent=tuple(fact.fact for fact in comparison.facts_absent),
        measured=measured,
        on_recall=verdict_on_recall(comparison) if scope and not job else "",
        on_facts=tuple(verdict_on_facts(comparison)),
        lengths=tuple(lengths(table)),
        problems=labels.problems,
        job=job,
    )


def _reading(desk: Desk, chosen: Chosen, settings: Sequence[Setting], scope: Scope) -> Job | None:
    """Ask for the chunks to be read for their meaning, unless that takes no longer than a request may."""
    assert chosen.document is not None  # it is compared
    if not needs_reading(desk, chosen.document, settings, scope):
        return None
    arguments = {
        "pages": sorted({*([chosen.page] if chosen.page else []), *(one.id for one in scope.beside)}),
        "settings": [{"strategy": one.strategy, "options": dict(one.options)} for one in settings],
        "draft": chosen.draft_id or None,
        "author_id": me().id,
    }
    newest = services().jobs.latest(desk.name, "vectors")
    if newest and newest.arguments == arguments and (newest.active or newest.problem):
        return newest
    return services().jobs.ask(desk.name, "vectors", arguments, me())


def _compare(
    desk: Desk, document: Document, settings: Sequence[Setting], labels: Labels, scope: Scope | None
) -> tuple[Comparison, str]:
    """Return the comparison, and what recall was measured on, in words; without a scope it isn't."""
    if scope is None:
        return compare([document], settings, labels.facts), ""
    comparison = compare_measured(desk, document, settings, labels.facts, scope)
    return comparison, measured_on(comparison.questions, scope) if comparison.questions else ""


def _column(row: Row, document: Document, chunks: Sequence[Chunk], shown: Window) -> Column:
    """Draw the chunks of the lines shown, of very many the first ones."""
    before = sum(chunk.location.last_line < shown.first for chunk in chunks)
    drawn = chunks[: before + MOST_DRAWN]
    return Column(
        key=row.key,
        label=row.label,
        chunks=row.figures.chunks,
        cut=row.figures.cut_mid_sentence,
        crowded=len(drawn) < len(chunks) and drawn[-1].location.last_line <= shown.last,
        lines=tuple(draw(document, drawn, shown)),
    )
