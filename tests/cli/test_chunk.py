from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Shell


def test_gives_the_chunks_with_their_places(shell: Shell) -> None:
    ran = shell("chunk", str(shell.folder / "returns.md"), "--json")
    assert ran.json["document"] == "returns"
    assert ran.json["problems"] == []
    [chunk] = ran.json["chunks"]
    expected = {
        "id": "returns:c0", "heading": "Returning a lamp", "heading_path": ["Returning a lamp"], "first_line": 10,
        "last_line": 10, "start": 0, "end": 67, "label": "Returning a lamp, line 10",
        "text": "You can return a lamp within 45 days of delivery for a full refund.",
    }  # fmt: skip
    assert chunk == expected


def test_nothing_is_stored(shell: Shell) -> None:
    before = sorted(shell.instance.rglob("*"))
    shell("chunk", str(shell.folder / "returns.md"), "--strategy", "fixed")
    assert sorted(shell.instance.rglob("*")) == before


def test_a_file_is_read_as_the_collection_around_it_says(shell: Shell) -> None:
    (shell.folder / "collection.toml").write_text('status_when_missing = "held_back"', encoding="utf-8")
    (shell.folder / "bare.md").write_text("# Bare\n\nText.\n", encoding="utf-8")
    ran = shell.bare("chunk", str(shell.folder / "bare.md"), "--json")
    assert ran.code == 0
    assert ran.json["chunks"] == []
    assert ran.json["problems"][0]["line"] >= 0
    assert "held back: " in shell.bare("chunk", str(shell.folder / "bare.md")).out


def test_an_empty_one_has_none(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text(" \n", encoding="utf-8")
    ran = shell.bare("chunk", str(tmp_path / "empty.md"))
    assert (ran.code, ran.out) == (0, "no text, no chunks\n")


def test_a_missing_one_is_named(shell: Shell) -> None:
    ran = shell.bare("chunk", "/no/such/file.md")
    assert (ran.code, ran.err) == (2, "evidencedesk: /no/such/file.md: No such file or directory\n")
