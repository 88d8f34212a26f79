"""Every registered engine, in a place that a test may fill, and may damage as a broken disk would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from tests.postgres import Server
from webapp.core.retrieval.engine import Engine
from webapp.core.retrieval.engines import _draft
from webapp.core.retrieval.engines._postgres_engine import PostgresEngine
from webapp.core.retrieval.engines._postgres_servers import Servers, servers_of
from webapp.core.retrieval.engines._postgres_tables import filled
from webapp.core.retrieval.engines.base import engines
from webapp.core.retrieval.engines.local import SEGMENTS, IndexFolder


@dataclass(frozen=True)
class Shelf:
    """A place for the index of one collection. `new` opens it as another process would."""

    new: Callable[[], Engine]
    damage: Callable[[str], None]  # the segment that a version wrote
    segments: Callable[[], int]  # how many there are, whoever holds them
    vectors: Path


def local_shelf(folder: Path) -> Shelf:
    """A folder."""

    def damage(version: str) -> None:
        (folder / SEGMENTS / version / "documents.jsonl").unlink()

    def segments() -> int:
        return len(list((folder / SEGMENTS).iterdir()))

    return Shelf(lambda: IndexFolder(folder), damage, segments, folder / "vectors")


def postgres_shelf(servers: Servers, folder: Path) -> Shelf:
    """A place in a database that tests share."""
    name = f"shop-{uuid4().hex}"

    def damage(version: str) -> None:
        asked = "SELECT number FROM evidencedesk_index.segments WHERE place = %s AND name = %s"
        ((number,),) = servers.write(lambda connection: connection.execute(asked, (name, version)).fetchall())
        servers.write(lambda connection: connection.execute(filled("DROP TABLE {schema}.chunks", number)))

    def segments() -> int:
        asked = """SELECT count(*) FROM evidencedesk_index.segments
            JOIN pg_namespace ON nspname = 'evidencedesk_segment_' || number WHERE place = %s"""
        ((count,),) = servers.write(lambda connection: connection.execute(asked, (name,)).fetchall())
        return int(count)

    return Shelf(lambda: PostgresEngine(servers, name), damage, segments, folder / "vectors")


@pytest.fixture(scope="session")
def servers(postgres: Server) -> Iterator[Servers]:
    """Connections to a database that tests share."""
    servers = servers_of(postgres.fresh(), "")
    yield servers
    servers.close()


@pytest.fixture(params=[part.name for part in engines.all()])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    """An empty place of each engine."""
    if request.param == "local":
        return local_shelf(tmp_path / "index")
    return postgres_shelf(request.getfixturevalue("servers"), tmp_path)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let segments of a few rows stay as they are."""
    monkeypatch.setattr(_draft, "SMALL", 4)
