from __future__ import annotations

import pytest

from webapp.core.answering.question import MAX_CHARACTERS, InvalidQuestion, QuestionProblem, checked, needs_context


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("", "empty"),
        (" \t\n\u00a0", "empty"),
        ("\u0000\u0007", "empty"),
        ("🚲🚲", "no_words"),
        ("?!…", "no_words"),
        ("।", "no_words"),
        ("\u200d\u200c", "no_words"),
        ("word " * 4000, "too_long"),
        ("x" * (MAX_CHARACTERS + 1), "too_long"),
    ],
)
def test_what_cannot_be_asked_says_why(question, code):
    with pytest.raises(InvalidQuestion) as caught:
        checked(question)
    assert caught.value.code == QuestionProblem(code)
    assert caught.value.message.endswith(".")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("  How \n long? ", "How long?"),
        ("কত দিন?", "কত দিন?"),
        ("RD2-24 🚲", "RD2-24 🚲"),
        ("5", "5"),
        ("a\x00b\ud800", "a b"),
        ("x" * MAX_CHARACTERS, "x" * MAX_CHARACTERS),
    ],
)
def test_the_rest_is_asked_as_typed(question, expected):
    assert checked(question) == expected


@pytest.mark.parametrize(
    ("question", "lang", "leans"),
    [
        ("And for accessories?", "en", True),
        ("And a service?", "en", True),
        ("What about helmets?", "en", True),
        ("Where can I apply for it?", "en", True),
        ("Is it safe to ride?", "en", False),
        ("How many days for one bike?", "en", False),
        ("Which forms expire that I sent?", "en", False),
        ("Can they be returned?", "en", True),
        ("আর হেলমেট?", "bn", True),
        ("এটা কোথায় পাব?", "bn", True),
        ("How long do I have to return a bike?", "en", False),
        ("When do gift cards expire?", "en", False),
        ("And how long do I have to return a bike that I bought?", "en", False),
        ("উপহার কার্ডের মেয়াদ কত?", "bn", False),
        ("Und jetzt?", "de", False),
        ("How long does it take?", "en", True),
        ("How long does it take to get a refund?", "en", False),
        ("Is it possible to pay later?", "en", False),
        ("Is it safe?", "en", True),
    ],
)
def test_a_question_that_leans_on_another_is_known(question, lang, leans):
    assert needs_context(question, lang) is leans
