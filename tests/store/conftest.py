"""A fresh database for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from webapp.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    opened = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    yield opened
    opened.close()
