"""Any server that speaks OpenAI's chat completions: the provider itself, llama.cpp, Ollama, vLLM and many more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, SecretStr

from webapp.core.answering.model import Model, ModelReply, ModelRequest
from webapp.core.answering.models._remote import (
    Failure,
    Persistence,
    host_of,
    is_loopback,
    limited_client,
    through_sdk,
    well_formed,
)
from webapp.core.answering.models.base import models
from webapp.core.answering.reply import reply_schema
from webapp.core.remote import ServerAddress

if TYPE_CHECKING:
    from openai import OpenAI


class OpenAICompatibleOptions(BaseModel, frozen=True, extra="forbid"):
    """Options of the openai_compatible model."""

    base_url: ServerAddress = Field("http://127.0.0.1:8080/v1", description="Address of the server, up to and with /v1")
    api_key: SecretStr = Field(SecretStr(""), description="Key of the provider; local servers need none")
    model: str = Field("default", min_length=1, description="Name of the model at that server")
    timeout: float = Field(60, gt=0, le=600, description="Seconds to wait for a reply")
    max_retries: int = Field(2, ge=0, le=5, description="Further tries after a failure that can pass")
    max_tokens: int | None = Field(None, ge=16, description="Most tokens of a reply; empty: the server's own limit")
    temperature: float | None = Field(0, ge=0, le=2, description="0: always the likeliest reply; empty: not sent")
    stream: bool = Field(False, description="Receive the reply piece by piece, as some proxies need it to stay open")


_SCHEMA = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": reply_schema()}}
# What is asked for beside the messages, most first; what a server refuses is not asked for again.
_FORMATS: tuple[dict[str, Any], ...] = ({"response_format": _SCHEMA}, {"response_format": {"type": "json_object"}}, {})
_ABOUT_FORMAT = ("response_format", "json_schema", "json_object", "schema", "grammar", "structured")


class OpenAICompatible:
    """A model behind an HTTP server."""

    def __init__(self, options: OpenAICompatibleOptions, persistence: Persistence | None = None) -> None:
        self.name = options.model
        self.address = options.base_url
        self.external = not is_loopback(options.base_url)
        self._options = options
        self._persistence = persistence or Persistence(options.max_retries)
        self._format = 0
        self._counts = options.stream  # a stream says how many tokens it took only when it is asked to
        self._temperature = options.temperature

    def reply(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply. Raises ModelUnavailable."""
        return self._persistence.run(lambda: self._negotiated(request))

    def _negotiated(self, request: ModelRequest) -> ModelReply:
        """Call, asking for less each time the server says that it doesn't know what was asked for."""
        while True:
            try:
                return self._call(request)
            except Failure as failure:
                if failure.status not in (400, 422) or not self._ask_for_less(str(failure).lower()):
                    raise

    def _ask_for_less(self, complaint: str) -> bool:
        if "stream_options" in complaint and self._counts:
            self._counts = False
            return True
        if "temperature" in complaint and self._temperature is not None:
            self._temperature = None
            return True
        if any(word in complaint for word in _ABOUT_FORMAT) and self._format + 1 < len(_FORMATS):
            self._format += 1
            return True
        return False

    def _call(self, request: ModelRequest) -> ModelReply:
        import openai  # on first use: it takes a second

        def call() -> ModelReply:
            with self._client() as client:
                made = client.chat.completions.create(**self._body(request))
                return well_formed(self._read_stream(made) if self._options.stream else _read(made))

        return through_sdk(openai, self._options.base_url, self._options.api_key.get_secret_value(), call)

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._options.model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
            "stream": self._options.stream,
        }
        extras = {
            "temperature": self._temperature,
            "max_tokens": self._options.max_tokens,
            "stream_options": {"include_usage": True} if self._counts else None,
        }
        return body | {key: value for key, value in extras.items() if value is not None} | _FORMATS[self._format]

    def _client(self) -> OpenAI:
        """One for each call: nothing stays open between questions. A loopback server is never asked through a proxy."""
        import openai

        return openai.OpenAI(
            base_url=self._options.base_url,
            api_key=self._options.api_key.get_secret_value() or "none",
            timeout=self._options.timeout,
            max_retries=0,
            http_client=limited_client(openai, self._options.timeout, trust_env=self.external),
        )

    def _read_stream(self, chunks: Iterable[Any]) -> ModelReply:
        """Put a streamed reply together. One that breaks off is no reply."""
        text, refusal, model, finish, usage = "", "", self.name, None, None
        for chunk in chunks:
            model, usage = chunk.model or model, chunk.usage or usage
            for choice in chunk.choices[:1]:
                text += choice.delta.content or ""
                refusal += choice.delta.refusal or ""
                finish = choice.finish_reason or finish
        if finish is None:
            raise Failure(f"the model server at {host_of(self._options.base_url)} broke off")
        return _counted(_reply(text, refusal, finish, model), usage)


def _read(completion: Any) -> ModelReply:
    choice = completion.choices[0]
    said, refusal = choice.message.content or "", choice.message.refusal or ""
    return _counted(_reply(said, refusal, choice.finish_reason, completion.model or ""), completion.usage)


def _counted(reply: ModelReply, usage: Any) -> ModelReply:
    """Add what the server says that it took; many say nothing."""
    if usage is None:
        return reply
    return replace(reply, tokens_in=usage.prompt_tokens or 0, tokens_out=usage.completion_tokens or 0)


def _reply(text: str, refusal: str, finish: str | None, model: str) -> ModelReply:
    refused = bool(refusal) or finish == "content_filter"
    return ModelReply(refusal or text, truncated=finish == "length", model=model, refused=refused)


@models.register("openai_compatible", "Any server that speaks OpenAI's protocol", OpenAICompatibleOptions)
def make(options: OpenAICompatibleOptions) -> Model:
    """Return the model."""
    return OpenAICompatible(options)
