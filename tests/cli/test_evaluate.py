from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shell


def test_the_golden_set_of_the_collection(shell: Shell) -> None:
    data = shell("evaluate", "--json").json
    assert (data["questions"], data["answerable"], data["unanswerable"], data["label_broken"]) == (2, 1, 1, 0)
    assert data["retrieval"]["section_recall"]["1"]["value"] == 1.0
    assert data["abstention"].keys() == {
        "auc", "answered_when_answerable", "abstained_when_unanswerable", "wrong_answers", "wrong_source",
    }  # fmt: skip
    assert [row["id"] for row in data["rows"]] == ["return", "zebra"]
    assert "each question of its golden set by one that has not seen it" in data["judged_by"]
    assert {"probability", "abstained", "reason", "citations", "retrieved"} <= data["rows"][0].keys()


def test_any_folder_touching_nothing(shell: Shell, tmp_path: Path) -> None:
    folder = shell.folder.rename(tmp_path / "elsewhere")
    before = sorted(shell.instance.rglob("*"))
    ran = shell.bare(
        "evaluate", "--docs", str(folder), "--questions", str(folder / "golden.jsonl"), "--instance",
        str(shell.instance), "--json",
    )  # fmt: skip
    assert ran.code == 0
    assert ran.json["questions"] == 2
    assert ran.json["judged_by"] == "the default calibration"
    assert sorted(shell.instance.rglob("*")) == before


def test_for_people(shell: Shell) -> None:
    out = shell("evaluate").out
    assert "2 questions: 1 answerable, 1 not" in out
    assert "right section among the first 1" in out
    assert "If the limit stood there" in out
    assert "In bn" not in out, "all questions are in one language"


def test_languages_and_failures_for_people(shell: Shell) -> None:
    wrong = {
        "id": "hidden",
        "question": "Which bulb fits?",
        "answerable": True,
        "document": "returns",
        "lines": [10, 10],
    }
    bangla = {"id": "bn", "question": "বাতি ফেরত দিতে কত দিন সময় পাব?", "answerable": False, "lang": "bn"}
    file = shell.folder / "golden.jsonl"
    lines = "".join(json.dumps(one) + "\n" for one in (wrong, bangla))
    file.write_text(file.read_text(encoding="utf-8") + lines, encoding="utf-8")
    ran = shell("evaluate")
    assert "In bn: 1 questions" in ran.out
    assert "  hidden: Which bulb fits?" in ran.out
    assert "; first came bulbs, lines " in ran.out


@pytest.mark.parametrize(("content", "words"), [("", "no labelled questions"), ("{", "golden.jsonl")])
def test_questions_that_can_not_be_used(shell: Shell, content: str, words: str) -> None:
    (shell.folder / "golden.jsonl").write_text(content, encoding="utf-8")
    ran = shell("evaluate")
    assert ran.code == 2
    assert words in ran.err
    assert not (shell.instance / "indexes").exists() or not content


def test_questions_that_are_not_there_are_said_before_anything_is_built(shell: Shell) -> None:
    ran = shell("evaluate", "--questions", "/no/such/file.jsonl")
    assert ran.code == 2
    assert "/no/such/file.jsonl" in ran.err
    assert not (shell.instance / "indexes").exists()


def test_against_an_earlier_run(shell: Shell, tmp_path: Path) -> None:
    first = shell("evaluate", "--json").json
    for row in first["rows"]:
        row["abstained"] = True
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(first), encoding="utf-8")
    against = shell("evaluate", "--against", str(earlier), "--json").json["against"]
    assert against["shared"] == 2
    assert against["measures"]["answered"]["first"]["value"] == 0
    assert against["measures"]["answered"]["difference"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert against["measures"]["answered"]["too_close"] is True, "one question says nothing"
    assert against["changes"] == [{"id": "return", "first": "abstained", "second": "right"}]
    out = shell("evaluate", "--against", str(earlier)).out
    assert "Against the earlier run, on the 2 questions of both:" in out
    assert "too close to call" in out
    assert "return: abstained → right" in out


@pytest.mark.parametrize("content", ["", "[]", '{"rows": [{"id": "a"}]}', '{"rows": [1]}', '{"rows": 1}'])
def test_against_what_is_no_run(shell: Shell, tmp_path: Path, content: str) -> None:
    earlier = tmp_path / "earlier.json"
    earlier.write_text(content, encoding="utf-8")
    ran = shell("evaluate", "--against", str(earlier))
    assert ran.code == 2
    assert "evaluate --json" in ran.err
