"""Break every promise of docs/security.md in a copy of the program, and see that the tests it names fail: a test that
passes whatever the program does keeps nothing. Part of `make soak`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
_FILE = Path(__file__).with_suffix(".toml")
_FOLDERS = ("webapp", "tests", "bench", "docs", "templates", "static", "corpus")
_FILES = ("pyproject.toml", "README.md", "Makefile")
_PASSED, _FAILED = 0, 1  # what pytest exits with


@dataclass(frozen=True, slots=True)
class Break:
    """A mistake that breaks a promise, and the tests that have to fail for it."""

    what: str
    file: str
    old: str
    new: str
    fails: tuple[str, ...]


def breaks() -> tuple[Break, ...]:
    """Return all that are known."""
    listed = tomllib.loads(_FILE.read_text(encoding="utf-8"))["break"]
    return tuple(Break(**one | {"fails": tuple(one["fails"])}) for one in listed)


@click.command(help=__doc__)
@click.option("--only", default="", help="A part of what breaks, of its file or of a test's name")
def main(only: str) -> None:
    """Print a line a test; exit 1 when one passes that should have failed."""
    chosen = [one for one in breaks() if only in f"{one.what} {one.file} {one.fails}"]
    with tempfile.TemporaryDirectory() as folder:
        copy = _copied(Path(folder, "copy"))
        if failure := _failure(copy, *sorted({test for one in chosen for test in one.fails})):
            raise click.ClickException(f"a test fails though nothing is broken, mend that first: {failure}")
        missed = sum(not failed for one in chosen for failed in _tried(copy, one))
    sys.exit(bool(missed))


def _copied(copy: Path) -> Path:
    for name in _FOLDERS:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _FILES:
        shutil.copy2(ROOT / name, copy)
    return copy


def _tried(copy: Path, one: Break) -> Iterator[bool]:
    """Yield whether each test fails that has to."""
    file = copy / one.file
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(one.old, one.new), encoding="utf-8")
    try:
        for test in one.fails:
            failed = bool(_failure(copy, test))
            click.echo(f"{'fails ' if failed else 'PASSES'}  {one.what}: {test}")
            yield failed
    finally:
        file.write_text(text, encoding="utf-8")


def _failure(copy: Path, *tests: str) -> str:
    """Return the end of what is said of the first of these tests that fails; "" when none does.

    Raises ClickException when they can't be run at all.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "--no-header", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode not in (_PASSED, _FAILED):
        raise click.ClickException(f"pytest could not run {tests[0]}: {ran.stdout[-500:]}{ran.stderr[-500:]}")
    return ran.stdout[-1500:] if ran.returncode == _FAILED else ""


if __name__ == "__main__":
    main()
