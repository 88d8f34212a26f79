"""all-MiniLM-L6-v2 with 8-bit weights through onnxruntime, or any like model that comes as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from pydantic import Field

from webapp.core.retrieval.embedders._local import Encode, LocalEmbedder, LocalOptions, needs
from webapp.core.retrieval.embedders._texts import SCRIPTS, Scripts
from webapp.core.retrieval.embedders.base import Embedder, Vectors, embedders
from webapp.core.retrieval.onnx_model import OnnxModel

NAME = "minilm-int8"
BATCH = 16  # texts in one call of the model


class MiniLMOptions(LocalOptions, frozen=True, extra="forbid"):
    """Options of minilm-int8."""

    scripts: Scripts = Field(("LATIN",), description=SCRIPTS)
    file: str = Field("", description="Model file in the folder; empty: the only one that ends in .onnx")
    max_tokens: int = Field(256, ge=8, le=8192, description="Tokens of a text that are read")


@embedders.register(
    NAME, "all-MiniLM-L6-v2 as an ONNX file with tokenizer.json, English, from a folder, by onnxruntime", MiniLMOptions
)
def make(options: MiniLMOptions) -> Embedder:
    """Return the embedder. Raises PartUnavailable."""

    def load(folder: Path) -> Encode:
        model = OnnxModel(folder, options.file, options.max_tokens)
        return lambda texts, query: _in_batches(model, texts)

    return LocalEmbedder(NAME, needs(NAME, "onnx", "onnxruntime", "tokenizers"), options, load)


def _in_batches(model: OnnxModel, texts: Sequence[str]) -> Vectors:
    batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    if len(batches) == 1:
        return _pooled(model, batches[0])
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        return np.concatenate(list(threads.map(lambda batch: _pooled(model, batch), batches)))


def _pooled(model: OnnxModel, texts: Sequence[str]) -> Vectors:
    """Return the mean over the tokens of each text; a model that has taken it itself gives one row a text."""
    output, there = model.run(texts)
    if output.ndim == 2:
        return output
    mask = there[:, :, None].astype(np.float32)
    mean: Vectors = (output * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)
    return mean
