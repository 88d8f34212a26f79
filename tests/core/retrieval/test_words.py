import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.retrieval.words import normalise, stem, terms, tokens


def test_bangla_words_keep_their_vowel_signs_and_conjuncts() -> None:
    words = [token.word for token in tokens("সাইকেল ফেরত দেওয়া যায়, ক্রেতার খরচে।", "bn")]
    assert words == ["সাইকেল", "ফেরত", normalise("দেওয়া"), normalise("যায়"), "ক্রেতার", "খরচে"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("সাইকেলটি", "সাইকেল"),
        ("সাইকেলের", "সাইকেলে"),
        ("বইগুলোর", "বই"),
        ("দোকানগুলো", "দোকান"),
        ("returned", "returning"),
        ("bike's", "bikes"),
        ("Straße", "STRASSE"),
        ("café", "cafe"),
        ("e-mail", "email"),
        ("children's", "child"),
        ("feet", "foot"),
    ],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    lang = "bn" if one > "\u0900" else "en"
    assert set(terms(one, lang)) & set(terms(other, lang))


def test_short_bangla_words_are_not_stemmed_away() -> None:
    assert stem("একটি", "bn") == "একটি"
    assert stem("টাকা", "bn") == "টাকা"


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d", "\u00ad", "\ufeff"])
def test_joiners_make_no_difference(joiner: str) -> None:
    assert terms(f"ক্{joiner}ষতি", "bn") == terms("ক্ষতি", "bn")


def test_the_old_spelling_of_khanda_ta_is_the_new_one() -> None:
    assert terms("উত্\u200dসব", "bn") == terms("উৎসব", "bn")


def test_composed_and_decomposed_letters_are_one() -> None:
    for word in ("পড়ে", "দেওয়া", "café"):
        assert terms(unicodedata.normalize("NFD", word), "bn") == terms(word, "bn")


def test_digits_of_every_script_are_the_same() -> None:
    assert terms("৩০ দিন", "bn")[0] == terms("30 days", "en")[0] == "30"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("see PROC-SAN-001.", "proc-san-001"),
        ("ERR-0942 shows", "err-0942"),
        ("serials RD2-24", "rd2-24"),
        ("by 6:00 AM", "6:00"),
        ("on 2025-03-01", "2025-03-01"),
        ("costs $1,500.00 now", "$1500.00"),
        ("at least 75%", "75%"),
        ("a 48-hour window", "48-hour"),
    ],
)
def test_codes_amounts_and_dates_stay_whole_beside_their_parts(text: str, whole: str) -> None:
    found = list(tokens(text, "en"))
    assert [token.exact for token in found if token.term == whole] == [True]
    assert len(found) > len(text.split())


def test_thousands_marks_do_not_make_another_number() -> None:
    assert "1500" in terms("Tk 1,500", "en")
    assert "100000" in terms("Rs 1,00,000", "en")


def test_a_number_grown_together_with_its_unit_is_found_by_either() -> None:
    assert {"30days", "30", "day"} <= set(terms("30days", "en"))


def test_scripts_without_spaces_give_pairs() -> None:
    assert terms("日本語の", "ja") == ["日本", "本語", "語の"]
    assert set(terms("本語", "ja")) <= set(terms("日本語の", "ja"))


@pytest.mark.parametrize(("word", "lang"), [("βιβλία", "el"), ("книга", "ru"), ("किताब", "hi")])
def test_other_scripts_are_searched_too(word: str, lang: str) -> None:
    assert len(terms(word, lang)) == 1
    assert len(terms(word, "en")) == 1


def test_signs_alone_give_no_terms() -> None:
    assert terms("?! 😀 — …", "en") == []


@settings(derandomize=True, max_examples=200)
@given(st.text())
def test_no_term_is_empty_or_holds_a_blank(text: str) -> None:
    for term in terms(text, "en"):
        assert term
        assert not any(character.isspace() for character in term)
