"""Where the registered models are found. A model's factory takes its validated options and returns the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from webapp.core.answering.model import Model
from webapp.core.registry import Registry


@runtime_checkable
class Served(Protocol):
    """A model behind a server."""

    @property
    def address(self) -> str:
        """Where the server is, as a URL."""
        ...


models: Registry[Callable[[Any], Model]] = Registry("model", "webapp.core.answering.models")
