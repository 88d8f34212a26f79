"""What a chunking strategy is, and where the registered ones are found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from webapp.core.documents.model import Section, Span
from webapp.core.registry import Registry

# A strategy only yields spans, offsets inside the section's text, in order of their starts; webapp.core.chunking.cut
# trims them, drops the empty ones, and gives text, lines and ids.
Strategy = Callable[[Section, Any], Iterable[Span]]

strategies: Registry[Strategy] = Registry("chunking strategy", "webapp.core.chunking")
