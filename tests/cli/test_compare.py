from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Shell


def test_the_settings_side_by_side(shell: Shell) -> None:
    data = shell("compare", "--json").json
    assert [(one["strategy"], one["options"]) for one in data["settings"]] == [
        ("paragraph", {}), ("sentence", {"max_chars": 100}), ("fixed", {"size": 100, "overlap": 20}),
        ("fixed", {"size": 100, "overlap": 40}),
    ]  # fmt: skip
    for one in data["settings"]:
        assert one["facts_whole"] == 1
        assert one["recall"].keys() >= {"1", "3"}
        assert one["recall"]["1"].keys() == {"value", "low", "high"}
    assert data["verdict"]


def test_one_file_alone(shell: Shell) -> None:
    data = shell("compare", str(shell.folder / "returns.md"), "--json").json
    assert data["settings"][0]["chunks"] == 1


def test_a_file_that_is_still_a_draft(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# New page\n\nNo status yet.\n", encoding="utf-8")
    assert shell("compare", str(tmp_path / "page.md"), "--json").json["settings"][0]["chunks"] == 1


def test_a_file_that_can_not_be_read_is_named_with_its_line(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("---\ntitle: New\n# no end\n", encoding="utf-8")
    ran = shell("compare", str(tmp_path / "page.md"))
    assert ran.code == 2
    assert "page.md:1: " in ran.err


def test_for_people(shell: Shell) -> None:
    out = shell("compare").out
    assert "sentence 100" in out
    assert "recall@3" in out
