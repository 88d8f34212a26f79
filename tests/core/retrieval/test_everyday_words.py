"""Words that everybody uses for one another."""

import pytest

from webapp.core.retrieval.everyday_words import stand_ins
from webapp.core.retrieval.words import terms


def alike(text: str, lang: str = "en") -> dict[str, set[str]]:
    return stand_ins(terms(text, lang), lang)


@pytest.mark.parametrize(
    ("question", "lang", "term", "stands_for_it"),
    [
        ("May I keep it in the fridge?", "en", "fridg", "refrigerator"),
        ("the refrigerators", "en", "refriger", "fridge"),
        ("আবর্জনা কখন নেয়?", "bn", "আবর্জনা", "ময়লা"),
        ("I want my money back", "en", "money", "refund"),  # a phrase stands for a word
        ("I want my money back", "en", "back", "refund"),
    ],
)
def test_a_word_or_phrase_has_others_for_it(question: str, lang: str, term: str, stands_for_it: str) -> None:
    assert terms(stands_for_it, lang)[0] in alike(question, lang)[term]


def test_no_word_stands_for_a_phrase_that_only_holds_it() -> None:
    assert "refund" not in alike("money and back pain").get("money", set())
    assert alike("refund") == {"refund": {"reimburs", "repay"}}


def test_no_word_stands_for_itself() -> None:
    assert all(term not in others for term, others in alike("cancel, end and quit the plan").items())


def test_languages_that_are_not_on_the_list_have_none() -> None:
    assert alike("un garage de vehicule", "fr") == {}
