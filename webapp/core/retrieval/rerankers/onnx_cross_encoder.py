"""A cross-encoder as an ONNX file, from a folder, by onnxruntime."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, Field

from webapp.core.retrieval.local_models import Needs, whole_characters
from webapp.core.retrieval.onnx_model import OnnxModel
from webapp.core.retrieval.rerankers.base import Reranker, Scores, rerankers

NAME = "onnx-cross-encoder"
NEEDS = Needs(f"the reranker {NAME}", "reranker_options", ("onnxruntime", "tokenizers"), "onnx")


class CrossEncoderOptions(BaseModel, frozen=True, extra="forbid"):
    """Options of onnx-cross-encoder."""

    path: str = Field("", description="Folder of the model on this machine; nothing is ever fetched")
    file: str = Field("", description="Model file in the folder; empty: the only one that ends in .onnx")
    first: int = Field(10, ge=2, le=100, description="How many of the best hits it puts in a new order")
    max_tokens: int = Field(512, ge=16, le=8192, description="Tokens of question and passage that are read")


class CrossEncoder:
    """One model, loaded when it is first needed."""

    def __init__(self, options: CrossEncoderOptions) -> None:
        """Find the folder. Raises PartUnavailable."""
        self._folder = NEEDS.folder(options.path)
        self._options = options
        self._lock = threading.Lock()
        self._loaded: OnnxModel | None = None

    @property
    def first(self) -> int:
        """How many of the best hits it is shown."""
        return self._options.first

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        """Return how well each passage answers, (passages,)."""
        try:
            pairs = [(whole_characters(question), whole_characters(passage)) for passage in passages]
            output, _ = self._model().run(pairs)
            return _relevance(output, len(passages))
        except Exception as error:  # whatever a library raises over a model that it can't use
            raise NEEDS.unusable(self._folder, error) from error

    def _model(self) -> OnnxModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = OnnxModel(self._folder, self._options.file, self._options.max_tokens)
            return self._loaded


def _relevance(output: Scores, passages: int) -> Scores:
    """One number a passage is its score; of two, the second speaks for it and the first against."""
    if output.shape == (passages, 2):
        output = output[:, 1:] - output[:, :1]
    if output.shape not in {(passages,), (passages, 1)} or not np.isfinite(output).all():
        raise ValueError(f"it gave {output.shape} numbers for {passages} passages; it is no cross-encoder")
    return output.reshape(passages)


@rerankers.register(NAME, "A cross-encoder as an ONNX file with tokenizer.json, from a folder", CrossEncoderOptions)
def make(options: CrossEncoderOptions) -> Reranker | None:
    """Return the reranker. Raises PartUnavailable."""
    return CrossEncoder(options)
