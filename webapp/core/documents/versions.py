"""Which of two versions is the newer one."""

from __future__ import annotations

import re

_PART = re.compile(r"\d+|[^\W\d]+")


def version_key(version: str) -> tuple[tuple[int, str], ...]:
    """Return what versions are ordered by: their numbers as numbers, so that 1.10 is newer than 1.9."""
    parts = _PART.findall(version.lower().lstrip("v"))
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)
