from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.core.retrieval.helpers import a_collection
from tests.core.retrieval.tiny_models import write_encoder
from webapp.core.documents.config import CollectionConfig, CollectionError
from webapp.core.retrieval.chosen import chosen_embedder, chosen_reranker, embedder_of
from webapp.core.retrieval.embedders.base import load_embedder
from webapp.core.retrieval.engine import IndexProblem, Manifest
from webapp.core.retrieval.index import IndexFolder, build
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever


def manifest(config: CollectionConfig, embedder: str) -> Manifest:
    return Manifest(
        format=1, created_at=datetime.now(UTC), corpus_hash="", config=config, strategy="", options={},
        embedder=embedder, dim=1,
    )  # fmt: skip


def test_a_collection_says_which_embedder_with_which_options(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "model")
    settings = f'embedder = "minilm-int8"\n[embedder_options]\npath = "{folder}"\nscripts = ["LATIN"]\n'
    config = a_collection(tmp_path / "docs", {"a": "A page."}, settings).config
    assert chosen_embedder(config) is chosen_embedder(config)
    assert chosen_embedder(config).name.startswith("minilm-int8:model-")
    assert chosen_reranker(config) is None


def test_without_a_word_it_is_the_default() -> None:
    config = CollectionConfig()
    assert chosen_embedder(config) is load_embedder("e5-small")
    assert embedder_of(manifest(config, "e5-small")) is load_embedder("e5-small")


@pytest.mark.parametrize("part", ["embedder", "reranker"])
def test_an_option_that_doesn_t_fit_is_named_with_its_place(part: str) -> None:
    name = {"embedder": "minilm-int8", "reranker": "onnx-cross-encoder"}[part]
    config = CollectionConfig.model_validate({part: name, f"{part}_options": {"paht": "/srv"}})
    choose = {"embedder": chosen_embedder, "reranker": chosen_reranker}[part]
    with pytest.raises(CollectionError, match=rf"paht under \[{part}_options\] in collection.toml"):
        choose(config)


def test_a_model_that_was_replaced_is_not_asked_about_the_old_one_s_vectors(tmp_path: Path) -> None:
    options = {"path": str(write_encoder(tmp_path / "model"))}
    config = CollectionConfig(embedder="minilm-int8", embedder_options=options)
    with pytest.raises(IndexProblem, match=r"built with minilm-int8:model-0ld, .* evidencedesk index"):
        embedder_of(manifest(config, "minilm-int8:model-0ld"))


def test_a_script_that_the_model_wasn_t_taught_is_searched_by_words_alone(tmp_path: Path) -> None:
    pages = {"cards": "## Cards\n\nGift cards expire.", "ferot": "## ফেরত\n\nসাইকেল ফেরত দিন ত্রিশ দিনে।"}
    collection = a_collection(tmp_path / "docs", pages)
    embedder = load_embedder("minilm-int8", {"path": str(write_encoder(tmp_path / "model"))})
    build(collection, tmp_path / "index", embedder)
    version = IndexFolder(tmp_path / "index").current()
    assert version is not None
    bangla = Retriever(version, embedder).retrieve(Query("সাইকেল ফেরত", "bn"))
    assert [(hit.chunk.document_id, hit.meaning) for hit in bangla.hits] == [("ferot", None)]
    english = Retriever(version, embedder).retrieve(Query("gift cards", "en"))
    assert [hit.chunk.document_id for hit in english.hits] == ["cards"]
    assert english.hits[0].meaning is not None
