from __future__ import annotations

import subprocess
import sys
import traceback
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import webapp.store.migrations
from webapp.core.retrieval.model import Role
from webapp.store.database import Database, DatabaseError, migrate, open_database
from webapp.store.schema import REVISION, metadata
from webapp.store.store import Store


def _ours(name: str | None, kind: str, _parents: object) -> bool:
    """No two dialects have the same search index; that of SQLite makes tables of its own."""
    of_a_server = {("index", "ix_searchable_terms"), ("column", "terms")}
    return not str(name).startswith("searchable_index") and (kind, name) not in of_a_server


@pytest.mark.filterwarnings("ignore:autogenerate skipping")
def test_the_migrations_make_the_tables_of_the_schema(address: str) -> None:
    database = open_database(address)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False, "include_name": _ours})
        assert compare_metadata(context, metadata) == []
    database.engine.dispose()


def test_the_newest_migration_is_the_one_the_schema_names() -> None:
    assert ScriptDirectory.from_config(_config()).get_current_head() == REVISION


def test_each_revision_can_be_brought_up_to_date(address: str) -> None:
    """Step by step back to nothing, and from each step all the way up, with a row that is there all the time."""
    store = Store.open(address)
    store.accounts.add("ada@example.org", Role.EDITOR)
    revisions = [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]
    for revision in revisions[1:]:
        take_back(store._database, revision)
        migrate(store._database)
        assert store.accounts.by_email("ada@example.org")
    take_back(store._database, "base")
    migrate(store._database)
    assert store.accounts.all() == ()
    store.close()


def test_a_database_of_a_newer_program_is_left_alone(address: str) -> None:
    database = open_database(address)
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    database.engine.dispose()
    with pytest.raises(DatabaseError, match="newer version of this program"):
        open_database(address)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", webapp.store.migrations.__path__[0])
    return config


def take_back(database: Database, revision: str) -> None:
    """Make the tables as they were at that revision."""
    config = _config()
    with database.writing() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'x.db'}"
    open_database(address).engine.dispose()
    before = (tmp_path / "x.db").read_bytes()
    open_database(address).engine.dispose()
    assert (tmp_path / "x.db").read_bytes() == before


OPENS = """
import sys
from webapp.store.store import Store

print("ready", flush=True)
sys.stdin.read()
Store.open(sys.argv[1]).close()
"""


def test_processes_that_start_together_migrate_once(address: str) -> None:
    command = [sys.executable, "-c", OPENS, address]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)]
    streams = [stream for process in processes for stream in (process.stdout, process.stdin) if stream]
    for stream in streams[::2]:
        assert stream.readline() == b"ready\n"
    for stream in streams[1::2]:
        stream.close()
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    for stream in streams[::2]:
        stream.close()


def test_a_writer_that_reads_first_waits_for_its_turn(address: str) -> None:
    """With deferred transactions the second writer would fail at once, because what it read is out of date."""
    database = open_database(address)
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


@pytest.mark.parametrize(
    "address",
    [
        "secret-nonsense",
        "postgresql+psycopg://u:secret@h:port/db",
        "postgresql+psycopg://u:pass@secret@[::1/db",
        "postgresql+psycopg://u:x@127.0.0.1:1/db?password=secret",
        "postgresql+psycopg://u:x@127.0.0.1:1/db?passwort=secret",
    ],
)
def test_an_address_that_is_none_keeps_its_secrets(address: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        open_database(address)
    assert "secret" not in "".join(traceback.format_exception_only(caught.value))
