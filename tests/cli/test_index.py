from __future__ import annotations

import pytest

from tests.cli.conftest import Shell


def test_gives_what_the_interface_promises(shell: Shell) -> None:
    report = shell("index", "--json").json
    assert report.keys() >= {
        "collection", "version", "documents", "sections", "chunks", "unchanged", "embedded", "held_back",
        "embedder", "seconds",
    }  # fmt: skip
    assert (report["documents"], report["chunks"], report["embedder"]) == (6, 8, "e5-small")
    assert report["unchanged"] + report["embedded"] == report["chunks"]


def test_a_second_time_builds_nothing(shell: Shell) -> None:
    assert shell("index", "--json").json["version"] == shell("index", "--json").json["version"]


def test_a_strategy_with_options(shell: Shell) -> None:
    report = shell("index", "--strategy", "fixed", "--size", "30", "--overlap", "10", "--json").json
    assert report["chunks"] > 8


def test_what_is_held_back_is_named_and_counts_only_when_strict(shell: Shell) -> None:
    (shell.folder / "broken.md").write_text("---\nid: x\n\n## Text\nNo closing rule.\n", encoding="utf-8")
    ran = shell("index", "--json")
    assert ran.code == 0
    assert [(one["path"], one["line"]) for one in ran.json["held_back"]] == [("broken.md", 1)]
    assert shell("index", "--strict").code == 1
    assert "held back: broken.md:1:" in shell("index").out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--strategy", "nonsense"], "unknown chunking strategy 'nonsense'; there are: "),
        (["--strategy", "fixed", "--size", "10", "--overlap", "10"], "overlap"),
        (["--strategy", "fixed", "--size", "0"], "size"),
        (["--strategy", "fixed", "--max-chars", "9"], "max_chars"),
        (["--size", "ten"], "'ten' is not a valid integer"),
    ],
)
def test_options_that_do_not_fit_are_said_in_a_line(shell: Shell, options: list[str], words: str) -> None:
    ran = shell("index", *options)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1
