"""Writes a small language model of random weights, which llama.cpp's server loads like any other.

VOCABULARY is one of those that llama.cpp's source carries for its own tests: models/ggml-vocab-llama-spm.gguf. Needs
the package gguf, which nothing else here does.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click
import numpy as np

WIDTH, HEADS, LAYERS, HIDDEN, CONTEXT = 64, 4, 2, 128, 8192
SPREAD = 0.3  # of the weights: with less of it, every word is as likely as any other
TEMPLATE = "{% for one in messages %}{{ one.role }}: {{ one.content }}\n{% endfor %}assistant: "


@click.command(help=__doc__)
@click.argument("vocabulary", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", default=0, help="Another seed gives another model")
def main(vocabulary: Path, target: Path, seed: int) -> None:
    """Write the model."""
    gguf = importlib.import_module("gguf")
    writer = gguf.GGUFWriter(str(target), "llama")
    words = describe(writer, gguf.GGUFReader(str(vocabulary)).fields)
    add_weights(writer, words, np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def describe(writer: Any, known: Any) -> int:
    """Write sizes and vocabulary; return the number of words."""
    words = known["tokenizer.ggml.tokens"].contents()
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model(known["tokenizer.ggml.model"].contents())
    writer.add_tokenizer_pre(known["tokenizer.ggml.pre"].contents())
    writer.add_token_list(words)
    writer.add_token_scores(known["tokenizer.ggml.scores"].contents())
    writer.add_token_types(known["tokenizer.ggml.token_type"].contents())
    writer.add_bos_token_id(known["tokenizer.ggml.bos_token_id"].contents())
    writer.add_eos_token_id(known["tokenizer.ggml.eos_token_id"].contents())
    writer.add_chat_template(TEMPLATE)
    return len(words)


def add_weights(writer: Any, words: int, chance: np.random.Generator) -> None:
    """Write the weights: those of the norms are ones, all others random."""
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd": (words, WIDTH),
        "output": (words, WIDTH),
        "output_norm": (WIDTH,),
    }
    for layer in range(LAYERS):
        block: dict[str, tuple[int, ...]] = {f"attn_{part}": (WIDTH, WIDTH) for part in ("q", "k", "v", "output")}
        block |= {"ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}
        block |= {"attn_norm": (WIDTH,), "ffn_norm": (WIDTH,)}
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in block.items()}
    for name, shape in shapes.items():
        weights = np.ones(shape) if len(shape) == 1 else SPREAD * chance.standard_normal(shape)
        writer.add_tensor(f"{name}.weight", weights.astype(np.float32))


if __name__ == "__main__":
    main()
