"""Anthropic's models, through its SDK, which is an optional extra."""

from __future__ import annotations

import importlib
from functools import cached_property
from typing import Any

from pydantic import BaseModel, Field, SecretStr

from webapp.core.answering.model import Model, ModelReply, ModelRequest, ModelUnavailable
from webapp.core.answering.models._remote import (
    Failure,
    Persistence,
    is_loopback,
    limited_client,
    through_sdk,
    well_formed,
)
from webapp.core.answering.models.base import models
from webapp.core.answering.reply import reply_schema
from webapp.core.remote import ServerAddress


class AnthropicOptions(BaseModel, frozen=True, extra="forbid"):
    """Options of the anthropic model."""

    base_url: ServerAddress = Field("https://api.anthropic.com", description="Address of the provider")
    api_key: SecretStr = Field(SecretStr(""), description="Key of the provider")
    model: str = Field("claude-sonnet-4-5", min_length=1, description="Name of the model")
    timeout: float = Field(60, gt=0, le=600, description="Seconds to wait for a reply")
    max_retries: int = Field(2, ge=0, le=5, description="Further tries after a failure that can pass")
    max_tokens: int = Field(1500, ge=16, description="Most tokens of a reply")


_SCHEMA = {"output_config": {"format": {"type": "json_schema", "schema": reply_schema()}}}
_ABOUT_FORMAT = ("output_config", "output_format", "schema", "structured")


class Anthropic:
    """A model of Anthropic's."""

    def __init__(self, options: AnthropicOptions, persistence: Persistence | None = None) -> None:
        self.name = options.model
        self.address = options.base_url
        self.external = not is_loopback(options.base_url)
        self._options = options
        self._persistence = persistence or Persistence(options.max_retries)
        self._extras: dict[str, Any] = _SCHEMA

    def reply(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply. Raises ModelUnavailable."""
        return self._persistence.run(lambda: self._negotiated(request))

    def _negotiated(self, request: ModelRequest) -> ModelReply:
        """Call; a model that doesn't take a schema is asked without one from then on."""
        try:
            return self._call(request)
        except Failure as failure:
            about_format = any(word in str(failure) for word in _ABOUT_FORMAT)
            if failure.status != 400 or not about_format or not self._extras:
                raise
            self._extras = {}
            return self._call(request)

    def _call(self, request: ModelRequest) -> ModelReply:
        key = self._options.api_key.get_secret_value()
        return through_sdk(self._sdk, self._options.base_url, key, lambda: well_formed(_read(self._create(request))))

    def _create(self, request: ModelRequest) -> Any:
        with self._client() as client:
            return client.messages.create(
                model=self._options.model,
                max_tokens=self._options.max_tokens,
                system=request.system,
                messages=[{"role": "user", "content": request.user}],
                **self._extras,
            )

    @cached_property
    def _sdk(self) -> Any:
        try:
            return importlib.import_module("anthropic")
        except ImportError:
            advice = "the anthropic package is not installed; install evidencedesk[anthropic]"
            raise ModelUnavailable(advice, retry=False) from None

    def _client(self) -> Any:
        return self._sdk.Anthropic(
            base_url=self._options.base_url,
            api_key=self._options.api_key.get_secret_value() or "none",
            timeout=self._options.timeout,
            max_retries=0,
            http_client=limited_client(self._sdk, self._options.timeout, trust_env=self.external),
        )


def _read(message: Any) -> ModelReply:
    text = "".join(block.text for block in message.content if block.type == "text")
    usage = message.usage  # servers that only speak the protocol may leave it out
    return ModelReply(
        text=text,
        truncated=message.stop_reason in ("max_tokens", "model_context_window_exceeded"),
        model=message.model,
        tokens_in=usage.input_tokens if usage else 0,
        tokens_out=usage.output_tokens if usage else 0,
        refused=message.stop_reason == "refusal",
    )


@models.register("anthropic", "Anthropic's models; needs the extra package and a key", AnthropicOptions)
def make(options: AnthropicOptions) -> Model:
    """Return the model."""
    return Anthropic(options)
