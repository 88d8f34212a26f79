from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.core.retrieval.tiny_models import write_cross_encoder, write_encoder
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.embedders.base import Embedder, load_embedder


def minilm(folder: Path, **options: object) -> Embedder:
    return load_embedder("minilm-int8", {"path": str(folder), **options})


def test_the_mean_is_over_the_tokens_that_are_there(tmp_path: Path) -> None:
    embedder = minilm(write_encoder(tmp_path / "model"))
    vectors = embedder.passages(["card", "card card card card card"])
    assert np.allclose(vectors[0], vectors[1], atol=0.1)
    assert np.allclose(embedder.passages(["card"])[0], vectors[0], atol=1e-6)


def test_it_has_no_vote_on_scripts_that_it_wasn_t_taught(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model")
    assert not minilm(folder).query(["উপহার কার্ডের মেয়াদ কবে শেষ হয়?"]).any()
    assert minilm(folder, scripts=["LATIN", "BENGALI"]).query(["উপহার কার্ডের মেয়াদ কবে শেষ হয়?"]).any()


def test_its_name_changes_with_what_changes_vectors(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model")
    name = minilm(folder).name
    assert name.startswith("minilm-int8:model-")
    assert minilm(folder, max_tokens=128).name != name
    assert minilm(folder, query_prefix="query: ").name != name
    (tmp_path / "elsewhere").mkdir()
    assert minilm(folder.rename(tmp_path / "elsewhere" / "model")).name == name


def test_the_library_reads_no_more_than_so_many_tokens(tmp_path: Path) -> None:
    embedder = minilm(write_encoder(tmp_path / "model"), max_tokens=8)
    start = "cards expire within months of delivery"
    cut, whole = embedder.passages([f"{start} {'bike ' * 300}", start])
    assert np.allclose(cut, whole, atol=1e-6)


def test_a_file_is_chosen_where_there_are_several(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model", "onnx/model.onnx")
    assert minilm(folder).dim == 24
    write_encoder(folder, "onnx/model_int8.onnx", dim=12)
    with pytest.raises(PartUnavailable, match=r"set file to one of: onnx/model.onnx, onnx/model_int8.onnx"):
        _ = minilm(folder, max_tokens=100).dim
    assert minilm(folder, file="onnx/model_int8.onnx").dim == 12
    with pytest.raises(PartUnavailable, match=r"no file int8.onnx; there are: onnx/model.onnx"):
        _ = minilm(folder, file="int8.onnx").dim


def test_a_model_that_can_t_be_used_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    embedder = minilm(folder)
    for problem in ("ends in .onnx", "no tokenizer.json", "minilm-int8 can't use the model in"):
        with pytest.raises(PartUnavailable, match=problem):
            embedder.query(["When do gift cards expire?"])
        if not (folder / "model.onnx").exists():
            (folder / "model.onnx").write_bytes(b"no model")
        else:
            (folder / "tokenizer.json").write_text("{}", encoding="utf-8")


def test_a_model_that_makes_no_vectors_of_texts_is_refused(tmp_path: Path) -> None:
    embedder = minilm(write_cross_encoder(tmp_path / "model", outputs=2))
    assert embedder.dim == 2  # one row a text is taken as it comes
    (tmp_path / "model" / "model.onnx").write_bytes(b"")
    with pytest.raises(PartUnavailable):
        _ = minilm(tmp_path / "model", max_tokens=99).dim
