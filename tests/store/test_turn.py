from __future__ import annotations

import fcntl
import sqlite3
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

import webapp.store.turn
from webapp.store.database import open_database
from webapp.store.turn import Turn


def test_one_at_a_time_among_threads_and_processes(tmp_path: Path) -> None:
    """A second `Turn` has a handle of its own on the file, as another process has."""
    turns, inside, most = [Turn(tmp_path / "turn"), Turn(tmp_path / "turn")], [0], [0]

    def write(turn: Turn) -> None:
        for _ in range(20):
            with turn.taken():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=write, args=(turn,)) for turn in turns * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, inside) == ([1], [0])


def test_who_has_waited_too_long_goes_to_hear_it_from_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process that stands still with the turn, or a thread of this one, holds up nobody for good."""
    monkeypatch.setattr(webapp.store.turn, "PATIENCE", 0.02)
    turn, ran = Turn(tmp_path / "turn"), []
    with (tmp_path / "turn").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with turn.taken():
            ran.append("another process")
    with turn.taken(), turn.taken():
        ran.append("another thread")
    assert ran == ["another process", "another thread"]


def test_what_goes_wrong_inside_gives_the_turn_back(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "turn")
    with pytest.raises(ZeroDivisionError), turn.taken():
        raise ZeroDivisionError
    with turn.taken(), (tmp_path / "turn").open("ab") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_folder_that_is_gone_is_no_matter_of_turns(tmp_path: Path) -> None:
    with Turn(tmp_path / "none" / "turn").taken():
        pass


def test_writers_of_a_database_take_turns_and_it_stays_sqlite_that_keeps_them_apart(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.db'}")
    with database.writing() as connection, (tmp_path / "x.db.turn").open("ab") as other:
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        connection.execute(sa.text("INSERT INTO links (token, expires_at) VALUES ('a', '2030-01-01')"))
        stranger = sqlite3.connect(tmp_path / "x.db", timeout=0)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            stranger.execute("BEGIN IMMEDIATE")
        stranger.close()
    database.engine.dispose()
