"""A real database that really fails: full, locked, read-only, damaged. Readers are told that it is not ready, get no
answer that is not kept, and see nothing of how it failed; machines are told as well; afterwards all goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.conftest import Desks

QUESTION = {"question": "Within how many days can I return a lamp?"}
INSIDE = ("Traceback", "sqlite", "INSERT", "SELECT", "database", "45 days")  # what no reader needs to see

Failing = Callable[[Desks], AbstractContextManager[None]]


def file_of(desks: Desks) -> Path:
    return desks.settings.instance / "evidencedesk.db"


@contextmanager
def every_connection(desks: Desks, pragma: str) -> Iterator[None]:
    """Open all connections anew with that pragma."""
    engine = desks.services.store._database.engine

    def set_(connection: Any, _: object) -> None:
        connection.execute(f"PRAGMA {pragma}")

    engine.dispose()
    sa.event.listen(engine, "connect", set_)
    yield
    sa.event.remove(engine, "connect", set_)
    engine.dispose()


@contextmanager
def full(desks: Desks) -> Iterator[None]:
    """No page can be added, nor taken from those that are free."""
    with sqlite3.connect(file_of(desks)) as connection:
        connection.execute("CREATE TABLE filler (text)")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    with every_connection(desks, f"max_page_count = {pages}"):
        yield


@contextmanager
def locked(desks: Desks) -> Iterator[None]:
    """Somebody writes, and does not end while anybody waits."""
    holding = sqlite3.connect(file_of(desks), isolation_level=None)
    holding.execute("BEGIN IMMEDIATE")
    with every_connection(desks, "busy_timeout = 20"):
        yield
    holding.close()


@contextmanager
def read_only(desks: Desks) -> Iterator[None]:
    with every_connection(desks, "query_only = ON"):
        yield


@contextmanager
def damaged(desks: Desks) -> Iterator[None]:
    """Something has been written over it."""
    desks.services.store._database.engine.dispose()
    file = file_of(desks)
    whole = file.read_bytes()
    file.write_bytes(b"\xff" * len(whole))
    yield
    desks.services.store._database.engine.dispose()
    file.write_bytes(whole)


@pytest.mark.parametrize("failing", [full, locked, read_only, damaged], ids=lambda failing: failing.__name__)
def test_readers_are_told_the_truth_and_afterwards_all_goes_on(
    desks: Desks, failing: Failing, caplog: pytest.LogCaptureFixture
) -> None:
    desks.services.desk().ensure_index()
    client = desks.client()
    given = client.post("/ask", QUESTION).headers["Location"]
    with failing(desks):
        for asked in (client.post("/ask", QUESTION), client.post_json("/api/v1/ask", QUESTION)):
            assert asked.status_code == 503
            assert int(asked.headers["Retry-After"]) > 0
            assert asked.headers["X-Request-Id"] in asked.text
            assert [word for word in INSIDE if word in asked.text] == []
        said = "This could not be kept" if failing in (full, read_only) else "Not ready"
        assert said in client.post("/ask", QUESTION).text
        assert client.get("/").status_code == 200, "the question box needs no database"
        assert client.get(given).status_code == (503 if failing is damaged else 200)
        ready = client.get("/readyz")
        assert ("database" in ready.get_json()["problems"]) is (failing is damaged)
    assert "could not be served" in caplog.text
    assert "Traceback" not in "".join(record.exc_text or "" for record in caplog.records if "served" in record.message)
    assert client.get(given).status_code == 200, "what was acknowledged is there"
    again = client.post("/ask", QUESTION)
    assert again.status_code == 303
    assert "45 days" in client.get(again.headers["Location"]).text
