"""Backups: whole while answers are being kept, refused when damaged, put back as it was."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.conftest import Desks, make_settings
from tests.services.test_root import RETURN, ask, edit
from webapp.core.retrieval.model import Reader, Role
from webapp.services.backup import DATABASE, LIST, BackupError, back_up, check, restore
from webapp.services.model import StoredAnswer
from webapp.services.root import Services
from webapp.settings import Settings
from webapp.store.feedback import Vote
from webapp.store.finding import Wanted
from webapp.store.kept import Stored
from webapp.store.store import Store


def opened(settings: Settings, answer_id: str) -> str:
    """Return what an answer says in an installation; "" when it isn't there."""
    services = Services.open(settings)
    try:
        found = services.answer(answer_id, Reader())
        return found.answer.answer if isinstance(found, StoredAnswer) else ""
    finally:
        services.close()


def elsewhere(desks: Desks) -> Settings:
    """Settings of another, empty instance of the same collections."""
    return desks.settings.model_copy(update={"instance": desks.folder / "elsewhere"})


@contextmanager
def asking(desks: Desks, kept: list[str]) -> Iterator[None]:
    """Keep answers all the time."""
    over = threading.Event()

    def go_on() -> None:
        while not over.is_set():
            kept.append(ask(desks).id)

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_there_and_back_with_answers_made_meanwhile(desks: Desks, tmp_path: Path) -> None:
    before, during = ask(desks).id, list[str]()
    with asking(desks, during):
        report = back_up(desks.settings, tmp_path / "backup")
    assert report.database
    assert set(report.collections) >= {"shop"}
    other = elsewhere(desks)
    assert restore(other, tmp_path / "backup") == report
    assert "45 days" in opened(other, before)
    services = Services.open(other)
    answers = [services.answer(id_, Reader()) for id_ in during]
    there = [answer is not None for answer in answers]
    assert there == sorted(there, reverse=True), "an earlier answer is missing, a later one is there"
    assert services.desk().live().manifest.id == desks.services.desk().live().manifest.id
    services.close()


def test_a_server_that_goes_on_has_what_was_put_back(desks: Desks, tmp_path: Path) -> None:
    kept = ask(desks).id
    version = desks.services.desk().live().manifest.id
    back_up(desks.settings, tmp_path / "backup")
    later = ask(desks, "Which bulb fits a desk lamp?").id
    desks.services.history.erase(kept)
    restore(desks.settings, tmp_path / "backup", force=True)
    assert isinstance(desks.services.answer(kept, Reader()), StoredAnswer)
    assert desks.services.answer(later, Reader()) is None
    assert desks.services.desk().live().manifest.id == version


def test_nothing_is_replaced_unless_forced(desks: Desks, tmp_path: Path) -> None:
    ask(desks)
    back_up(desks.settings, tmp_path / "backup")
    with pytest.raises(BackupError, match="--force"):
        restore(desks.settings, tmp_path / "backup")


def test_a_backup_does_not_go_where_something_is(desks: Desks, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="is there already"):
        back_up(desks.settings, tmp_path)


