from hypothesis import given
from hypothesis import strategies as st

from webapp.core.retrieval.term_text import TermText, marked

WORDS = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=3)


@given(st.lists(WORDS, max_size=8), WORDS)
def test_it_is_the_list_of_its_terms(terms: list[str], other: str) -> None:
    text = TermText.of(terms)
    assert list(text) == terms
    assert len(text) == len(terms)
    for term in (*terms, other):
        assert text.count(term) == text.joined.count(marked(term)) == terms.count(term)
        assert (term in text) == (term in terms)


def test_a_term_is_not_found_inside_another() -> None:
    text = TermText.of(["err-0942", "rebike", "rebike", "a", "a"])
    assert "bike" not in text
    assert "err" not in text
    assert text.count("rebike") == text.count("a") == 2


def test_terms_by_their_place() -> None:
    text = TermText.of(["a", "b", "c"])
    assert (text[1], text[-1], list(text[1:])) == ("b", "c", ["b", "c"])
