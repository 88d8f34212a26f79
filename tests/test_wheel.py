"""The wheel is all there is to install: it serves from an empty folder."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ("templates", "static", "corpus")
PATIENCE = 120  # seconds until the server answers: it builds its indexes first, on a machine that tests keep busy


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel installed in it, and nothing of this tree."""
    folder = tmp_path_factory.mktemp("site")
    run(
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        str(folder),
        str(wheel),
    )
    return folder


def run(*command: str) -> None:
    """Run a command to its good end."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def expected_in_wheel() -> set[str]:
    """Return what git keeps of the program, and what make adds to it, by its name in the wheel."""
    command = ["git", "ls-files", "-z", "webapp", *SHARED]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    kept = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    made = ["static/vendor/htmx.min.js", *(name[:-3] + ".mo" for name in kept if name.endswith(".po"))]
    return {f"webapp/_shared/{name}" if name.startswith(SHARED) else name for name in kept + made}


def test_wheel_carries_the_whole_program_and_no_leavings(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    missing = expected_in_wheel() - names
    assert not missing, f"not in the wheel (`make test` makes what git does not keep): {sorted(missing)}"
    assert not [name for name in names if "__pycache__" in name or not name.startswith("webapp/")]


@contextmanager
def serving(installed: Path, folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """Serve from an empty folder; the server is stopped at the end."""
    command = [sys.executable, str(installed / "bin" / "evidencedesk"), "serve", "--no-worker", "--port", str(port)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVIDENCEDESK_")}
    with (folder.parent / "log").open("w+", encoding="utf-8") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=environment | {"PYTHONPATH": str(installed)}, stdout=log, stderr=log, text=True
        )
        try:
            yield server
        finally:
            server.terminate()
            server.wait(timeout=30)


def fetched(address: str, server: subprocess.Popen[str], log: Path) -> str:
    """Return a page, waiting for the server to come up."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as response:
                return str(response.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(f"{address}: {error.code}\n{log.read_text(encoding='utf-8')}") from error
        except OSError:
            assert server.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline, log.read_text(encoding="utf-8")
            time.sleep(0.2)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_wheel_serves_from_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    folder, port = tmp_path / "empty", free_port()
    folder.mkdir()
    with serving(installed, folder, port) as server:
        home = f"http://127.0.0.1:{port}"
        fetched(f"{home}/healthz", server, tmp_path / "log")
        assert "<form" in fetched(f"{home}/", server, tmp_path / "log")
        assert "<form" in fetched(f"{home}/c/handbook/", server, tmp_path / "log")
        assert "--" in fetched(f"{home}/static/app.css", server, tmp_path / "log")
    assert {file.name for file in folder.iterdir()} == {"instance"}
