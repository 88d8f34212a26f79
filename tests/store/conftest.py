"""A fresh database for every test, of each kind: what holds in SQLite holds in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.postgres import Server
from webapp.store.schema import metadata
from webapp.store.store import Store

Make = Callable[[], Store]
KINDS = ("sqlite", "postgresql")


@pytest.fixture(scope="session", params=KINDS)
def fresh_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    """Gives an empty store whenever it is called. It is one that is used again and again: making its tables takes
    longer than most tests."""
    server: Server | None = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    opened = Store.open(server.fresh() if server else f"sqlite:///{tmp_path_factory.mktemp('store')}/store.db")
    yield lambda: _emptied(opened)
    opened.close()


@pytest.fixture
def store(fresh_store: Make) -> Store:
    """An empty store."""
    return fresh_store()


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database that has nothing in it, not even tables."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("database_url"))
    return f"sqlite:///{tmp_path / 'x.db'}"


def _emptied(store: Store) -> Store:
    with store._database.writing() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    return Store(store._database)  # it remembers nothing of before
