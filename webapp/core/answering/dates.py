"""Dates in any usual written form, as what they say: 10 March 2024 = March 10, 2024 = 2024-03-10 = ১০ই মার্চ, ২০২৪."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from webapp.core.answering.quantity_words import BANGLA_DIGITS, MAYBE_MONTHS, MONTHS, nfc


@dataclass(frozen=True, slots=True)
class Date:
    """A day, or a month where no day is named. `start` is where it stands in the text."""

    month: int
    day: int | None = None
    year: int | None = None
    either: bool = False  # day and month may be meant the other way round: 03/10/2024
    start: int = 0

    def __str__(self) -> str:
        parts = (self.year, self.month, self.day)
        return "-".join("?" if part is None else f"{part:02}" for part in parts)


_SURE = "|".join(sorted(MONTHS.keys() - MAYBE_MONTHS, key=len, reverse=True))
# "may" and "march" are months where a number stands beside them, in English only with a capital.
_MAYBE = "|".join(sorted(({one.capitalize() for one in MAYBE_MONTHS}), key=len, reverse=True))
_AFTER = r"(?:য়ের|ের|ে|এর)?(?:\s+মাসে?র?)?\.?(?![\w\u0980-\u09ff])"
_MONTH = rf"(?<![\w\u0980-\u09ff])(?P<month>(?i:{_SURE})|{_MAYBE}){_AFTER}"
_NTH = r"(?:st|nd|rd|th|ই|শে|লা|রা|ঠা)?"
_DAYS = rf"(?P<day>\d{{1,2}}){_NTH}(?:\s*(?:-|–|to|and|or|থেকে|ও|বা)\s*(?P<last>\d{{1,2}}){_NTH})?"
_YEAR = r"(?P<year>[12]\d{3})(?![\d-])"
_FORMS = tuple(
    re.compile(form)
    for form in (
        r"(?<![\w-])(?P<year>[12]\d{3})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\w-])",
        r"(?<![\w./-])(?P<day>\d{1,2})(?P<mark>[-/.])(?P<number>\d{1,2})(?P=mark)(?P<year>[12]\d{3})(?![\w-])",
        rf"(?<![\w.,:/-]){_DAYS}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?",
        rf"{_MONTH}\s+(?:the\s+)?{_DAYS}(?![\w:]|[.,]\d)(?:,?\s+{_YEAR})?",
        rf"{_MONTH},?\s+{_YEAR}",
        rf"(?<![\w\u0980-\u09ff])(?P<month>(?i:{_SURE})){_AFTER}",
    )
)


def take_dates(text: str) -> tuple[tuple[Date, ...], str]:
    """Return the dates of a text (NFC, digits 0-9) in its order, and the text with blanks where they stood."""
    found: list[Date] = []
    for form in _FORMS:
        for match in list(form.finditer(text)):
            if dates := list(_dates(match)):
                found += dates
                text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    return tuple(sorted(found, key=lambda date: date.start)), text


def without_dates(text: str) -> str:
    """Return a text with blanks where its dates stood."""
    return take_dates(nfc(text).translate(BANGLA_DIGITS))[1]


def _dates(match: re.Match[str]) -> Iterator[Date]:
    """Yield the date that stands there, or both ends of a range of days; nothing for what is none (31.31.2024)."""
    given = match.groupdict()
    year = int(given["year"]) if given.get("year") else None
    if number := given.get("number"):
        date = _of_numbers(int(given["day"]), int(number), year)
    else:
        month = given["month"]
        date = Date(int(month) if month.isdigit() else MONTHS[month.lower()], _number(given.get("day")), year)
    days = (date.day, _number(given.get("last"))) if given.get("last") else (date.day,)
    if 1 <= date.month <= 12 and all(day is None or 1 <= day <= 31 for day in days):
        yield from (replace(date, day=day, start=match.start()) for day in days)


def _number(text: str | None) -> int | None:
    return int(text) if text else None


def _of_numbers(first: int, second: int, year: int | None) -> Date:
    """The day comes first in most of the world; where both numbers could be a month, either may."""
    if second > 12:
        return Date(first, second, year)
    return Date(second, first, year, either=first <= 12)


def borne_out(said: Date, source: Sequence[Date], years: Set[int]) -> bool:
    """Tell whether one of a source's dates is the date that was said. `years`: those that the source names apart."""
    return any(_fits(one, other, years) for one in _readings([said]) for other in _readings(source))


def _readings(dates: Iterable[Date]) -> Iterator[Date]:
    for date in dates:
        yield date
        if date.either and date.day:
            yield replace(date, day=date.month, month=date.day)


def _fits(said: Date, source: Date, years: Set[int]) -> bool:
    same_year = said.year in (None, source.year) or (source.year is None and said.year in years)
    return said.month == source.month and said.day in (None, source.day) and same_year
