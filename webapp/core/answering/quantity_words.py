"""The words that numbers, units, months and bounds are written with, in English and Bangla."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import TypeVar

V = TypeVar("V")

BANGLA_DIGITS = str.maketrans("০১২৩৪৫৬৭৮৯", "0123456789")


def nfc(text: str) -> str:
    """Return the text with letters composed as Unicode's NFC has them (Bangla য় has two spellings)."""
    return unicodedata.normalize("NFC", text)


def _table(rows: Iterable[tuple[str, V]]) -> Mapping[str, V]:
    return {nfc(form): value for forms, value in rows for form in forms.split()}


def _counted(forms: str, first: int = 0, step: int = 1) -> list[tuple[str, int]]:
    return [(form, first + step * n) for n, form in enumerate(forms.split())]


NUMBER_WORDS = _table(
    [
        *_counted("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"),
        *_counted("sixteen seventeen eighteen nineteen", 16),
        *_counted("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10),
        *_counted("শূন্য এক দুই তিন চার পাঁচ ছয় সাত আট নয় দশ এগারো বারো তেরো চৌদ্দ পনেরো ষোলো সতেরো আঠারো উনিশ বিশ"),
        *_counted("একুশ বাইশ তেইশ চব্বিশ পঁচিশ ছাব্বিশ সাতাশ আটাশ উনত্রিশ ত্রিশ একত্রিশ", 21),
        *_counted("চল্লিশ পঞ্চাশ ষাট সত্তর আশি নব্বই", 40, 10),
        ("দু দুটো", 2),
        ("কুড়ি", 20),
        ("পঁয়তাল্লিশ", 45),
        ("আটচল্লিশ", 48),
        ("বাহাত্তর", 72),
        ("পঁচাত্তর", 75),
        ("একশ একশো", 100),
    ]
)
# Words that are numbers only beside a unit: "one of them", "এক" (a, some), "নয়" (is not).
AMBIGUOUS = frozenset({"one", nfc("এক"), nfc("নয়"), nfc("সাত"), nfc("আশি")})

SCALES = _table(
    [
        ("hundred শত শ", 100),
        ("thousand হাজার", 1_000),
        ("lakh lakhs lac লাখ লক্ষ", 100_000),
        ("million millions মিলিয়ন", 1_000_000),
        ("crore crores কোটি", 10_000_000),
        ("billion billions বিলিয়ন", 1_000_000_000),
    ]
)

UNITS = _table(
    [
        ("day days", "day"),
        ("hour hours hr hrs", "hour"),
        ("minute minutes min mins", "minute"),
        ("second seconds sec secs", "second"),
        ("week weeks", "week"),
        ("month months", "month"),
        ("year years yr yrs", "year"),
        ("percent % per-cent percentage", "percent"),
        ("kg kilogram kilograms kilo kilos", "kg"),
        ("g gram grams", "g"),
        ("lb lbs pound-weight", "lb"),
        ("km kilometer kilometers kilometre kilometres", "km"),
        ("m meter meters metre metres", "m"),
        ("cm centimeter centimeters centimetre centimetres", "cm"),
        ("mm millimeter millimeters millimetre millimetres", "mm"),
        ("mile miles", "mile"),
        ("foot feet ft", "foot"),
        ("inch inches", "inch"),
        ("litre litres liter liters", "litre"),
        ("kb", "kb"),
        ("mb", "mb"),
        ("gb", "gb"),
        ("tb", "tb"),
        ("v volt volts", "volt"),
        ("amp amps", "amp"),
        ("ma milliamp milliamps", "ma"),
        ("watt watts", "watt"),
        ("hz", "hz"),
        ("khz", "khz"),
        ("mhz", "mhz"),
        ("ghz", "ghz"),
        ("$ dollar dollars usd", "dollar"),
        ("€ euro euros eur", "euro"),
        ("£ pound pounds gbp quid", "pound"),
        ("rs rupee rupees inr ₹ রুপি", "rupee"),
        ("tk taka ৳ bdt", "taka"),
        ("cent cents", "cent"),
        ("times", "time(s)"),
    ]
)
BEFORE_NUMBER = frozenset({"$", "€", "£", "₹", "৳", "rs", "tk", "usd", "eur", "gbp", "inr", "bdt", "us"})
TWO_WORD_UNITS = {
    ("business", "day"): "business day",
    ("working", "day"): "business day",
    ("work", "day"): "business day",
    ("per", "cent"): "percent",
}
BANGLA_UNITS = _table(
    [
        ("কর্মদিবস কার্যদিবস", "business day"),
        ("দিন", "day"),
        ("ঘণ্টা ঘন্টা", "hour"),
        ("মিনিট", "minute"),
        ("সেকেন্ড", "second"),
        ("সপ্তাহ", "week"),
        ("মাস", "month"),
        ("বছর বৎসর", "year"),
        ("শতাংশ", "percent"),
        ("কিলোমিটার কিমি", "km"),
        ("মিটার", "m"),
        ("কেজি কিলোগ্রাম", "kg"),
        ("টাকা", "taka"),
        ("ডলার", "dollar"),
    ]
)
BANGLA_ENDINGS = re.compile(nfc("(?:টি|টা|টির|টিতে|টার|জন|জনের|খানা|ই|শে|ম|র|য়|এর|ের|ে|েরই|েই|তে|ব্যাপী|ভিত্তিক|গুলো)*"))

FILLERS = frozenset({"calendar", "full", "consecutive", "more", "additional", "further", "whole", "of", "-"})
RANGE_WORDS = frozenset({"to", "and", "or", "through", "-", "–", "—", "/", nfc("থেকে"), nfc("বা"), nfc("হতে"), nfc("ও")})

_ENGLISH_MONTHS = "january february march april may june july august september october november december"
_SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_BANGLA_MONTHS = "জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর"
_OTHER_SPELLINGS = [("sept", 9), ("জানুয়ারী", 1), ("ফেব্রুয়ারী", 2), ("আগষ্ট", 8)]
MONTHS = _table(
    [*_counted(_SHORT_MONTHS, 1), *_counted(_ENGLISH_MONTHS, 1), *_counted(_BANGLA_MONTHS, 1), *_OTHER_SPELLINGS]
)
# Also ordinary words, or parts of them: a month only beside a number.
MAYBE_MONTHS = frozenset({*_SHORT_MONTHS.split(), "sept", "march", nfc("মে"), nfc("মার্চ")})

AT_MOST = re.compile(
    r"(?:within|up to|upto|no more than|not more than|no later than|not later than|at most|maximum(?: of)?|max"
    r"|less than|under|fewer than|not exceeding|before|by the|সর্বোচ্চ)\W*(?:the |first |next |last )?\W*$",
    re.IGNORECASE,
)
AT_LEAST = re.compile(
    r"(?:(?<!no )(?<!not )more than|at least|minimum(?: of)?|no less than|not less than|no fewer than|over|exceeding"
    r"|(?<!not )after|না হলে|কমপক্ষে|অন্তত|ন্যূনতম)\W*(?:the |first )?\W*$",
    re.IGNORECASE,
)
UNTIL_DATE = re.compile(r"(?<![\w-])(?:by|until|till|on or before)\s+$", re.IGNORECASE)
RATE = re.compile(r"(?<![\w-])(?:per|an?|each|every)\s+(hour|day|week|month|year)(?![\w-])", re.IGNORECASE)
ADVERBS = {
    "hour": "hourly",
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "year": "yearly annual annually annum",
}
