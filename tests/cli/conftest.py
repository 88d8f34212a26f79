"""Running a command in this process, on a small collection of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHOP, Desks, write_files
from webapp.cli import run

QUESTIONS = [
    {"id": "return", "question": "Within how many days can I return a lamp?", "answerable": True, "document": "returns",
     "fact": "within 45 days", "lang": "en"},
    {"id": "zebra", "question": "Where do zebras migrate to?", "answerable": False, "lang": "en"},
]  # fmt: skip
FACTS = [{"fact": "within 45 days of delivery", "document": "returns"}]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on stdout."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs commands on one collection and instance."""

    folder: Path
    instance: Path
    capture: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Ran:
        """Run a command on the collection."""
        return self.bare(*arguments, "--collection", str(self.folder), "--instance", str(self.instance))

    def bare(self, *arguments: str) -> Ran:
        """Run a command just as it is."""
        self.capture.readouterr()
        code = run(arguments)
        out, err = self.capture.readouterr()
        return Ran(code, out, err)


@pytest.fixture
def shell(tmp_path: Path, shared_desks: Desks, capfd: pytest.CaptureFixture[str]) -> Shell:
    """A shell with the small shop, its questions and its facts; no text is embedded twice."""
    folder = write_files(tmp_path / "shop", SHOP)
    for name, rows in (("golden.jsonl", QUESTIONS), ("facts.jsonl", FACTS)):
        (folder / name).write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    shutil.copytree(shared_desks.settings.instance / "vectors", tmp_path / "instance" / "vectors")
    return Shell(folder, tmp_path / "instance", capfd)


@pytest.fixture
def edit(shell: Shell) -> Callable[[str, str, str], None]:
    """Replace words in a file of the collection."""

    def change(name: str, before: str, after: str) -> None:
        file = shell.folder / name
        file.write_text(file.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")

    return change
