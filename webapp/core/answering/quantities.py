"""Numbers, dates, times, amounts and codes of a text, in a form that compares: 3 = three = ৩, 1,000 = ১,০০০,
6:00 AM = 6 am. Units are kept and never converted: 72 hours are not 3 days unless the source says so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from webapp.core.answering import quantity_words as words
from webapp.core.answering.dates import Date, take_dates
from webapp.core.retrieval.function_words import function_terms
from webapp.core.retrieval.words import normalise, stem

_LETTER = r"(?:[^\W\d_]|[\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u200c\u200d])"  # `\w` leaves out vowel signs
_RUN = re.compile(
    rf"(?:{_LETTER}|\d)+(?:(?:[-_/.:'’]|,(?=\d))(?:{_LETTER}|\d)+)*|[$€£₹৳%–—-]",
)
_NUMBER = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?")
_CLOCK = re.compile(rf"(\d{{1,2}}):(\d{{2}})({_LETTER}*)")
_MERIDIEM = {"am": 0, "pm": 12}
_TIME, _CLOCK_UNIT = "o'clock", "clock"
_COUNTED_WORDS = 3  # after a number, that may name what it counts: "3 new gift cards"
_BEFORE = 40  # characters before a number, that may say whether it is a limit
_MOST_LISTED = 8  # numbers that may share a unit: longer rows of them are data


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number with its unit, "" when none is said: then `counted` holds the terms of what it counts, if anything.
    `bound`: "max" (within, up to), "min" (at least) or ""."""

    value: Decimal
    unit: str = ""
    bound: str = ""
    certain: bool = True  # False: a word that is often no number ("one of them")
    counted: frozenset[str] = frozenset()

    def __str__(self) -> str:
        if self.unit in (_TIME, _CLOCK_UNIT):
            return f"{int(self.value) // 60}:{int(self.value) % 60:02}"
        return f"{self.value:f} {self.unit}".strip()


@dataclass(frozen=True, slots=True)
class _Token:
    text: str  # lower case
    start: int  # in the text, for the words before it
    value: Decimal | None = None
    word: bool = False  # a number written as a word
    unit: str = ""  # settled by the token itself: a time, a month


@dataclass(frozen=True, slots=True)
class Measures:
    """Everything countable that a text says."""

    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]  # their days and years are among the quantities too
    codes: frozenset[str]  # PROC-SAN-001, RD2-24: lower case, as written
    units: frozenset[str]  # those named apart from any number: at the top of a table's column


@lru_cache(maxsize=4096)
def measures(text: str) -> Measures:
    """Return the quantities, codes and units of a text. A list number at its start is not one of them."""
    text = words.nfc(text).translate(words.BANGLA_DIGITS)
    dates, text = take_dates(_LIST_NUMBER.sub(lambda match: " " * len(match[0]), text))
    tokens, codes = _tokens(text)
    taken = {place for n, token in enumerate(tokens) if token.value is not None for place in _taken(text, tokens, n)}
    units = {unit for n in range(len(tokens)) if n not in taken and (unit := _unit_at(tokens, n))}
    quantities = (*_quantities(text, tokens), *_of_dates(dates, text))
    return Measures(quantities, dates, frozenset(codes), frozenset(units))


def _of_dates(dates: Sequence[Date], text: str) -> Iterator[Quantity]:
    """Yield days and years as numbers, since another sentence may name them without the month."""
    for date in dates:
        if date.day:
            until = words.UNTIL_DATE.search(text[max(0, date.start - _BEFORE) : date.start])
            yield Quantity(Decimal(date.day), bound="max" if until else _bound(text, date.start))
        if date.year:
            yield Quantity(Decimal(date.year))


_LIST_NUMBER = re.compile(r"^\s*\(?1?\d[.)]\s+")  # no list in an answer goes on to 20: "30. So many days …" is a number


def _taken(text: str, tokens: Sequence[_Token], n: int) -> Iterator[int]:
    """Yield the places of the tokens, beside the number at `n`, that may be its unit."""
    if _unit_before(tokens, n):
        yield from (n - 1, n - 2)
    after = _place_of_unit(text, tokens, _scaled(tokens, n)[1])
    if after is not None:
        yield from (after, after + 1)


