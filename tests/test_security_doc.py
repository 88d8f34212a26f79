"""The threat model names code and tests that are there, and so does what is said of failures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODEL, FAILURES = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("security.md", "reliability.md"))
ROWS = [line for line in MODEL.partition("## Limits")[0].splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.strip("| ").split(" | ")[0])
def test_a_promise_names_the_code_that_keeps_it_and_the_test_that_would_fail(row: str) -> None:
    _, _, code, tests = row.strip("| ").split(" | ")
    assert all((ROOT / path).is_file() for path in re.findall(r"`(webapp/[\w/.]+)`", code))
    assert are_there(tests)


def test_what_is_said_to_be_borne_names_tests_that_are_there() -> None:
    assert are_there(FAILURES) > 15


def are_there(text: str) -> int:
    """Find every test that is named; return how many."""
    named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", text)
    for file, test in named:
        assert re.search(rf"^\s*def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), test
    return len(named)
