"""What embedders that run a model from a folder have in common."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pydantic import Field

from webapp.core.retrieval.embedders._texts import TextOptions, embedded
from webapp.core.retrieval.embedders.base import Vectors, unit_rows
from webapp.core.retrieval.local_models import Needs, fingerprint

FOLDER_SHOWN = 60  # characters; the name also becomes a file's

Encode = Callable[[list[str], bool], Any]  # texts, whether they are questions → (texts, dim)


class LocalOptions(TextOptions, frozen=True, extra="forbid"):
    """Options that every such embedder has."""

    path: str = Field("", description="Folder of the model on this machine; nothing is ever fetched")


class LocalEmbedder:
    """An embedder over a folder. `load` is called once, when vectors are first needed, and returns what makes them."""

    def __init__(self, name: str, needs: Needs, options: LocalOptions, load: Callable[[Path], Encode]) -> None:
        """Find the folder. Raises PartUnavailable."""
        self._folder = needs.folder(options.path)
        self._part = name
        self._needs = needs
        self._options = options
        self._load = load
        self._lock = threading.Lock()
        self._loaded: Encode | None = None

    @cached_property
    def name(self) -> str:
        """The part, its folder, and a fingerprint of files and options."""
        told = self._options.model_dump_json(exclude={"path"})
        return f"{self._part}:{self._folder.resolve().name[:FOLDER_SHOWN]}-{fingerprint(self._folder, told)}"

    @cached_property
    def dim(self) -> int:
        """Numbers in a vector."""
        return int(self._encoded(False, ["a"]).shape[1])

    def query(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, (texts, dim)."""
        options = self._options
        return embedded(texts, options.query_prefix, options.scripts, self.dim, partial(self._encoded, True))

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, (texts, dim)."""
        options = self._options
        return embedded(texts, options.passage_prefix, options.scripts, self.dim, partial(self._encoded, False))

    def _encoded(self, query: bool, texts: list[str]) -> Vectors:
        try:
            return unit_rows(self._encode()(texts, query), len(texts))
        except Exception as error:  # whatever a library raises over a model that it can't use
            raise self._needs.unusable(self._folder, error) from error

    def _encode(self) -> Encode:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load(self._folder)
            return self._loaded


def needs(name: str, extra: str, *packages: str) -> Needs:
    """Return what the embedder of that name needs."""
    return Needs(f"the embedder {name}", "embedder_options", packages, extra)