def _tokens(text: str) -> tuple[list[_Token], set[str]]:
    tokens: list[_Token] = []
    codes: set[str] = set()
    for match in _RUN.finditer(text):
        run, start = match[0].lower(), match.start()
        made = list(_times(run, start)) or list(_numbers(run, start)) or list(_words(run, start))
        if not made:
            codes.add(run)
            made = [_Token(run, start)]
        tokens.extend(made)
    return tokens, codes


def _times(run: str, start: int) -> Iterator[_Token]:
    if clock := _CLOCK.fullmatch(run):
        yield _Token(run, start, Decimal(int(clock[1]) * 60 + int(clock[2])), unit=_CLOCK_UNIT)
        if clock[3]:
            yield _Token(clock[3], start)


_PART = re.compile(rf"(?P<number>{_NUMBER.pattern})(?P<tail>{_LETTER}*)|(?P<letters>{_LETTER}+)|(?P<joint>[-_/.:'’,])")


def _numbers(run: str, start: int) -> Iterator[_Token]:
    """`48-hour`, `4-7`, `10th`, `5kg`, `rs.500`; nothing for codes such as `rd2-24` or `4.1.2`."""
    if not any(char.isdigit() for char in run):
        return
    parts = list(_PART.finditer(run))
    if not parts[0]["number"] and parts[0]["letters"] not in words.BEFORE_NUMBER:
        return
    if run.count(".") > 1 or any(part["number"] and not _known_tail(part["tail"]) for part in parts):
        return
    for part in parts:
        where = start + part.start()
        if part["number"]:
            yield _Token(part["number"], where, Decimal(part["number"].replace(",", "")))
        if text := part["tail"] or part["letters"] or part["joint"]:
            yield _Token(text, where)


def _known_tail(tail: str) -> bool:
    known = ("", "st", "nd", "rd", "th", "am", "pm", "s")
    return (
        tail in known or tail in words.UNITS or bool(words.BANGLA_ENDINGS.fullmatch(tail)) or bool(_bangla_unit(tail))
    )


def _words(run: str, start: int) -> Iterator[_Token]:
    if any(char.isdigit() for char in run):
        return
    for piece in re.split("[-/_]", run):
        plain = piece.replace(".", "")
        value = _number_word(plain)
        yield _Token(plain, start, None if value is None else Decimal(value), word=True)


def _number_word(word: str) -> int | None:
    if word in words.NUMBER_WORDS:
        return words.NUMBER_WORDS[word]
    for ending in ("টি", "টা", "জন", "টির", "জনের"):
        if word.endswith(ending) and word.removesuffix(ending) in words.NUMBER_WORDS:
            return words.NUMBER_WORDS[word.removesuffix(ending)]
    return None


def _bangla_unit(word: str) -> str:
    if word[:1] < "\u0980":
        return ""
    for name, unit in words.BANGLA_UNITS.items():
        if word.startswith(name) and words.BANGLA_ENDINGS.fullmatch(word[len(name) :]):
            return unit
    return ""


def _unit_at(tokens: Sequence[_Token], n: int) -> str:
    """Return the unit that the token at `n` (with the next one) names, or ""."""
    if n >= len(tokens):
        return ""
    word = tokens[n].text
    following = next((token.text for token in tokens[n + 1 : n + 3] if token.text != "-"), "")
    pair = words.TWO_WORD_UNITS.get((word, following.removesuffix("s")))
    return pair or words.UNITS.get(word) or _bangla_unit(word)


def _quantities(text: str, tokens: Sequence[_Token]) -> Iterator[Quantity]:
    n = 0
    while n < len(tokens):
        token = tokens[n]
        if token.value is not None:
            value, after = _scaled(tokens, n)
            yield _quantity(text, tokens, (n, after), value)
            n = after - 1
        n += 1


def _quantity(text: str, tokens: Sequence[_Token], place: tuple[int, int], value: Decimal) -> Quantity:
    n, after = place
    token = tokens[n]
    bound = _bound(text, token.start)
    meridiem = tokens[after].text if after < len(tokens) else ""
    if meridiem in _MERIDIEM and token.unit in ("", _CLOCK_UNIT):
        minutes = int(value) if token.unit else int(value) * 60
        return Quantity(Decimal(minutes % 720 + 60 * _MERIDIEM[meridiem]), _TIME, bound)
    unit = token.unit or _unit_before(tokens, n) or _unit_after(text, tokens, after)
    certain = not token.word or bool(unit) or token.text not in words.AMBIGUOUS
    return Quantity(value, unit, bound, certain, frozenset() if unit else _counted(text, tokens, after))


