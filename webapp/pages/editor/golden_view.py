"""Golden questions in the reader's words: where each is answered, which labels broke, where their text went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.language import detect_language
from webapp.core.documents.model import Document
from webapp.core.evaluation.labels import CheckedLabel, CheckedQuestion, LabelProblem, text_of
from webapp.core.evaluation.questions import Label, Place, Question
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.wording import status_words
from webapp.pages.editor.chosen_text import pages
from webapp.services.desk import Desk
from webapp.services.golden import GoldenProblem, GoldenTrouble
from webapp.web.access import current_reader
from webapp.web.i18n import gettext as _
from webapp.web.i18n import lines_words, number
from webapp.web.printable import printable

Suggest = Callable[[Label], Place | None]


@dataclass(frozen=True, slots=True)
class PlaceView:
    """Lines of a page, with what they say today."""

    document: str
    title: str
    lang: str
    first: int
    last: int
    lines: str
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class LabelView:
    """One label: where it points today, or what it said and what is wrong with it."""

    number: int  # of the question's labels, from 0
    place: PlaceView | None
    said: str = ""
    problem: str = ""
    suggestion: PlaceView | None = None
    loose: bool = False  # held by line numbers alone: it will not follow its text


@dataclass(frozen=True, slots=True)
class QuestionView:
    """One golden question."""

    id: str
    question: str
    lang: str
    answerable: bool
    broken: bool
    scored: bool
    mark: str
    labels: tuple[LabelView, ...]


@dataclass(frozen=True, slots=True)
class Filters:
    """Which questions are wanted; "" is all."""

    lang: str = ""
    kind: str = ""  # answerable, unanswerable or broken
    words: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Filters:
        """Read them from an address."""
        kind = query.get("kind", "")
        return cls(query.get("in", ""), kind if kind in KINDS else "", query.get("words", "").strip())

    def of(self, checked: Sequence[CheckedQuestion], config: CollectionConfig) -> list[CheckedQuestion]:
        """Return the questions that are wanted, those with a broken label first."""
        wanted = (one for one in checked if self._lets_through(one, language_of(one.question, config)))
        return sorted(wanted, key=lambda one: not one.broken)

    def _lets_through(self, one: CheckedQuestion, lang: str) -> bool:
        words = f"{one.question.question} {one.question.id}".casefold()
        return (
            self.lang in ("", lang)
            and (not self.kind or KINDS[self.kind](one))
            and all(word in words for word in self.words.casefold().split())
        )

    def as_query(self) -> dict[str, str | None]:
        """Return them as an address has them."""
        return {"in": self.lang or None, "kind": self.kind or None, "words": self.words or None}


KINDS: Mapping[str, Callable[[CheckedQuestion], bool]] = {
    "answerable": lambda one: one.question.answerable,
    "unanswerable": lambda one: not one.question.answerable,
    "broken": lambda one: one.broken,
}


def language_of(question: Question, config: CollectionConfig) -> str:
    """Return the language a question is asked in."""
    return question.lang or detect_language(question.question, config.languages)


class Labeller:
    """Shows labels of one collection to the current reader, who may not see every page."""

    def __init__(self, desk: Desk, suggest: Suggest) -> None:
        self._desk = desk
        self._suggest = suggest
        self._seen = {one.id: one for one in pages(desk.files(), current_reader())}

    def question(self, checked: CheckedQuestion, mark: str) -> QuestionView:
        """Return a question with its labels."""
        question = checked.question
        return QuestionView(
            id=question.id,
            question=printable(question.question),
            lang=language_of(question, self._desk.config),
            answerable=question.answerable,
            broken=checked.broken,
            scored=checked.scored,
            mark=mark,
            labels=tuple(self._label(number, one) for number, one in enumerate(checked.labels)),
        )

    def place(self, place: Place) -> PlaceView | None:
        """Return a place; None when the reader may not see its page."""
        document = self._seen.get(place.document_id)
        return place_view(self._desk.name, document, place) if document else None

    def _label(self, number_: int, checked: CheckedLabel) -> LabelView:
        label = checked.label
        if checked.place:
            return LabelView(number_, self.place(checked.place), loose=label.fact is None)
        suggested = self._suggest(label)
        return LabelView(
            number=number_,
            place=None,
            said=printable(label.fact or ""),
            problem=self._problem(checked),
            suggestion=self.place(suggested) if suggested else None,
        )

    def _problem(self, checked: CheckedLabel) -> str:
        label, document = checked.label, self._seen.get(checked.label.document)
        title = document.title if document else label.document
        match checked.problem:
            case LabelProblem.NO_DOCUMENT:
                return _("There is no page “%(page)s” any more.", page=title)
            case LabelProblem.NOT_CURRENT if document:
                status = status_words(document.status)
                return _("The page “%(page)s” is no longer current: %(status)s.", page=title, status=status)
            case LabelProblem.NO_LINES if label.lines:
                last = number(label.lines[1])
                return _("The page “%(page)s” has no line %(line)s any more.", page=title, line=last)
            case _:
                return _("The page “%(page)s” no longer says this.", page=title)


def place_view(collection: str, document: Document, place: Place) -> PlaceView:
    """Return lines of a document for the page."""
    first, last = place.first_line, place.last_line
    lines = f"{first}-{last}" if last > first else f"{first}"
    return PlaceView(
        document=document.id,
        title=document.title,
        lang=document.lang,
        first=first,
        last=last,
        lines=lines_words(first, last),
        text=printable(text_of(document, first, last)),
        url=f"{source_url(collection, document.id, lines=lines)}#L{first}",
    )


def trouble_words(problem: GoldenProblem) -> str:
    """Say why a golden set could not be read or changed, and what to do."""
    return {
        GoldenTrouble.CHANGED: _(
            "Somebody changed or removed this question in the meantime. Open it again: nothing was overwritten."
        ),
        GoldenTrouble.GONE: _(
            "This question is no longer in the golden file, or its line can't be read. What you typed is still here: "
            "keep it as a new question."
        ),
        GoldenTrouble.ID_TAKEN: _("There is a question with this id already."),
        GoldenTrouble.NOT_TEXT: _(
            "The golden file is not UTF-8 text, so it can't be read. Mend it in an editor, or replace it."
        ),
        GoldenTrouble.NOT_WRITTEN: _(
            "The golden file could not be written: its folder is closed to writing, or the disk is full."
        ),
        GoldenTrouble.UNUSABLE: _("Nothing was brought in, because some lines can't be used:"),
    }[problem.code]


def new_id(question: str, taken: Sequence[str]) -> str:
    """Return an id for a question, made of its first words."""
    words = "".join(char if char.isalnum() or not char.isascii() else " " for char in question.casefold()).split()
    base = "-".join(words[:5])[:40] or "question"
    same = {one for one in taken if one.startswith(base)}
    return next(one for count in range(len(same) + 1) if (one := f"{base}-{count + 1}" if count else base) not in same)
