from __future__ import annotations

import pytest

from webapp.core.answering.quantities import measures
from webapp.core.answering.support import unsaid


def said(text: str) -> list[str]:
    return [f"{one} {one.bound}".strip() for one in measures(text).quantities if one.certain]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("within 30 days", ["30 day max"]),
        ("three hours", ["3 hour"]),
        ("4 to 7 business days", ["4 business day", "7 business day"]),
        ("4–7 days", ["4 day", "7 day"]),
        ("a 48-hour window", ["48 hour"]),
        ("a 5-business-day limit", ["5 business day"]),
        ("30 calendar days", ["30 day"]),
        ("1,000 and ১,০০০", ["1000", "1000"]),
        ("1,00,000 and 5 lakh", ["100000", "500000"]),
        ("৩০ দিনের মধ্যে", ["30 day"]),
        ("৫ কর্মদিবসের মধ্যে", ["5 business day"]),
        ("তিনটি ফর্ম", ["3"]),
        ("নয় দিন", ["9 day"]),
        ("এটি নয়", []),
        ("৫০০ টাকার", ["500 taka"]),
        ("6:00 AM–6:00 PM", ["6:00", "18:00"]),
        ("6 a.m. and 7pm", ["6:00", "19:00"]),
        ("12 a.m. or 12 p.m.", ["0:00", "12:00"]),
        ("Rs 500, Rs.500, $25.50 and 25 dollars", ["500 rupee", "500 rupee", "25.50 dollar", "25 dollar"]),
        ("two hundred and fifty euros", ["250 euro"]),
        ("$1.5 million", ["1500000.0 dollar"]),
        ("twenty-four hours, twenty four hours", ["24 hour", "24 hour"]),
        ("before 14 March 2026", ["14 max", "2026"]),
        ("2026-03-14", ["14", "2026"]),
        ("you may apply", []),
        ("by the 10th of the month", ["10 max"]),
        ("10%, 10 percent, 10 per cent, ১০ শতাংশ", ["10 percent"] * 4),
        ("at least 3 days, no more than 5 days", ["3 day min", "5 day max"]),
        ("one of them", []),
        ("one day", ["1 day"]),
        ("24/7", ["24", "7"]),
        ("4 to 7 days; 4, 5 or 7 days", ["4 day", "7 day", "4 day", "5 day", "7 day"]),
    ],
)
def test_numbers_are_read(text, expected):
    assert said(text) == expected


def test_a_list_number_is_none():
    assert said("2. Turn off 3 valves") == said("2) Turn off 3 valves") == ["3"]
    assert said("60. So many days you have.") == ["60"]


def test_codes_are_no_numbers():
    found = measures("PROC-SAN-001, serial RD2-24, ERR-0942 and version 4.1.2")
    assert found.codes == {"proc-san-001", "rd2-24", "err-0942", "4.1.2"}
    assert found.quantities == ()


@pytest.mark.parametrize(
    ("statement", "source", "borne_out"),
    [
        ("3 hours", "three hours", True),
        ("৩০ দিন", "30 days", True),
        ("1000", "1,000 euros", True),
        ("3.0%", "3 percent", True),
        ("72 hours", "3 days", False),
        ("5 days", "5 business days", False),
        ("30 days", "30 hours", False),
        ("30 days", "Days | Bike: 30", True),
        ("30 euros", "Days | Bike: 30", False),
        ("3 months", "3 per order, valid for 36 months", False),
        ("36 euros", "Rs 36 or 30 euros", False),
        ("4 days", "4, 5 or 7 days", True),
        ("6:00 PM", "18:00", True),
        ("6:00", "6:00 AM", True),
        ("6:00 PM", "6:00 AM", False),
        ("6:15", "6:00 AM", False),
        ("March 2026", "March 2026", True),
        ("April 2026", "March 2026", False),
        ("10 May", "10 March to 5 May", False),
        ("36 cards", "3 cards, valid for 36 months", False),
        ("3 gift cards", "3 cards, valid for 36 months", True),
        ("12 cards", "3 cards in 12 shops", False),
        ("12 branches", "3 cards in 12 shops", True),
        ("৩টি কার্ড", "3 cards", True),
    ],
)
def test_what_bears_out_what(statement, source, borne_out):
    given, held = measures(statement), measures(source)
    assert given.quantities
    assert (unsaid(given, held) == []) is borne_out


@pytest.mark.parametrize("joint", ["-", ", ", " to "])
def test_endless_rows_of_numbers_are_read(joint):
    row = joint.join(map(str, range(1, 3001)))
    assert len(measures(f"{row} days").quantities) == 3000
