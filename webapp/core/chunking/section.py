"""One chunk a section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webapp.core.chunking.base import strategies
from webapp.core.documents.model import Section, Span


@strategies.register("section", "Whole sections, with the smaller headings inside them")
def section(section: Section, options: Any) -> Iterator[Span]:
    """Yield the whole section."""
    yield Span(0, len(section.text))
