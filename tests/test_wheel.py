"""The wheel is all there is to install: it serves from an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ("templates", "static", "corpus")


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
def serving(installed: Path, folder: Path) -> Iterator[str]:
    """Serve one collection from a folder, and give the address; the server is stopped at the end."""
    program = str(installed / "bin" / "evidencedesk")
    command = [sys.executable, program, "serve", "--collection", "cityops", "--port", "0", "--no-worker", "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVIDENCEDESK_")}
    environment["PYTHONPATH"] = str(installed)
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield json.loads(server.stdout.readline())["address"]
        finally:
            server.terminate()
            server.wait(timeout=30)


def fetched(address: str) -> str:
    """Return a page; any answer but 200 is an error."""
    with urllib.request.urlopen(address, timeout=60) as response:
        return str(response.read().decode("utf-8"))


def test_wheel_serves_from_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    with serving(installed, tmp_path) as home:
        assert fetched(f"{home}healthz")
        assert "<form" in fetched(home)
        assert ">জিজ্ঞাসা করুন<" in fetched(f"{home}?lang=bn")
        assert "htmx" in fetched(f"{home}static/vendor/htmx.min.js")
    assert [file.name for file in tmp_path.iterdir()] == ["instance"]
