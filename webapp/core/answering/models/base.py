"""Where the registered models are found. A model's factory takes its validated options and returns the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webapp.core.answering.model import Model
from webapp.core.registry import Registry

models: Registry[Callable[[Any], Model]] = Registry("model", "webapp.core.answering.models")
