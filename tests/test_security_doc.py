"""The threat model names code and tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODEL = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = [line for line in MODEL.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.strip("| ").split(" | ")[0])
def test_a_promise_names_the_code_that_keeps_it_and_the_test_that_would_fail(row: str) -> None:
    _, _, code, tests = row.strip("| ").split(" | ")
    assert all((ROOT / path).is_file() for path in re.findall(r"`(webapp/[\w/.]+)`", code))
    named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", tests)
    assert named
    for file, test in named:
        assert re.search(rf"^\s*def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), test
