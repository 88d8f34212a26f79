"""Answers that a change would change, as kept by a job, in the reader's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.answering.model import Reason
from webapp.core.evaluation.paired import Agreed
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.wording import reason_words
from webapp.pages.editor.hidden import hidden_questions
from webapp.services.change import ChangeKind
from webapp.web.context import services
from webapp.web.i18n import lines_words

AGREED: Mapping[str, LazyString] = {
    Agreed.FOUND.value: _l("Right section among the first five"),
    Agreed.ANSWERED.value: _l("Answered from the right place"),
    Agreed.REFUSED.value: _l("Rightly not answered"),
}
KINDS: Mapping[ChangeKind, LazyString] = {
    ChangeKind.ABSTAINS: _l("No longer answered"),
    ChangeKind.SOURCE: _l("Answered from another source"),
    ChangeKind.TEXT: _l("Answered in other words"),
    ChangeKind.ANSWERED: _l("Now answered"),
}


@dataclass(frozen=True, slots=True)
class Cited:
    """A source of one side."""

    title: str
    heading: str
    lines: str
    lang: str
    url: str  # "" where the lines are those of the draft


@dataclass(frozen=True, slots=True)
class Side:
    """An answer before or after; without one, why."""

    answer: str
    why: str
    cited: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One question whose answer changes."""

    question: str
    lang: str
    kind: ChangeKind
    times: int
    golden: bool
    unanswerable: bool  # the golden set says that nothing answers it
    before: Side
    after: Side


@dataclass(frozen=True, slots=True)
class Group:
    """The changes of one kind."""

    kind: ChangeKind
    words: LazyString
    changes: tuple[Change, ...]


def groups(result: Mapping[str, Any], collection: str, pages: int) -> list[Group]:
    """Return the changes by kind, the worst first, less those of questions that are erased since; `pages` is how many
    an answer could come from."""
    asked = services().store.asked.questions([one["answer_id"] for one in result["changes"]])
    known = [one | {"question": one["question"] or asked.get(one["answer_id"])} for one in result["changes"]]
    changed = result.get("document_id") or ""
    hidden = {None, *hidden_questions(services().desk(collection))}
    changes = [_change(one, collection, pages, changed) for one in known if one["question"] not in hidden]
    found = ((kind, tuple(one for one in changes if one.kind is kind)) for kind in ChangeKind)
    return [Group(kind, KINDS[kind], of) for kind, of in found if of]


def _change(kept: Mapping[str, Any], collection: str, pages: int, changed: str) -> Change:
    return Change(
        question=kept["question"],
        lang=kept["lang"],
        kind=ChangeKind(kept["kind"]),
        times=kept["times"],
        golden=kept["answerable"] is not None,
        unanswerable=kept["answerable"] is False,
        before=_side(kept["before"], collection, pages),
        after=_side(kept["after"], collection, pages, changed),
    )


def _side(kept: Mapping[str, Any], collection: str, pages: int, changed: str = "") -> Side:
    why = reason_words(Reason(kept["reason"]), pages) if kept["abstained"] else ""
    return Side(kept["answer"], why, tuple(_cited(kept["citations"], collection, changed)))


def _cited(kept: Sequence[Mapping[str, Any]], collection: str, changed: str) -> Iterator[Cited]:
    for one in kept:
        first, last = one["first_line"], one["last_line"]
        lines = f"{first}-{last}" if last > first else f"{first}"
        is_draft = one["document_id"] == changed
        url = "" if is_draft else f"{source_url(collection, one['document_id'], lines=lines)}#L{first}"
        yield Cited(one["title"], one["heading"], lines_words(first, last), one["lang"], url)
