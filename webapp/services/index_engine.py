"""Which engine keeps the indexes, as the settings say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from webapp.core.retrieval.engine import Engine
from webapp.core.retrieval.engines.base import engines
from webapp.settings import Settings


def chosen_engine(settings: Settings, home: Path) -> Engine:
    """Return the engine for one collection's index. Raises UnknownPart, PartUnavailable."""
    part = engines.get(settings.engine)
    given: dict[str, Any] = {"url": settings.index_database, "replica": settings.index_replica_url.get_secret_value()}
    fitting = {name: value for name, value in given.items() if name in part.options.model_fields}
    return part.make(part.parse(fitting), home)
