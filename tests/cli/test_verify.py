from __future__ import annotations

from tests.cli.conftest import Shell


def test_every_chunk_is_exact(shell: Shell) -> None:
    ran = shell.bare("verify", str(shell.folder), "--json")
    assert ran.code == 0
    report = ran.json
    assert report["files"] == 6
    assert report["chunks"] == report["exact"] > 0
    assert report["inexact"] == report["uncovered"] == []
    assert "7 files" in shell.bare("verify", str(shell.folder / "returns.md"), str(shell.folder)).out


def test_held_back_files_are_results(shell: Shell) -> None:
    (shell.folder / "broken.md").write_text("---\nid: x\n", encoding="utf-8")
    ran = shell.bare("verify", str(shell.folder), "--json")
    assert ran.code == 0
    assert [one["path"] for one in ran.json["held_back"]] == ["broken.md"]


def test_a_missing_path_is_named(shell: Shell) -> None:
    ran = shell.bare("verify", "/no/such/folder")
    assert ran.code == 2
    assert "/no/such/folder" in ran.err
