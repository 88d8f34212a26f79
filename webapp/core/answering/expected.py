"""What kind of thing a question asks for, and whether a sentence holds one: a number, a date, an amount, a way."""

from __future__ import annotations

import re
from enum import Enum

from webapp.core.answering.quantities import Measures, measures
from webapp.core.retrieval.words import normalise


class Expected(Enum):
    """The kind of answer a question looks for."""

    NUMBER = "number"
    MONEY = "money"
    DURATION = "duration"
    TIME = "time"
    REASON = "reason"
    STEPS = "steps"
    OTHER = "other"

    @property
    def countable(self) -> bool:
        """Whether a sentence can be seen to hold it."""
        return self not in (Expected.REASON, Expected.STEPS, Expected.OTHER)


_MONEY = {"dollar", "euro", "pound", "rupee", "taka", "cent", "percent"}
_DURATION = {"day", "business day", "hour", "minute", "second", "week", "month", "year"}
_TIME = _DURATION | {"o'clock", "clock"}


def _opening(english: str, bangla: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english})\b|(?:^|\s)(?:{normalise(bangla)})(?=\s|$|\?)")


_YES_OR_NO = re.compile(
    r"\W*(?:do|does|did|is|are|was|were|can|could|may|must|shall|should|will|would|have|has|am)\b", re.IGNORECASE
)
_ASKED = (
    (Expected.REASON, _opening("why|what is the reason|how come", "কেন|কারণ")),
    (
        Expected.MONEY,
        _opening(
            r"how much (?:does|do|is|are|will|would|it)\b.*\b(?:cost|pay|fee|price|charge)\w*|how much money"
            r"|costs?|fees?|price|how expensive|what is the (?:\w+ )?(?:fee|price|charge|cost)",
            "দাম|খরচ|মূল্য|ফি|কত টাকা|চার্জ",
        ),
    ),
    (
        Expected.DURATION,
        _opening(
            "how long|how many (?:days|weeks|months|years|hours|minutes)|how soon|how quickly|how fast",
            "কতদিন|কত দিন|কতক্ষণ|কত সময়|কত ঘণ্টা|কত মাস|কত বছর",
        ),
    ),
    (
        Expected.TIME,
        _opening(
            r"(?<!\w )when|(?:by|until|till|since|from|and) when|what (?:time|date|day|year)|which (?:day|date|year)"
            r"|deadline|expire[sd]?",
            "কবে|কখন|কোন সালে|কত সালে|কোন তারিখে|তারিখ",
        ),
    ),
    (
        Expected.STEPS,
        _opening(
            "how (?:do|can|could|should|would|to)|(?:what|which) (?:are the )?steps"
            "|what (?:do|should|can|must) (?:i|we) do",
            "কীভাবে|কিভাবে|কেমন করে|কী করব|কী করতে",
        ),
    ),
    (
        Expected.NUMBER,
        _opening("how many|how much|how often|how old|how far|what percentage", "কত|কতটি|কয়টি|কতজন|কতবার"),
    ),
)


def expected_answer(question: str) -> Expected:
    """Return the kind of answer that a question looks for: the first that it names."""
    text = normalise(question)
    if _YES_OR_NO.match(text):
        return Expected.OTHER
    found = [(match.start(), n, kind) for n, (kind, pattern) in enumerate(_ASKED) if (match := pattern.search(text))]
    return min(found)[2] if found else Expected.OTHER


def holds_answer(kind: Expected, text: str) -> bool:
    """Tell whether a sentence holds something of that kind; where none can be seen, every sentence does."""
    if kind is Expected.TIME and _ORDINAL.search(text):
        return True
    return not kind.countable or _holds(kind, measures(text))


_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b|[০-৯](?:ই|শে|লা|রা|ঠা)(?=\s)")


def _holds(kind: Expected, found: Measures) -> bool:
    units = {one.unit for one in found.quantities if one.certain}
    if kind is Expected.NUMBER:
        return bool(units)
    if kind is Expected.MONEY:
        return bool(units & _MONEY)
    if kind is Expected.DURATION:
        return bool(units & _DURATION)
    years = any(1000 <= one.value <= 2999 for one in found.quantities if not one.unit)
    return bool(units & _TIME or found.dates) or years
