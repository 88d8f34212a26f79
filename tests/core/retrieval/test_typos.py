import string

import pytest

from webapp.core.retrieval.typos import may_be_typo, one_edit

LETTERS = string.ascii_lowercase + "সাইকেল"


@pytest.mark.parametrize("typed", ["waranty", "warrranty", "warrantx", "awrranty"])
def test_one_edit_leads_back_to_the_word(typed: str) -> None:
    assert "warranty" in set(one_edit(typed, LETTERS))


def test_two_edits_do_not() -> None:
    assert "warranty" not in set(one_edit("waranti", LETTERS))


def test_letters_of_other_scripts_are_not_tried() -> None:
    assert all(word.isascii() for word in one_edit("frame", LETTERS))
    assert "সাইকেল" in set(one_edit("সাইকল", LETTERS))


def test_a_short_word_keeps_its_first_letter() -> None:
    assert "bikes" not in set(one_edit("hikes", LETTERS))
    assert "bikes" in set(one_edit("ibkes", LETTERS))
    assert "warranty" in set(one_edit("qarranty", LETTERS))


@pytest.mark.parametrize(
    ("word", "may"),
    [
        ("bike", False),
        ("bikes", True),
        ("গাড়ি", False),  # two letters, however many signs they carry: a car is no house (বাড়ি)
        ("সাইকল", True),
        ("rd224", False),
        ("12345", False),
        ("n" * 2000, False),
    ],
)
def test_short_words_codes_and_walls_of_letters_are_never_taken_for_typos(word: str, may: bool) -> None:
    assert may_be_typo(word) is may
