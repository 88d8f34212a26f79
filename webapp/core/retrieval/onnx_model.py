"""A transformer as an ONNX file beside its tokenizer: from texts, or pairs of texts, to what the model puts out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

TOKENIZER = "tokenizer.json"

Array = NDArray[np.float32]
Ids = NDArray[np.int64]


class OnnxModel:
    """One model, loaded when it is made. Safe to use from several threads at once: each call takes one of its own."""

    def __init__(self, folder: Path, file: str, max_tokens: int) -> None:
        """Load it. `file` is a path in the folder, "" where it holds one only. Raises ValueError, or what onnxruntime
        and tokenizers raise."""
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # callers run beside each other; threads of one call would only queue
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(model_file(folder, file)), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {given.name for given in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.enable_truncation(max_tokens)
        self._tokenizer.no_padding()  # some ask for a fixed length, which costs more than it gives

    def run(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> tuple[Array, Ids]:
        """Return the first output, (texts, …), and which tokens are there, (texts, tokens)."""
        encodings = self._tokenizer.encode_batch(list(texts))
        there = _padded([encoding.attention_mask for encoding in encodings])
        feed = {
            "input_ids": _padded([encoding.ids for encoding in encodings]),
            "attention_mask": there,
            "token_type_ids": _padded([encoding.type_ids for encoding in encodings]),
        }
        output = self._session.run(None, {name: ids for name, ids in feed.items() if name in self._inputs})[0]
        return np.asarray(output, dtype=np.float32), there


def _padded(rows: Sequence[Sequence[int]]) -> Ids:
    padded = np.zeros((len(rows), max(1, *map(len, rows))), dtype=np.int64)
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return padded


def model_file(folder: Path, file: str = "") -> Path:
    """Return the model file to use. Raises ValueError when none or several could be meant."""
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.onnx"))
    if file and file not in found:
        raise ValueError(f"it holds no file {file}; there are: {', '.join(found) or 'none that end in .onnx'}")
    if not file and len(found) != 1:
        raise ValueError(f"set file to one of: {', '.join(found)}" if found else "it holds no file that ends in .onnx")
    if not (folder / TOKENIZER).exists():
        raise ValueError(f"it holds no {TOKENIZER}")
    return folder / (file or found[0])
