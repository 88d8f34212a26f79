from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Shell

QUESTION = "Within how many days can I return a lamp?"


def test_there_and_back(shell: Shell, tmp_path: Path) -> None:
    shell("index")
    shell("users", "add", "a@lamps.example")
    ran = shell("backup", str(tmp_path / "kept"), "--json")
    assert (ran.code, ran.json["database"], len(ran.json["collections"])) == (0, True, 1)
    other = ("--collection", str(shell.folder), "--instance", str(tmp_path / "other"))
    ran = shell.bare("restore", str(tmp_path / "kept"), *other)
    assert ran.code == 0
    assert "restart the server" in ran.out
    assert "a@lamps.example" in shell.bare("users", "list", *other).out
    assert shell.bare("ask", QUESTION, "--json", *other).json["citations"]


def test_what_is_there_is_not_replaced(shell: Shell, tmp_path: Path) -> None:
    shell("index")
    shell("backup", str(tmp_path / "kept"))
    ran = shell("restore", str(tmp_path / "kept"))
    assert (ran.code, ran.out) == (2, "")
    assert "restore with --force" in ran.err
    assert shell("restore", str(tmp_path / "kept"), "--force").code == 0
