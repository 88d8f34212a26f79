"""Where the registered engines are found, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC
from pathlib import Path
from typing import Any

from webapp.core.registry import Registry
from webapp.core.retrieval.engine import Engine, Manifest

# Made of its options and the folder of one collection's index; an engine that keeps nothing there goes by its name.
engines: Registry[Callable[[Any, Path], Engine]] = Registry("engine", "webapp.core.retrieval.engines")


def new_id(manifest: Manifest, known: Iterable[str]) -> str:
    """Return an id for a version that sorts by age and reads as a time: 20250131-120000-000-<corpus hash>.

    `known` are the ids that there are.
    """
    newest = max(known, default="")
    created = manifest.created_at.astimezone(UTC)
    stamp = f"{created:%Y%m%d-%H%M%S}-{created.microsecond // 1000:03}"
    if stamp <= newest[: len(stamp)]:  # the clock went back, or two builds in one millisecond
        stamp = newest[: len(stamp) - 3] + f"{int(newest[len(stamp) - 3 : len(stamp)]) + 1:03}"
    return f"{stamp}-{manifest.corpus_hash[:8]}"
