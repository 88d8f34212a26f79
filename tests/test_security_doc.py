"""The threat model names code and tests that are there, and for each test a mistake that makes it fail (`python -m
bench.promises` makes them); what is said of failures names tests that are there, too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bench.promises import Break, breaks

ROOT = Path(__file__).resolve().parents[1]
MODEL, FAILURES = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("security.md", "reliability.md"))
PROMISES = MODEL.partition("## Limits")[0]
ROWS = [line for line in PROMISES.splitlines() if line.startswith("| ")][1:]
BREAKS = breaks()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.strip("| ").split(" | ")[0])
def test_a_promise_names_the_code_that_keeps_it_and_the_tests_that_would_fail(row: str) -> None:
    _, _, code, tests = row.strip("| ").split(" | ")
    assert all((ROOT / path).is_file() for path in re.findall(r"`(webapp/[\w/.]+)`", code))
    assert named(tests)
    assert all(map(is_there, named(tests)))


def test_every_test_that_is_named_fails_by_some_mistake() -> None:
    assert {test for one in BREAKS for test in one.fails} == set(named(PROMISES))


@pytest.mark.parametrize("one", BREAKS, ids=lambda one: one.what)
def test_a_mistake_is_made_where_it_says(one: Break) -> None:
    assert (ROOT / one.file).read_text(encoding="utf-8").count(one.old) == 1


def test_what_is_said_to_be_borne_names_tests_that_are_there() -> None:
    assert len(named(FAILURES)) > 15
    assert all(map(is_there, named(FAILURES)))


def named(text: str) -> list[str]:
    return re.findall(r"`(tests/[\w/.]+::[\w:]+)`", text)


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return name in _tests_of(file)


@cache
def _tests_of(file: str) -> set[str]:
    return set(_names(ast.parse((ROOT / file).read_text(encoding="utf-8"))))


def _names(node: ast.Module | ast.ClassDef) -> Iterator[str]:
    for one in node.body:
        if isinstance(one, ast.FunctionDef):
            yield one.name
        elif isinstance(one, ast.ClassDef):
            yield from (f"{one.name}::{name}" for name in _names(one))
