from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import webapp.store.migrations
from webapp.store.database import DatabaseError, open_database
from webapp.store.schema import REVISION, metadata
from webapp.store.store import Store


def _ours(name: str | None, kind: str, _parents: object) -> bool:
    """The search index of SQLite makes tables of its own, and no two dialects have the same."""
    return kind != "table" or not str(name).startswith("searchable_index")


def test_the_migrations_make_the_tables_of_the_schema(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.db'}")
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False, "include_name": _ours})
        assert compare_metadata(context, metadata) == []
    database.engine.dispose()


def test_the_newest_migration_is_the_one_the_schema_names() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(webapp.store.migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == REVISION


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'x.db'}"
    open_database(address).engine.dispose()
    before = (tmp_path / "x.db").read_bytes()
    open_database(address).engine.dispose()
    assert (tmp_path / "x.db").read_bytes() == before


def _open(address: str) -> None:
    Store.open(address).close()


def test_processes_that_start_together_migrate_once(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'x.db'}"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_open, args=(address,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]


def test_a_writer_that_reads_first_waits_for_its_turn(tmp_path: Path) -> None:
    """With deferred transactions the second writer would fail at once, because what it read is out of date."""
    database = open_database(f"sqlite:///{tmp_path / 'x.db'}")
    count = sa.text("SELECT count(*) FROM links")
    with database.writing() as connection:
        connection.execute(count)
        connection.execute(sa.text("INSERT INTO links (token, expires_at) VALUES ('a', '2030-01-01')"))
    with database.reading() as reader:
        assert reader.execute(count).scalar() == 1
        with database.writing() as writer:
            writer.execute(sa.text("INSERT INTO links (token, expires_at) VALUES ('b', '2030-01-01')"))
        assert reader.execute(count).scalar() == 1, "a reader sees one state"
    database.engine.dispose()


@pytest.mark.parametrize("content", [b"this is no database, " * 50])
def test_a_file_that_is_no_database_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.db").write_bytes(content)
    with pytest.raises(DatabaseError, match=r"can't open the database sqlite:///.*x\.db: file is not a database"):
        open_database(f"sqlite:///{tmp_path / 'x.db'}")


def test_an_address_that_is_none_keeps_its_secrets() -> None:
    with pytest.raises(DatabaseError) as caught:
        open_database("secret-nonsense")
    assert "secret" not in str(caught.value)
