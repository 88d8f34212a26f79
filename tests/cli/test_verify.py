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


def test_people_read_a_line_for_each_kind(shell: Shell) -> None:
    for number in range(5):
        (shell.folder / f"broken{number}.md").write_text("---\nid: x\n", encoding="utf-8")
        (shell.folder / f"status{number}.md").write_text(f"---\nstatus: s{number}\n---\nText.\n", encoding="utf-8")
    (shell.folder / "guide.pdf").write_bytes(b"%PDF")
    lines = shell.bare("verify", str(shell.folder)).out.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("held back (5): the front matter opened by --- is never closed")
    assert lines[0].endswith("broken0.md:1, broken1.md:1, broken2.md:1 and 2 more")
    assert lines[1].startswith("held back (5): unknown status 's0'")
    assert lines[2].startswith("note (1): not Markdown")
    assert lines[3].startswith("16 files, ")
