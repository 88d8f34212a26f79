"""Backups of the instance folder, made and put back while it is being served.

A backup is a folder: the database as it was at one moment, the inbox, the index versions, the known vectors, the key
that signs cookies, the collections' files when asked for, and last of all a list of everything with checksums. It
appears under its name when it is whole.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from webapp.core.documents.collection import visible_files
from webapp.core.retrieval.engine import IndexProblem
from webapp.core.retrieval.engines.local import CURRENT, LOCK, IndexFolder
from webapp.core.retrieval.files import locked, replace_file, sha256_of
from webapp.settings import Settings
from webapp.store.copying import copy_database, copy_rows, database_problem, holds_something
from webapp.store.database import Database, DatabaseError, open_database

LIST = "backup.json"
DATABASE = "evidencedesk.db"
_FORMAT = 1
_KEY = "secret_key"
_INDEXES, _VECTORS, _INBOX, _DOCUMENTS = "indexes", "vectors", "inbox", "documents"
_TRIES = 5  # to copy an index while versions come and go
_LEFT_OUT = shutil.ignore_patterns("*.lock", ".*.draft", "*.part", "*.new")


class BackupError(RuntimeError):
    """A backup can't be made or put back; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup holds."""

    place: Path
    made_at: datetime
    files: int
    bytes: int
    collections: tuple[str, ...]  # whose indexes it holds
    database: bool  # False: there was none yet


def back_up(settings: Settings, target: Path, documents: Mapping[str, Path] | None = None) -> BackupReport:
    """Make a backup under the name `target`, with the files of these collections' folders. Raises BackupError."""
    if target.exists():
        raise BackupError(f"{target} is there already; name a folder that is not")
    part = _begun(target)
    try:
        _fill(settings, part, documents or {})
        report = _sealed(part, target)
        part.replace(target)
    except (sqlite3.Error, SQLAlchemyError, DatabaseError) as error:
        raise BackupError(f"the database can't be copied ({error}); run: evidencedesk doctor") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return report


def restore(
    settings: Settings, source: Path, force: bool = False, documents: Mapping[str, Path] | None = None
) -> BackupReport:
    """Put a backup in the place of what the instance folder holds: only if that is nothing, or by `force`.

    The folders of `documents` get back those files of theirs that the backup holds. Raises BackupError; nothing has
    been touched when the backup itself is not sound.
    """
    report = check(source)
    if not force:
        _require_nothing_there(settings)
    settings.instance.mkdir(parents=True, exist_ok=True)
    if report.database:
        _put_database(source / DATABASE, settings)
    for name in (_VECTORS, _INBOX):
        if (source / name).exists():
            shutil.copytree(source / name, settings.instance / name, dirs_exist_ok=True)
    for index in _folders(source / _INDEXES):
        _put_index(index, settings.instance / _INDEXES / index.name)
    if (source / _KEY).exists():
        shutil.copy2(source / _KEY, settings.instance / _KEY)
    for name, folder in (documents or {}).items():
        _put_documents(source / _DOCUMENTS / name, folder)
    return report


def check(source: Path) -> BackupReport:
    """Find out whether a backup is whole: every file as it was written, the database and the live indexes sound.

    Raises BackupError.
    """
    listed = _listed(source)
    files: dict[str, str] = listed["files"]
    wrong = [name for name, sum_ in files.items() if not (source / name).is_file() or sha256_of(source / name) != sum_]
    if wrong:
        raise BackupError(f"{source} is damaged ({', '.join(wrong[:3])}); take another backup")
    if problem := listed["database"] and database_problem(source / DATABASE):
        raise BackupError(f"the database in {source} is damaged ({problem}); take another backup")
    for index in _folders(source / _INDEXES):
        if problem := _index_problem(index):
            raise BackupError(f"the index {index.name} in {source} is damaged ({problem}); take another backup")
    return _report(source, listed)


# Making one


def _begun(target: Path) -> Path:
    """Return a new folder beside the target, which its owner alone can read."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise BackupError(f"{target.parent} can't be written to ({error.strerror}); name another folder") from error


def _fill(settings: Settings, part: Path, documents: Mapping[str, Path]) -> None:
    instance = settings.instance
    if (instance / _INBOX).exists():  # before the database: what moves there meanwhile is in both, and kept once
        shutil.copytree(instance / _INBOX, part / _INBOX, ignore=_LEFT_OUT, copy_function=_copy_if_there)
    _copy_database(settings, part / DATABASE)
    for index in _folders(instance / _INDEXES):
        _copy_index(index, part / _INDEXES / index.name)
    if (instance / _VECTORS).exists():
        shutil.copytree(instance / _VECTORS, part / _VECTORS, ignore=_LEFT_OUT)
    if (instance / _KEY).exists():
        shutil.copy2(instance / _KEY, part / _KEY)
    for name, folder in documents.items():
        for file in visible_files(folder, []):
            copy = part / _DOCUMENTS / name / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            _copy_if_there(str(file), str(copy))


def _copy_database(settings: Settings, copy: Path) -> None:
    """Copy the file; of a server's database make one, which can be put back into either."""
    file = _database_file(settings)
    if file is None:
        with _opened(settings.database) as source, _opened(f"sqlite:///{copy}") as target:
            copy_rows(source, target)
    elif file.exists():
        copy_database(file, copy)


