"""Real models of a few kilobytes, in the formats that the libraries read: words are their only knowledge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ("bike", "card", "cards", "cost", "days", "delivery", "expire", "gift", "months", "refund", "return", "within")
SMALL_WORDS = ("a", "and", "can", "do", "how", "in", "it", "of", "the", "to", "when")
VOCABULARY = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, *SMALL_WORDS])}
DIM = 24


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer that splits at blanks and tells the first text of a pair from the second."""
    tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", VOCABULARY["[CLS]"]), ("[SEP]", VOCABULARY["[SEP]"])],
    )
    tokenizer.enable_padding(length=64)  # as some published ones do: what it costs must not reach us
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))


def word_vectors(dim: int = DIM) -> NDArray[np.float32]:
    """Return a vector of length 1 for each word; those of words that say little are short."""
    vectors = np.random.default_rng(7).normal(size=(len(VOCABULARY), dim))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for word in ("[UNK]", "[CLS]", "[SEP]", *SMALL_WORDS):
        vectors[VOCABULARY[word]] /= 20
    return vectors.astype(np.float32)


def write_encoder(folder: Path, file: str = "model.onnx", dim: int = DIM) -> Path:
    """Write a model that puts out the vector of each token, as a transformer would."""
    look_up = helper.make_node("Gather", ["vectors", "input_ids"], ["last_hidden_state"])
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", dim])
    return _write(folder, file, [look_up], output, word_vectors(dim))


def write_cross_encoder(folder: Path, file: str = "model.onnx", outputs: int = 1) -> Path:
    """Write a model that scores a pair by the words that both have, each once; of two outputs, one speaks against."""
    nodes = [
        helper.make_node("Gather", ["vectors", "input_ids"], ["tokens"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["attention_mask"], ["there"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["there", "second"], ["first"]),
        helper.make_node("Unsqueeze", ["first", "last"], ["first_column"]),
        helper.make_node("Unsqueeze", ["second", "last"], ["second_column"]),
        helper.make_node("Mul", ["tokens", "first_column"], ["first_tokens"]),
        helper.make_node("Mul", ["tokens", "second_column"], ["second_tokens"]),
        helper.make_node("ReduceSum", ["first_tokens", "middle"], ["first_sum"], keepdims=0),
        helper.make_node("ReduceSum", ["second_tokens", "middle"], ["second_sum"], keepdims=0),
        helper.make_node("Sign", ["second_sum"], ["second_has"]),
        helper.make_node("Mul", ["first_sum", "second_has"], ["shared"]),
        helper.make_node("ReduceSum", ["shared", "middle"], ["score"], keepdims=1),
        helper.make_node("Neg", ["score"], ["against"]),
        helper.make_node("Concat", ["against", "score"], ["both"], axis=1),
    ]
    name = "score" if outputs == 1 else "both"
    output = helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", outputs])
    one_hot = np.eye(len(VOCABULARY), dtype=np.float32) * (np.linalg.norm(word_vectors(), axis=1) > 0.5)
    return _write(folder, file, nodes, output, one_hot)


def _write(folder: Path, file: str, nodes: list[object], output: object, vectors: NDArray[np.float32]) -> Path:
    write_tokenizer(folder)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    constants = [
        numpy_helper.from_array(vectors, "vectors"),
        numpy_helper.from_array(np.array([-1], dtype=np.int64), "last"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "middle"),
    ]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(folder / file))
    return folder


def write_static(folder: Path) -> Path:
    """Write a model2vec model."""
    from model2vec.persistence import save_pretrained

    write_tokenizer(folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    save_pretrained(folder, word_vectors(), tokenizer, {"normalize": True}, create_model_card=False)
    return folder


def write_fastembed(folder: Path) -> Path:
    """Write a model of the size of the one that fastembed calls all-MiniLM-L6-v2."""
    write_encoder(folder, dim=384)
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}), encoding="utf-8")
    settings = {"model_max_length": 64, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
