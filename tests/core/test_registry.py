"""A registry finds the parts of its package, whoever looks first."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from webapp.core.registry import Registry, UnknownPart

PART = """
import time
from {package}.base import parts
time.sleep(0.05)
parts.register("{name}", "A part called {name}")({name!r})
"""


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[str]:
    package = "parts_for_a_test"
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "base.py").write_text(
        f"from webapp.core.registry import Registry\nparts = Registry('test', '{package}')\n", encoding="utf-8"
    )
    for name in ("one", "two", "three"):
        (folder / f"{name}.py").write_text(PART.format(package=package, name=name), encoding="utf-8")
    (folder / "_helper.py").write_text("raise AssertionError('not a part')\n", encoding="utf-8")
    for loaded in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.syspath_prepend(tmp_path)
    found: Registry[str] = __import__(f"{package}.base", fromlist=["parts"]).parts
    return found


def test_every_part_of_the_package_is_found_by_name(parts: Registry[str]) -> None:
    assert [part.name for part in parts.all()] == ["one", "three", "two"]
    assert parts.get("two").make == "two"


def test_a_part_whose_file_is_called_like_it_is_loaded_alone(parts: Registry[str]) -> None:
    assert parts.get("two").make == "two"
    assert "parts_for_a_test.three" not in sys.modules
    assert [part.name for part in parts.all()] == ["one", "three", "two"]


def test_a_part_whose_file_is_called_otherwise_is_found_too(parts: Registry[str], tmp_path: Path) -> None:
    folder = tmp_path / "parts_for_a_test"
    (folder / "two.py").rename(folder / "second.py")
    assert parts.get("two").make == "two"


def test_threads_that_look_at_the_same_time_all_see_every_part(parts: Registry[str]) -> None:
    with ThreadPoolExecutor(8) as threads:
        seen = list(threads.map(lambda _: len(parts.all()), range(8)))
    assert seen == [3] * 8


def test_an_unknown_name_lists_those_there_are(parts: Registry[str]) -> None:
    with pytest.raises(UnknownPart, match="unknown test 'four'; there are: one, three, two"):
        parts.get("four")


def test_a_name_is_given_once(parts: Registry[str]) -> None:
    parts.all()
    with pytest.raises(ValueError, match="two test parts are called 'one'"):
        parts.register("one", "Another")("one")
