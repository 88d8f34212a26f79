import numpy as np
import pytest

from webapp.core.retrieval.embedders.base import Vectors, load_embedder
from webapp.core.retrieval.embedders.e5_small import QUESTION_TOKENS, E5Small

E5 = load_embedder("e5-small")


@pytest.mark.parametrize("question", ["How do I get my money back?", "টাকা ফেরত পেতে কত দিন লাগে?"])
def test_meaning_counts_and_not_letters(question: str) -> None:
    passages = E5.passages(["We pay your refund within 5 business days.", "Our shops are open from 10 to 8."])
    near, far = E5.query([question])[0] @ passages.T
    assert near > far


class CountsCharacters:
    """Stands in for the model: a token for each character; remembers what it is given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def token_count(self, text: str, is_query: bool) -> int:
        return len(text)

    def query(self, text: str) -> Vectors:
        self.given.append(text)
        return np.zeros(384, dtype=np.float32)


def test_of_an_endless_question_only_as_much_is_read_as_the_model_knows() -> None:
    embedder, model = E5Small(), CountsCharacters()
    embedder._loaded = model
    embedder.query(["short", "漢字" * 1000])
    assert sorted(map(len, model.given)) == [5, QUESTION_TOKENS]
