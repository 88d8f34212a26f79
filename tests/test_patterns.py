"""No pattern of the program takes more than linear time, whatever the text: counted in steps, which are the same on
every machine."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import webapp
from tests.backtracking import Machine, TooManySteps, attacks

SHORT, LONG = 10, 50  # pieces: five times the text
MOST_GROWTH, ALLOWANCE = 9, 60  # of steps: linear is five, quadratic twenty-five; what begins and ends a text
AT_THE_START = {"match", "fullmatch"}
METHODS = AT_THE_START | {"search", "sub", "subn", "finditer", "findall", "split"}

# What may grow faster, because what it is given is short, or the operator's own.
BOUNDED = {
    "webapp.core.answering.expected._ASKED": "a question has 2,000 characters at most",
    "webapp.core.answering.support._SENTENCE_START": "20 characters are looked at",
    "webapp.core.chunking.verify._COMMENTS": "for the command `verify` alone",
    "webapp.core.documents.front_matter._DEEP_KEY": "from each place, 99 parts are looked at",
}


@cache
def patterns() -> dict[str, list[tuple[re.Pattern[str], bool]]]:
    """Return by name every pattern of the program, and whether it is only ever tried at the start of a text."""
    found: dict[str, list[tuple[re.Pattern[str], bool]]] = defaultdict(list)
    used = _used()
    for module in _modules():
        for name, value in vars(module).items():
            methods = used[module.__name__, name] if name.startswith("_") else used["", name]
            whole = isinstance(value, re.Pattern) and bool(methods) and methods <= AT_THE_START
            for pattern in _inside(value):
                known = any((pattern, whole) in others for others in found.values())
                if not known and isinstance(pattern.pattern, str):
                    found[f"{module.__name__}.{name}"].append((pattern, whole))
    for place, pattern in _inline():
        found[place].append((pattern, False))
    return dict(found)


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(webapp.__path__, "webapp."):
        if ".migrations" not in found.name and not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def _inside(value: object, depth: int = 3) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and depth:
        yield from (one for part in (*value, *value.values()) for one in _inside(part, depth - 1))
    elif isinstance(value, Iterable) and isinstance(value, (tuple, list, frozenset, set)) and depth:
        yield from (one for part in value for one in _inside(part, depth - 1))


def _trees() -> Iterator[tuple[str, ast.AST]]:
    root = Path(webapp.__path__[0])
    for file in sorted(root.rglob("*.py")):
        yield str(file.relative_to(root)), ast.parse(file.read_text(encoding="utf-8"))


def _used() -> dict[tuple[str, str], set[str]]:
    """Return the methods that are called on whatever has a name of a constant, by module and name; those of public
    names once more for all modules, under ""."""
    used = defaultdict(set)
    for file, tree in _trees():
        module = f"webapp.{file.removesuffix('.py').replace('/', '.')}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                name = ast.unparse(node.value).split(".")[-1].split("[")[0]
                used[module, name].add(node.attr)
                used["", name].add(node.attr)
    return used


def _inline() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the patterns that stand in a call of the module `re`; those that are put together from escaped words, and
    hold no repetition but these, are not known before they are used."""
    for file, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and re.fullmatch(r"re\.(?!compile|escape)\w+", ast.unparse(node.func)):
                pattern = node.args[0]
                if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
                    yield f"{file}:{node.lineno}", re.compile(pattern.value)


@pytest.fixture(autouse=True)
def deep(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine takes a few calls for each character."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def grows(pattern: re.Pattern[str], everywhere: bool) -> str:
    """Return a text whose steps grow faster than it does, "" when there is none."""
    machine = Machine(pattern)
    for beginning, piece, end in attacks(pattern):
        short = beginning + piece * SHORT + end
        try:
            limit = MOST_GROWTH * machine.steps(short, everywhere) + ALLOWANCE
            machine.steps(beginning + piece * LONG + end, everywhere, limit)
        except TooManySteps:
            return f"{beginning!r} + {piece!r} * n + {end!r}"
        found = pattern.match(short)
        assert machine.match_end(short) == (found.end() if found else None), "the machine is wrong"
    return ""


@pytest.mark.parametrize("name", sorted(patterns()))
def test_no_pattern_takes_more_than_linear_time(name: str) -> None:
    slow = [text for pattern, at_start in patterns()[name] if (text := grows(pattern, not at_start))]
    assert bool(slow) is (name in BOUNDED), slow


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|a)*b", r"\s*\s*x", r"a*?(ab?)*c", r"(\w+\d?)*!", r"(.)\1*\1*x"])
def test_slow_patterns_are_told_at_the_start(pattern: str) -> None:
    assert grows(re.compile(pattern), everywhere=False)


@pytest.mark.parametrize("pattern", [r"\s+$", r"<!--.*?-->", r"\w+:", r"[^\n]*\S[^\n]*", r"\{#([^}\s]+)\}"])
def test_slow_searches_are_told(pattern: str) -> None:
    assert grows(re.compile(pattern), everywhere=True)
    assert not grows(re.compile(pattern), everywhere=False)


@pytest.mark.parametrize("pattern", [r"\w+", r"(?<!\w)\w++:", r"(?<!a)a+b|c", r"<[^<>]*>", r"(?<!b)(?:ab)*+x"])
def test_quick_patterns_are_not(pattern: str) -> None:
    assert not grows(re.compile(pattern), everywhere=True)