def _copy_index(index: Path, copy: Path) -> None:
    """Copy an index whose versions may come and go meanwhile, until the copy's live version is whole."""
    problem = ""
    for _ in range(_TRIES):
        shutil.rmtree(copy, ignore_errors=True)
        live = IndexFolder(index).live_id()
        with suppress(shutil.Error, FileNotFoundError):  # what is pruned while it is copied
            shutil.copytree(index, copy, ignore=_LEFT_OUT)
            if live:
                (copy / CURRENT).write_text(live, encoding="utf-8")
            if not (problem := _index_problem(copy)):
                return
    shutil.rmtree(copy, ignore_errors=True)
    raise BackupError(f"the index {index.name} can't be copied whole ({problem}); run: evidencedesk doctor")


def _index_problem(index: Path) -> str:
    """Say what is wrong with the live version of an index; "" when it is sound or there is none."""
    try:
        live = IndexFolder(index).current()
        return ", ".join(live.damage()) if live else ""
    except IndexProblem as problem:
        return str(problem)


def _sealed(part: Path, target: Path) -> BackupReport:
    files = {file.relative_to(part).as_posix(): sha256_of(file) for file in sorted(part.rglob("*")) if file.is_file()}
    listed = {
        "format": _FORMAT,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "database": (part / DATABASE).exists(),
        "files": files,
    }
    replace_file(part / LIST, json.dumps(listed, indent=1).encode())
    return replace(_report(part, listed), place=target)


# Putting one back


def _require_nothing_there(settings: Settings) -> None:
    taken = [name for name in (DATABASE, _INDEXES) if (settings.instance / name).exists()]
    if taken:
        raise BackupError(f"{settings.instance} holds {' and '.join(taken)}; restore with --force to replace them")
    if _database_file(settings) is None:
        with _opened(settings.database) as database:
            if holds_something(database):
                raise BackupError("the database holds accounts or answers; restore with --force to replace them")


def _put_database(copy: Path, settings: Settings) -> None:
    """Write the copy over the database: those who have it open see the one or the other, never a mixture."""
    file = _database_file(settings)
    try:
        if file is None:
            _put_on_server(copy, settings.database)
        else:
            _put_file(copy, file)
    except (DatabaseError, SQLAlchemyError) as error:
        raise BackupError(f"the database can't be put back: {error}") from error


def _put_on_server(copy: Path, address: str) -> None:
    with tempfile.TemporaryDirectory() as folder:  # an older copy gets the newest tables, and stays as it is
        shutil.copy2(copy, Path(folder, DATABASE))
        with _opened(f"sqlite:///{folder}/{DATABASE}") as source, _opened(address) as target:
            copy_rows(source, target)


def _put_file(copy: Path, database: Path) -> None:
    try:
        copy_database(copy, database)
    except sqlite3.OperationalError as error:
        raise BackupError(f"the database is in use ({error}); stop the server, then restore again") from error
    except sqlite3.DatabaseError:  # what stands there is none
        for suffix in ("", "-wal", "-shm"):
            database.with_name(database.name + suffix).unlink(missing_ok=True)
        copy_database(copy, database)
    open_database(f"sqlite:///{database.resolve()}").engine.dispose()  # with the newest tables


def _put_index(copy: Path, index: Path) -> None:
    """Add the versions of the copy, then make its live one the live one."""
    with locked(index / LOCK):
        shutil.copytree(copy, index, dirs_exist_ok=True, ignore=shutil.ignore_patterns(CURRENT))
        if live := IndexFolder(copy).live_id():
            replace_file(index / CURRENT, live.encode())


def _put_documents(copies: Path, folder: Path) -> None:
    if copies.exists():
        shutil.copytree(copies, folder, dirs_exist_ok=True)


# Both


def _database_file(settings: Settings) -> Path | None:
    """Return the file of the database; None: it is a server's."""
    url = make_url(settings.database)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


@contextmanager
def _opened(address: str) -> Iterator[Database]:
    database = open_database(address)
    try:
        yield database
    finally:
        database.engine.dispose()


def _folders(place: Path) -> Iterator[Path]:
    return (folder for folder in sorted(place.glob("*")) if folder.is_dir())


def _copy_if_there(source: str, target: str) -> None:
    with suppress(FileNotFoundError):
        shutil.copy2(source, target)


def _listed(source: Path) -> dict[str, Any]:
    try:
        listed = json.loads((source / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BackupError(f"{source} is no backup: {LIST} is missing or can't be read") from error
    if not isinstance(listed, dict) or listed.get("format") != _FORMAT:
        raise BackupError(f"{source} was made by another version of this program; restore it with that one")
    return listed


def _report(place: Path, listed: Mapping[str, Any]) -> BackupReport:
    files = listed["files"]
    return BackupReport(
        place,
        datetime.fromisoformat(listed["made_at"]),
        len(files),
        sum((place / name).stat().st_size for name in files),
        tuple(index.name for index in _folders(place / _INDEXES)),
        listed["database"],
    )
