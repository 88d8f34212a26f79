"""What a file says about itself: its front matter, in our terms and checked. Nothing is guessed from half a head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.conventions import id_is_local, status_from_flags, value_of
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.front_matter import FrontMatter
from webapp.core.documents.language import KNOWN_LANGUAGES
from webapp.core.documents.lines import fold
from webapp.core.documents.model import PUBLIC, Status

_STATUS_WORDS = {status.value: status for status in Status} | dict.fromkeys(
    ("published", "final", "active"), Status.CURRENT
)
_LANG = re.compile(r"(?P<main>[a-z]{2,3})(?:[-_][a-z0-9]+)*", re.IGNORECASE)
_TIME_OF_DAY = re.compile(r"[T ]\d{1,2}:\d\d.*", re.DOTALL)
_DATE_FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%d.%m.%Y", "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The checked front matter. "" and None: the file does not say."""

    id: str
    title: str
    version: str
    status: Status
    lang: str
    audience: frozenset[str]
    updated: date | None
    valid_until: date | None
    superseded_by: str | None
    attributes: Mapping[str, str] = field(default_factory=dict)


def read_metadata(head: FrontMatter, path: str, config: CollectionConfig, line_of: Callable[[int], int]) -> Metadata:
    """Return what the head says. Raises DocumentError with the line, which `line_of` gives for a file offset."""
    return _Head(head, path, config, line_of).read()


class _Head:
    """One head while it is read."""

    def __init__(self, head: FrontMatter, path: str, config: CollectionConfig, line_of: Callable[[int], int]) -> None:
        self.head, self.path, self.config, self.line_of = head, path, config, line_of

    def read(self) -> Metadata:
        return Metadata(
            id=self._id(),
            title=self._words("title"),
            version=_joined(value_of("version", self.head.values)[1] or ""),
            status=self._status(),
            lang=self._lang(),
            audience=self._audience(),
            updated=self._date("updated", strict=False),
            valid_until=self._date("valid_until", strict=True),
            superseded_by=self._words("superseded_by") or None,
            attributes=self._attributes(),
        )

    def _fail(self, key: str, message: str) -> DocumentError:
        return DocumentError(message, self.line_of(self.head.offset_of(key)))

    def _words(self, name: str) -> str:
        key, value = value_of(name, self.head.values)
        if isinstance(value, list | dict):
            raise self._fail(key, f"{key} must be one value, not a list or a mapping")
        return fold(str(value)) if value is not None else ""

    def _id(self) -> str:
        given = self._words("id").strip("/")
        folder = self.path.rpartition("/")[0]
        return f"{folder}/{given}" if given and folder and id_is_local(self.head.values, self.path) else given

    def _status(self) -> Status:
        key, _ = value_of("status", self.head.values)
        word = self._words("status")
        status = _STATUS_WORDS.get(word.lower()) if word else None
        if word and status is None:
            known = ", ".join(_STATUS_WORDS)
            raise self._fail(key, f"unknown status {word!r}; use one of {known}")
        flagged = status_from_flags(self.head.values)
        if flagged and status in (None, Status.CURRENT):
            return Status(flagged)
        if status is None and self.config.status_when_missing == "held_back":
            raise DocumentError("the document has no status; this collection asks for one", 1)
        return status or Status.CURRENT

    def _lang(self) -> str:
        key, _ = value_of("lang", self.head.values)
        word = self._words("lang")
        if not word:
            return ""
        code = _LANG.fullmatch(word)
        if key != "lang":  # other tools' keys may mean something else, such as a programming language
            return code["main"].lower() if code and code["main"].lower() in KNOWN_LANGUAGES else ""
        if code is None:
            raise self._fail(key, f"{word!r} is not a language; write a code such as en or bn")
        return code["main"].lower()

    def _audience(self) -> frozenset[str]:
        _, value = value_of("audience", self.head.values)
        words = value if isinstance(value, list) else str(value or "").split(",")
        return frozenset(fold(str(word)) for word in words if str(word).strip()) or frozenset({PUBLIC})

    def _date(self, name: str, strict: bool) -> date | None:
        key, _ = value_of(name, self.head.values)
        word = self._words(name)
        found = parse_date(word)
        if word and found is None and strict:
            raise self._fail(key, f"{key} {word!r} is not a date; write it as 2026-01-31")
        return found

    def _attributes(self) -> dict[str, str]:
        values = {name: self.head.values.get(name) for name in self.config.filters}
        return {name: _joined(value) for name, value in values.items() if value not in (None, "")}


def parse_date(word: str) -> date | None:
    """Return the day that a date or a moment names, however it is usually written; None when it names none."""
    if not word:
        return None
    try:
        return datetime.fromisoformat(word).date()
    except ValueError:
        pass
    day = _TIME_OF_DAY.sub("", word)
    for pattern in _DATE_FORMATS:
        try:
            return datetime.strptime(day, pattern).date()
        except ValueError:
            continue
    return None


def _joined(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else fold(str(value))
