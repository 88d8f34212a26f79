"""What readers are told when the machine fails: the truth, and no answer that was not kept."""

from __future__ import annotations

import sqlite3
import threading
from typing import NoReturn

import pytest
from sqlalchemy.exc import DatabaseError, IntegrityError, InterfaceError, OperationalError, TimeoutError

from tests.conftest import Desks
from webapp.store.database import Database

QUESTION = {"question": "Within how many days can I return a lamp?"}
FAILURES = [
    OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full")),
    OperationalError("INSERT", {}, sqlite3.OperationalError("database is locked")),
    OperationalError("INSERT", {}, sqlite3.OperationalError("attempt to write a readonly database")),
    DatabaseError("INSERT", {}, sqlite3.DatabaseError("database disk image is malformed")),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: str(failure.orig))
def test_an_answer_that_can_not_be_kept_is_not_shown(
    desks: Desks, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def fail(_: object) -> str:
        raise failure

    desks.services.desk().ensure_index()
    monkeypatch.setattr(desks.services.store.answers, "add", fail)
    response = desks.client().post("/ask", QUESTION)
    assert response.status_code == 503
    assert "Not ready" in response.text
    assert "45 days" not in response.text
    assert str(failure.__cause__ or "INSERT") not in response.text
    monkeypatch.undo()
    assert desks.client().post("/ask", QUESTION).status_code == 303


def test_a_mistake_of_ours_is_not_called_a_failure_of_the_database(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> str:
        raise IntegrityError("INSERT", {}, sqlite3.IntegrityError("UNIQUE"))

    desks.services.desk().ensure_index()
    monkeypatch.setattr(desks.services.store.answers, "add", fail)
    assert desks.client().post("/ask", QUESTION).status_code == 500


def test_a_writer_that_holds_the_database_for_a_moment_is_waited_for(desks: Desks) -> None:
    desks.services.desk().ensure_index()
    file = desks.settings.instance / "evidencedesk.db"
    holding = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    holding.execute("BEGIN IMMEDIATE")
    threading.Timer(0.3, holding.rollback).start()
    assert desks.client().post("/ask", QUESTION).status_code == 303
    holding.close()


def test_an_index_built_after_the_clock_went_back_is_the_newest(desks: Desks) -> None:
    desk = desks.services.desk()
    first = desk.index().version
    folder = desks.settings.instance / "indexes" / "shop"
    later = f"2999{first[4:]}"
    (folder / first).rename(folder / later)
    manifest = folder / later / "manifest.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(f'"{first}"', f'"{later}"', 1), encoding="utf-8")
    (folder / "current").write_text(later, encoding="utf-8")
    (desks.shop / "bulbs.md").write_text("## Bulbs\nNew words about bulbs.\n", encoding="utf-8")
    assert desk.index().version > later
    assert desk.versions()[0] == desk.served()


AWAY = [
    OperationalError("SELECT", {}, sqlite3.OperationalError("the connection is lost")),
    InterfaceError("SELECT", {}, sqlite3.InterfaceError("the connection is closed"), connection_invalidated=True),
    TimeoutError("QueuePool limit"),
]


@pytest.mark.parametrize("failure", AWAY, ids=lambda failure: type(failure).__name__)
def test_while_the_database_is_away_everybody_is_told_when_to_come_back(
    shared_desks: Desks, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """Also who is signed in, which nobody can tell just then, and programs in their own terms."""

    def fail(_: object) -> NoReturn:
        raise failure

    editor, nobody = shared_desks.client("editor"), shared_desks.client()
    monkeypatch.setattr(Database, "reading", fail)
    monkeypatch.setattr(Database, "writing", fail)
    ask = nobody.post("/ask", QUESTION)
    program = nobody.post_json("/api/v1/ask", QUESTION)
    for response in (ask, program, editor.get("/admin/index"), nobody.get("/answers/nothing")):
        assert response.status_code == 503
        assert response.headers["Retry-After"] == "5"
    assert "try again" in ask.text
    assert program.json
    assert program.json["error"] == "service_unavailable"
