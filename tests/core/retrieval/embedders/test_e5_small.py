import pytest

from webapp.core.retrieval.embedders.base import load_embedder

E5 = load_embedder("e5-small")


@pytest.mark.parametrize("question", ["How do I get my money back?", "টাকা ফেরত পেতে কত দিন লাগে?"])
def test_meaning_counts_and_not_letters(question: str) -> None:
    passages = E5.passages(["We pay your refund within 5 business days.", "Our shops are open from 10 to 8."])
    near, far = E5.query([question])[0] @ passages.T
    assert near > far
