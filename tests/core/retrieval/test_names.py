"""Names that the pages know in part."""

from collections.abc import Iterable

import pytest

from webapp.core.retrieval.names import half_known_name
from webapp.core.retrieval.query_terms import QueryTerm, QueryTerms
from webapp.core.retrieval.words import tokens

KNOWN = frozenset({"comet", "plus", "warranti", "return", "rupa", "das", "bank", "citi"})


def terms_of(text: str, known: Iterable[str]) -> QueryTerms:
    found = {token.term: token for token in tokens(text, "en")}.values()
    return QueryTerms(
        tuple(QueryTerm(one.term, 1.0, {one.term: 1.0}, one.term in known, one.exact, one.part) for one in found), 1
    )


@pytest.mark.parametrize(
    "question",
    [
        "What is the warranty of the Comet Max?",
        "Comet Max warranty",
        "Who is Rupa Hossain?",
        "Can I pay with a card of Dutch-Bangla Bank?",
        "I bought it. Does the Comet Ultra Plus fold?",
    ],
)
def test_a_name_of_which_a_word_is_unknown(question: str) -> None:
    assert half_known_name(question, "en", terms_of(question, KNOWN))


@pytest.mark.parametrize(
    "question",
    [
        "What is the warranty of the Comet Plus?",
        "Insure Comet Plus against theft",  # a sentence begins with a capital, whatever its first word is
        "I am Jane Doe and want to return a bike",  # unknown as a whole: the asker's own
        "What Is The Warranty Of The Comet Max?",  # nothing tells names from other words
        "Is the Comet, Max says, any good?",
        "what is the warranty of the comet max?",
        "ওয়ারেন্টি কত দিনের?",
        "",
    ],
)
def test_no_name_that_is_known_in_part(question: str) -> None:
    assert not half_known_name(question, "en", terms_of(question, KNOWN))
