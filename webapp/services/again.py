"""An old question asked again today: for the same kind of reader, on the live index, and nothing is kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from webapp.core.answering.model import Answer, Trace
from webapp.core.documents.lines import fold
from webapp.core.retrieval.model import Reader, Role
from webapp.services.desk import Desk
from webapp.services.model import AskOptions, Record

_NOTHING_OF_IT = {"answer": "", "statements": (), "citations": (), "retrieved": (), "nearest": ()}


class Difference(StrEnum):
    """What is different today."""

    SAME = "same"
    WORDS = "words"  # the same sources, in other words
    SOURCES = "sources"  # the same words, from other sources
    ANSWER = "answer"  # both
    ABSTAINS = "abstains"  # there was an answer, and is none
    ANSWERS = "answers"  # there was none, and is one
    REASON = "reason"  # no answer either time, for another reason


@dataclass(frozen=True, slots=True)
class Again:
    """The answer of today. `closed`: it cites a page that this reader may not see, and is left out."""

    answer: Answer
    trace: Trace
    differs: Difference
    closed: bool = False


def ask_again(desk: Desk, record: Record, reader: Reader) -> Again:
    """Ask a kept question again as whoever asked it, and say what differs. Raises as `Desk.try_out` does."""
    given = record.answer
    asker = Reader(Role(record.reader_role), record.reader_groups or frozenset())
    options = AskOptions(given.only_lang, given.filters, lang=given.lang, follows=given.follows)
    today, trace = desk.try_out(given.question, asker, options)
    differs = difference(given, today)
    shelf = desk.shelf(reader)
    if all(shelf.sees_document(one.document_id) for one in today.citations):
        return Again(today, trace, differs)
    return Again(today.model_copy(update=_NOTHING_OF_IT), trace, differs, closed=True)


def difference(then: Answer, now: Answer) -> Difference:
    """Say how two answers to one question differ. Where a page's lines moved, its sources are still the same."""
    if then.abstained and now.abstained:
        return Difference.SAME if then.reason is now.reason else Difference.REASON
    if then.abstained or now.abstained:
        return Difference.ABSTAINS if now.abstained else Difference.ANSWERS
    same_words, same_sources = fold(then.answer) == fold(now.answer), _sources(then) == _sources(now)
    if same_words:
        return Difference.SAME if same_sources else Difference.SOURCES
    return Difference.WORDS if same_sources else Difference.ANSWER


def _sources(answer: Answer) -> frozenset[tuple[str, str, str]]:
    return frozenset((one.document_id, one.version, one.heading) for one in answer.citations)