def test_where_nothing_can_be_written_it_names_the_folder(desks: Desks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(BackupError, match=r"file can't be written to \(.+\); name another folder"):
        back_up(desks.settings, tmp_path / "file" / "backup")


@pytest.mark.parametrize("name", ["indexes/shop/**/vectors*", "vectors/**/*.*"])
@pytest.mark.parametrize("missing", [False, True])
def test_a_damaged_backup_touches_nothing(desks: Desks, tmp_path: Path, name: str, missing: bool) -> None:
    ask(desks)
    back_up(desks.settings, tmp_path / "backup")
    file = next(file for file in sorted((tmp_path / "backup").glob(name)) if file.is_file())
    data = file.read_bytes()
    file.unlink() if missing else file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(BackupError, match="is damaged"):
        restore(elsewhere(desks), tmp_path / "backup")
    assert not (desks.folder / "elsewhere").exists()


def test_a_database_that_was_broken_before_it_was_listed_is_found(desks: Desks, tmp_path: Path) -> None:
    answer_id, place = ask(desks).id, tmp_path / "backup"
    back_up(desks.settings, place)
    with sqlite3.connect(place / DATABASE) as database:
        database.execute("DELETE FROM snapshots")
    database.close()
    from webapp.core.retrieval.files import sha256_of

    listed = json.loads((place / LIST).read_text(encoding="utf-8"))
    listed["files"][DATABASE] = sha256_of(place / DATABASE)
    (place / LIST).write_text(json.dumps(listed), encoding="utf-8")
    with pytest.raises(BackupError, match="rows point to others"):
        check(place)
    assert answer_id


@pytest.mark.parametrize("text", [None, "nonsense", "[]", '{"format": 99}'])
def test_a_folder_that_is_no_backup_says_so(desks: Desks, tmp_path: Path, text: str | None) -> None:
    (tmp_path / "other").mkdir()
    if text is not None:
        (tmp_path / "other" / LIST).write_text(text, encoding="utf-8")
    with pytest.raises(BackupError, match=r"is no backup|another version"):
        restore(desks.settings, tmp_path / "other", force=True)


def test_a_file_that_is_no_database_is_replaced(desks: Desks, tmp_path: Path) -> None:
    kept = ask(desks).id
    back_up(desks.settings, tmp_path / "backup")
    other = elsewhere(desks)
    other.instance.mkdir()
    (other.instance / DATABASE).write_text("nonsense " * 1000, encoding="utf-8")
    restore(other, tmp_path / "backup", force=True)
    assert "45 days" in opened(other, kept)


def test_documents_come_along_only_when_asked_for(desks: Desks, tmp_path: Path) -> None:
    ask(desks)
    shop = {"shop": desks.shop}
    back_up(desks.settings, tmp_path / "without")
    back_up(desks.settings, tmp_path / "with", shop)
    edit(desks, "returns.md", "45 days", "60 days")
    restore(desks.settings, tmp_path / "without", force=True, documents=shop)
    assert "60 days" in (desks.shop / "returns.md").read_text(encoding="utf-8")
    restore(desks.settings, tmp_path / "with", force=True)
    assert "60 days" in (desks.shop / "returns.md").read_text(encoding="utf-8")
    restore(desks.settings, tmp_path / "with", force=True, documents=shop)
    assert "45 days" in (desks.shop / "returns.md").read_text(encoding="utf-8")
    assert RETURN


def test_what_a_command_left_in_the_inbox_is_in_it(desks: Desks, tmp_path: Path) -> None:
    desks.services.desk().ensure_index()
    brief = Services.open(desks.settings, brief=True)
    left = brief.desk().ask(RETURN, Reader()).id
    back_up(desks.settings, tmp_path / "backup")
    restore(elsewhere(desks), tmp_path / "backup")
    assert "45 days" in opened(elsewhere(desks), left)


def test_the_key_stays_the_owners_alone(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, secret_key="")
    settings.signing_key()
    back_up(settings, tmp_path / "backup")
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0
    assert (tmp_path / "backup" / "secret_key").stat().st_mode & 0o077 == 0


def test_a_database_moves_to_a_server_and_back(desks: Desks, tmp_path: Path, database_url: str) -> None:
    """All that is kept comes along, in one state; what an older server holds is replaced by force alone."""
    kept, voter = ask(desks).id, "somebody"
    desks.services.store.feedback.put(kept, voter, Vote(good=False, words="\u09ab\u09c7\u09b0\u09a4"))
    desks.services.accounts.invite("ada@lamps.example", Role.EDITOR)
    on_server = elsewhere(desks).model_copy(update={"database_url": SecretStr(database_url)})
    back_up(desks.settings, tmp_path / "from file")
    restore(on_server, tmp_path / "from file")
    assert "45 days" in opened(on_server, kept)
    services = Services.open(on_server)
    services.accounts.invite("ben@lamps.example", Role.AGENT)  # its number is a new one
    services.close()
    report = back_up(on_server, tmp_path / "from server")
    assert report.database
    assert not list((tmp_path / "from server").glob("*-wal"))
    shutil.rmtree(on_server.instance)
    with pytest.raises(BackupError, match="holds accounts or answers; restore with --force"):
        restore(on_server, tmp_path / "from server")
    restore(on_server, tmp_path / "from file", force=True)
    with closing(Store.open(database_url)) as store:
        assert [one.email for one in store.accounts.all()] == ["ada@lamps.example"]
    again = desks.settings.model_copy(update={"instance": desks.folder / "again"})
    restore(again, tmp_path / "from server")
    with closing(Services.open(again)) as services:
        store = services.store
        assert [one.email for one in store.accounts.all()] == ["ada@lamps.example", "ben@lamps.example"]
        assert [vote.words for vote in store.feedback.all(kept)] == ["\u09ab\u09c7\u09b0\u09a4"]
        assert [one.answer.id for one in store.finder.page(Wanted(("shop",), words="lamp 45"), 9)] == [kept]
        assert isinstance(services.store.answers.get(kept), Stored)