def _bound(text: str, start: int) -> str:
    before = text[max(0, start - _BEFORE) : start]
    return "max" if words.AT_MOST.search(before) else "min" if words.AT_LEAST.search(before) else ""


def _counted(text: str, tokens: Sequence[_Token], n: int) -> frozenset[str]:
    """Return the terms of the words that follow a number without a break: what it counts is one of them."""
    found: list[str] = []
    for place in range(n, min(n + _COUNTED_WORDS + 1, len(tokens))):
        word = normalise(tokens[place].text)
        term = stem(word, "en") if word else ""
        between = text[tokens[place - 1].start + len(tokens[place - 1].text) : tokens[place].start]
        if tokens[place].value is not None or between.strip() or not term[:1].isalpha() or term in function_terms():
            break
        if not words.BANGLA_ENDINGS.fullmatch(tokens[place].text):  # "৩টি কার্ড": what counts comes after
            found.append(term)
    return frozenset(found[:_COUNTED_WORDS])


def _scaled(tokens: Sequence[_Token], n: int) -> tuple[Decimal, int]:
    """Return the value that begins at `n` ("two hundred and fifty", "1.5 million") and where it ends."""
    token = tokens[n]
    value = token.value or Decimal(0)
    after = n + 1
    if token.word and value >= 20 and value % 10 == 0 and _small_word(tokens, after):
        value += tokens[after].value or 0
        after += 1
    while after < len(tokens) and tokens[after].text in words.SCALES and not token.unit:
        value *= words.SCALES[tokens[after].text]
        after += 1
        skip = after + 1 if after < len(tokens) and tokens[after].text == "and" else after
        if token.word and skip < len(tokens) and tokens[skip].word and (tokens[skip].value or 100) < 100:
            value += tokens[skip].value or 0
            after = skip + 1
    return value, after


def _small_word(tokens: Sequence[_Token], n: int) -> bool:
    return n < len(tokens) and tokens[n].word and 0 < (tokens[n].value or 0) < 10


def _unit_after(text: str, tokens: Sequence[_Token], n: int) -> str:
    place = _place_of_unit(text, tokens, n)
    return "" if place is None else _unit_at(tokens, place)


def _place_of_unit(text: str, tokens: Sequence[_Token], n: int) -> int | None:
    """Return where the unit of a number that ends before `n` stands: past a filler or two, or after the range or list
    that the number opens ("4 to 7 days", "4, 5 or 7 days")."""
    for _ in range(_MOST_LISTED):
        place, number = _unit_or_number(text, tokens, n)
        if number is None:
            return place
        n = _scaled(tokens, number)[1]
    return None


def _unit_or_number(text: str, tokens: Sequence[_Token], n: int) -> tuple[int | None, int | None]:
    """Return the place of the unit that follows, else that of the next number of the same range or list."""
    if _is_number(tokens, n) and _comma_before(text, tokens, n):
        return None, n
    for place in range(n, min(n + 4, len(tokens))):
        if _unit_at(tokens, place):
            return place, None
        if tokens[place].text in words.RANGE_WORDS and _is_number(tokens, place + 1):
            return None, place + 1
        if tokens[place].text not in words.FILLERS:
            break
    return None, None


def _is_number(tokens: Sequence[_Token], n: int) -> bool:
    return n < len(tokens) and tokens[n].value is not None


def _comma_before(text: str, tokens: Sequence[_Token], n: int) -> bool:
    return text[tokens[n - 1].start + len(tokens[n - 1].text) : tokens[n].start].strip() == ","


def _unit_before(tokens: Sequence[_Token], n: int) -> str:
    before = tokens[n - 1].text if n else ""
    if before in (".", "-") and n > 1:
        before = tokens[n - 2].text
    return words.UNITS.get(before, "") if before in words.BEFORE_NUMBER else ""


def same(said: Quantity, source: Quantity, units: frozenset[str]) -> bool:
    """Tell whether a source's quantity bears out one that was said. `units` are those the source names apart from any
    number: a table says its unit once, at the top."""
    times = {_TIME, _CLOCK_UNIT}
    if {said.unit, source.unit} <= times and said.unit != source.unit:
        return said.value % 720 == source.value % 720
    if said.value != source.value:
        return False
    if said.unit == source.unit:
        return True
    if not said.unit:  # "36 cards" are no 36 months
        return not said.counted
    return not source.unit and said.unit in units
