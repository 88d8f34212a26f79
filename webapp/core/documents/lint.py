"""What is to be looked at before a page is published: of the page itself, and of its place in the collection.

Findings are codes and details; whoever shows them has the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from itertools import islice

from webapp.core.documents.conventions import value_of
from webapp.core.documents.front_matter import read_front_matter
from webapp.core.documents.links import broken_links
from webapp.core.documents.model import PUBLIC, Collection, Document, Section, Status

LONG = 6000  # characters a section's text may have: about 1,000 words, more than anybody reads for one answer
MOST = 100  # findings of one kind: whoever has mended so many looks the page over again
SHORT = 20  # and should have: less says nothing by itself


class LintCode(StrEnum):
    """What was found."""

    UNREADABLE = "unreadable"
    NO_STATUS = "no_status"
    NOT_CURRENT = "not_current"
    NO_TITLE = "no_title"
    NO_TEXT = "no_text"
    OVER = "over"
    NO_SUCCESSOR = "no_successor"
    UNKNOWN_SUCCESSOR = "unknown_successor"
    UNKNOWN_AUDIENCE = "unknown_audience"
    OTHER_LANGUAGE = "other_language"
    SAME_ID = "same_id"
    TAKEN_ID = "taken_id"
    BROKEN_LINK = "broken_link"
    BROKEN_ANCHOR = "broken_anchor"
    LONG_SECTION = "long_section"
    SHORT_SECTION = "short_section"
    REPEATS = "repeats"
    DISAGREES = "disagrees"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at. `line` is the file's, 0 for the file as a whole; with `stops` it can't be published."""

    code: LintCode
    line: int
    details: Mapping[str, str] = field(default_factory=dict)
    stops: bool = False


def lint(
    document: Document, collection: Collection, today: date, closed: frozenset[str] = frozenset()
) -> list[Finding]:
    """Return what the page itself, its links and its id give reason to look at, by line. Files at `closed` paths are as
    if they were not there, but that an id of theirs is taken."""
    others = [one for one in collection.documents if one.path != document.path]
    found = [
        *_on_head(document, collection, today),
        *_on_successor(document, [one for one in others if one.path not in closed]),
        *_on_id(document, others, closed),
        *islice(_on_links(document, collection, closed), MOST),
        *islice(_on_sections(document), MOST),
    ]
    return sorted(found, key=lambda one: one.line)


def _on_head(document: Document, collection: Collection, today: date) -> Iterator[Finding]:
    head, config = read_front_matter(document.text), collection.config
    if not value_of("status", head.values)[1]:
        yield Finding(LintCode.NO_STATUS, 1)
    elif document.status not in (Status.CURRENT, Status.SUPERSEDED):
        yield _head_finding(document, LintCode.NOT_CURRENT, "status", status=document.status.value)
    if not value_of("title", head.values)[1]:
        yield Finding(LintCode.NO_TITLE, 1, {"title": document.title})
    if not any(section.text.strip() for section in document.sections):
        yield Finding(LintCode.NO_TEXT, document.body_line)
    if document.valid_until and document.valid_until < today:
        yield _head_finding(document, LintCode.OVER, "valid_until", date=document.valid_until.isoformat())
    if unknown := sorted(document.audience - {PUBLIC} - set(config.groups)):
        yield _head_finding(document, LintCode.UNKNOWN_AUDIENCE, "audience", groups=", ".join(unknown))
    if "languages" in config.model_fields_set and document.lang not in config.languages:
        yield _head_finding(document, LintCode.OTHER_LANGUAGE, "lang", lang=document.lang)


def _on_successor(document: Document, others: list[Document]) -> Iterator[Finding]:
    if document.superseded_by:
        if document.superseded_by not in {one.id for one in others}:
            yield _head_finding(document, LintCode.UNKNOWN_SUCCESSOR, "superseded_by", id=document.superseded_by)
    elif document.status is Status.SUPERSEDED:
        yield _head_finding(document, LintCode.NO_SUCCESSOR, "status")


def _on_id(document: Document, others: list[Document], closed: frozenset[str]) -> Iterator[Finding]:
    same = {one.path for one in others if one.id == document.id and one.declared_id and document.declared_id}
    if named := sorted(same - closed):
        yield _head_finding(document, LintCode.SAME_ID, "id", stops=True, id=document.id, path=", ".join(named))
    elif same:
        yield _head_finding(document, LintCode.TAKEN_ID, "id", stops=True, id=document.id)


def _on_links(document: Document, collection: Collection, closed: frozenset[str]) -> Iterator[Finding]:
    by_path = {one.path: one for one in collection.documents if one.path not in closed}

    def exists(path: str) -> bool:
        return path in by_path or (path not in closed and (collection.folder / path).is_file())

    for link, heading in broken_links(document, by_path.get, exists):
        code = LintCode.BROKEN_ANCHOR if heading else LintCode.BROKEN_LINK
        yield Finding(code, link.line, {"address": link.address})


def _on_sections(document: Document) -> Iterator[Finding]:
    for section in document.sections:
        length = len(" ".join(section.plain.text.split())) if section.text.strip() else 0
        details = {"heading": section.heading, "length": str(length)}
        if length > LONG:
            yield Finding(LintCode.LONG_SECTION, _line(section), details)
        elif 0 < length < SHORT:
            yield Finding(LintCode.SHORT_SECTION, _line(section), details)


def _line(section: Section) -> int:
    return section.heading_line or section.first_line


def _head_finding(document: Document, code: LintCode, key: str, stops: bool = False, **details: str) -> Finding:
    head = read_front_matter(document.text)
    name = value_of(key, head.values)[0] or key
    return Finding(code, document.line_at(head.offset_of(name)), details, stops)
