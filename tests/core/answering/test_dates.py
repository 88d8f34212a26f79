from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.answering.dates import borne_out, take_dates, without_dates
from webapp.core.answering.quantity_words import BANGLA_DIGITS, nfc


def dates(text: str) -> list[str]:
    return [str(date) for date in take_dates(nfc(text).translate(BANGLA_DIGITS))[0]]


@pytest.mark.parametrize(
    "text",
    [
        "10 March 2024", "10th March, 2024", "the 10th of March 2024", "March 10, 2024", "March 10th 2024",
        "10 Mar. 2024", "2024-03-10", "2024/03/10", "10 মার্চ ২০২৪", "১০ই মার্চ, ২০২৪", "২০২৪-০৩-১০",
    ],
)  # fmt: skip
def test_one_day_in_its_usual_forms(text: str) -> None:
    assert dates(f"It begins on {text}.") == ["2024-03-10"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("31/05/2024 or 31.05.2024 or 5/31/2024", ["2024-05-31"] * 3),
        ("from 5 to 9 May", ["?-05-05", "?-05-09"]),
        ("May 5–9, 2024", ["2024-05-05", "2024-05-09"]),
        ("in June 2025, and in July", ["2025-06-?", "?-07-?"]),
        ("জুলাই মাসের ১৫ তারিখে", ["?-07-15"]),
        ("১৫ জুলাইয়ের মধ্যে, ৩ ফেব্রুয়ারী", ["?-07-15", "?-02-03"]),
        ("You may borrow 4 books, and 10 may be renewed on the march.", []),
        ("31.31.2024, section 4.1.2 and PROC-2024-03-10", []),
        ("May I pay 5 days late?", []),
    ],
)
def test_what_is_a_date_and_what_is_none(text: str, found: list[str]) -> None:
    assert dates(text) == found


@pytest.mark.parametrize(
    ("said", "source", "fits"),
    [
        ("10 March", "2024-03-10", True),
        ("10 March 2024", "10 March", False),
        ("March 2024", "10 March 2024", True),
        ("10 March", "March 2024", False),
        ("10/03/2024", "March 10, 2024", True),
        ("03/10/2024", "March 10, 2024", True),
        ("10 March", "3 October", False),
    ],
)
def test_a_date_is_borne_out_by_one_that_says_as_much(said: str, source: str, fits: bool) -> None:
    (one,), (other,) = take_dates(said)[0], take_dates(source)[0]
    assert borne_out(one, [other], set()) is fits


def test_a_year_named_apart_counts() -> None:
    (said,), (source,) = take_dates("10 March 2024")[0], take_dates("10 March")[0]
    assert borne_out(said, [source], {2024})


@settings(max_examples=100, derandomize=True)
@given(st.text(max_size=60))
def test_taking_dates_out_moves_nothing(text: str) -> None:
    found, rest = take_dates(text)
    assert len(rest) == len(text)
    assert all(rest[n] in (" ", text[n]) for n in range(len(text)))
    assert take_dates(rest)[0] == () or found


def test_the_rest_of_a_text_stays_as_it_is() -> None:
    assert without_dates("Due on 10 March, at noon.") == "Due on         , at noon."
