"""The cross-encoder over a real model of a few kilobytes, alone and inside a search."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.retrieval.helpers import Hashing, a_collection, built
from tests.core.retrieval.tiny_models import write_cross_encoder, write_encoder
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.model import Query, Retrieval
from webapp.core.retrieval.rerankers.base import Reranker, load_reranker
from webapp.core.retrieval.retriever import Retriever

QUESTION = "When do gift cards expire?"
PAGES = {
    "cards": "## Gift cards\n\nGift card gift card gift card gift card.",
    "expiry": "## End\n\nAfter months, the gift cards expire.",
    "bikes": "## Bikes\n\nA bike can return within days, gift or not.",
}


def cross_encoder(folder: Path, **options: object) -> Reranker:
    made = load_reranker("onnx-cross-encoder", {"path": str(folder), **options})
    assert made is not None
    return made


@pytest.mark.parametrize("outputs", [1, 2])
def test_the_passage_that_answers_scores_best(tmp_path: Path, outputs: int) -> None:
    reranker = cross_encoder(write_cross_encoder(tmp_path / "model", outputs=outputs))
    scores = reranker.scores(QUESTION, ["A bike can return.", "Gift cards expire in months.", "", "gift \ud800"])
    assert scores.argmax() == 1
    assert scores.shape == (4,)


def test_long_passages_are_cut_and_not_the_question(tmp_path: Path) -> None:
    reranker = cross_encoder(write_cross_encoder(tmp_path / "model"), max_tokens=16)
    assert reranker.scores(QUESTION, ["cards expire " * 500]) > 0


def search(tmp_path: Path, settings: str = "") -> Retrieval:
    version = built(a_collection(tmp_path / "docs", PAGES, settings), tmp_path / "index")
    return Retriever(version, Hashing()).retrieve(Query("gift cards expire", "en"))


def test_a_search_takes_the_reranker_of_its_collection(tmp_path: Path) -> None:
    plain = search(tmp_path / "plain")
    folder = write_cross_encoder(tmp_path / "model")
    settings = f'reranker = "onnx-cross-encoder"\n[reranker_options]\npath = "{folder}"\nfirst = 3\n'
    changed = search(tmp_path / "reranked", settings)
    assert [plain.hits[0].chunk.document_id, changed.hits[0].chunk.document_id] == ["cards", "expiry"]
    assert {hit.chunk.id for hit in changed.hits} == {hit.chunk.id for hit in plain.hits}
    assert [hit.score for hit in changed.hits] == [hit.score for hit in plain.hits]
    scores = cross_encoder(folder).scores(
        "gift cards expire", [f"{h.chunk.context}\n{h.chunk.plain}" for h in changed.hits]
    )
    assert sorted(scores, reverse=True) == list(scores)


def test_a_model_that_is_no_cross_encoder_is_named(tmp_path: Path) -> None:
    reranker = cross_encoder(write_encoder(tmp_path / "model"))
    with pytest.raises(PartUnavailable, match=r"onnx-cross-encoder can't use the model in .* no cross-encoder"):
        reranker.scores(QUESTION, ["a", "b"])


def test_without_a_folder_it_says_what_to_set() -> None:
    with pytest.raises(PartUnavailable, match=r"set path under \[reranker_options\]"):
        load_reranker("onnx-cross-encoder", {})
