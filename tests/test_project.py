"""The project holds together: its map, its locks, its documents, and that it speaks of nothing but itself."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from webapp.core.answering.models.base import models
from webapp.core.chunking.base import strategies
from webapp.core.documents.config import CollectionConfig
from webapp.core.registry import Registry
from webapp.core.retrieval.embedders.base import embedders
from webapp.core.retrieval.rerankers.base import rerankers
from webapp.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "webapp"
MAP = (PACKAGE / "README.md").read_text(encoding="utf-8")
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-bench.lock")
TOP_FOLDERS = {".ci", "bench", "corpus", "docs", "instance", "static", "templates", "tests", "webapp"}

# Joined here from halves, so that this file does not hold what it looks for.
HOSTS = [a + b for a, b in [("pypi", ".org"), ("python", "hosted.org"), ("npm", "js."), ("deb.", "debian")]]
PLACES = [a + b for a, b in [("/wo", "rk/"), ("/tmp", "/ve"), ("../sh", "ared"), (".lib", "rary/"), ("/ro", "ot/")]]


def tracked_files() -> list[Path]:
    """Return the files that git keeps, or would with the next commit."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def text_of(file: Path) -> str:
    """Return a text file's text, nothing for a picture."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def python_files(folder: Path) -> list[Path]:
    """Return the modules below a folder."""
    return sorted(folder.rglob("*.py"))


# --- the map


def named_on_map() -> set[str]:
    """Return the paths that the map names: `core/answering/ask.py`, `store/`, `app.py`."""
    return set(re.findall(r"`((?:[\w.-]+/)*(?:[\w-]+\.(?:py|md|toml)|[\w-]+/))(?:::\w+\(?\)?)?`", MAP))


def test_the_map_names_only_what_is_there() -> None:
    places = (PACKAGE, PACKAGE / "core", ROOT)
    missing = {name for name in named_on_map() if not any((place / name).exists() for place in places)}
    assert not missing, f"webapp/README.md names what is not there: {sorted(missing)}"


def test_the_map_names_every_package_and_top_module() -> None:
    packages = {f"{file.parent.relative_to(PACKAGE)}/" for file in PACKAGE.rglob("__init__.py")} - {"./"}
    modules = {file.name for file in PACKAGE.glob("*.py")} - {"__init__.py"}
    left_out = {name for name in packages | modules if name not in named_on_map() and not name.startswith("store/migr")}
    assert not left_out, f"webapp/README.md does not place {sorted(left_out)}"


def test_functions_on_the_map_exist() -> None:
    for module, function in re.findall(r"`([\w/]+\.py)::(\w+)\(?\)?`", MAP):
        tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        assert function in names, f"{module} has no {function}"


def test_top_level_folders_are_the_agreed_ones() -> None:
    folders = {file.relative_to(ROOT).parts[0] for file in tracked_files() if file.parent != ROOT}
    assert folders <= TOP_FOLDERS


# --- what it says


def test_no_file_speaks_of_another_place() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {word}"
        for file in tracked_files()
        for word in HOSTS + PLACES
        if word in text_of(file).replace("services/work/", "")  # a folder of our own
    ]
    assert not found


def test_nothing_is_left_for_later_and_no_test_is_passed_over() -> None:
    later = [a + b for a, b in [("TO", "DO"), ("FIX", "ME"), ("NotImplemented", "Error")]]
    passed_over = [a + b for a, b in [("mark.", "skip"), ("pytest.", "skip"), ("mark.", "xfail"), ("import", "orskip")]]
    words = {PACKAGE: later, ROOT / "templates": later, ROOT / "static": later, ROOT / "tests": passed_over}
    found = [
        f"{file.relative_to(ROOT)}: {word}"
        for folder, unwanted in words.items()
        for file in tracked_files()
        if file.is_relative_to(folder)
        for word in unwanted
        if re.search(rf"\b{re.escape(word)}", text_of(file))
    ]
    assert not found


def test_links_between_documents_lead_somewhere() -> None:
    for file in tracked_files():
        if file.suffix != ".md" or file.is_relative_to(ROOT / "corpus") or file.is_relative_to(ROOT / "tests"):
            continue
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[\w-]+)?\)", text_of(file)):
            if "://" not in target:
                assert (file.parent / target).exists(), f"{file.relative_to(ROOT)} links to {target}"


def test_tables_of_the_documentation_are_the_programs() -> None:
    command = [sys.executable, "-m", "docs.tables", "--check"]  # on its own: tests register parts of theirs
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_field_that_can_be_set_says_what_it_is() -> None:
    registries: tuple[Registry[Any], ...] = (strategies, embedders, rerankers, models)
    classes: list[type[BaseModel]] = [Settings, CollectionConfig]
    classes += [part.options for registry in registries for part in registry.all()]
    unsaid = [
        f"{model.__name__}.{name}"
        for model in classes
        for name, field in model.model_fields.items()
        if not field.description
    ]
    assert not unsaid


# --- what it stands on


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_pin_every_version_by_hash_and_name_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\w)", text.split("make lock\n", 1)[1])
    assert entries
    for entry in entries:
        assert re.match(r"[\w.-]+==[\w.]+ ", entry), entry.split("\n")[0]
        assert "--hash=sha256:" in entry, entry.split("\n")[0]
    assert "://" not in text
    assert "--index" not in text


def locked(lock: str) -> dict[str, str]:
    """Return version by package of a lock."""
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))


def project() -> dict[str, object]:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def names_in(requirements: object) -> set[str]:
    """Return the packages of a list of requirements."""
    assert isinstance(requirements, list)
    return {re.split(r"[<>=~!\[ ;]", entry, maxsplit=1)[0].lower().replace("_", "-") for entry in requirements}


def declared(*groups: str) -> set[str]:
    """Return what pyproject.toml asks for: to run, and for the groups."""
    table = project()
    run, more = table["project"], table["dependency-groups"]
    assert isinstance(run, dict)
    assert isinstance(more, dict)
    return names_in(run["dependencies"]).union(*(names_in(more[group]) for group in groups))


def extras() -> set[str]:
    """Return what pyproject.toml's extras ask for."""
    run = project()["project"]
    assert isinstance(run, dict)
    return set().union(*map(names_in, run["optional-dependencies"].values()))


def test_every_dependency_is_locked_and_the_locks_agree() -> None:
    run, dev, bench = (locked(lock) for lock in LOCKS)
    too_large = {"sentence-transformers"}  # it brings PyTorch: gigabytes, for an embedder that few will choose
    assert declared("build") <= run.keys()
    assert declared("build", "dev") | extras() - too_large <= dev.keys()
    assert declared("build", "dev", "bench") <= bench.keys()
    assert run.items() <= dev.items() <= bench.items()


def imported(files: list[Path]) -> set[str]:
    """Return the top names of the modules that files import from outside the project."""
    names: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - {"webapp", "tests", "bench", "docs"}


@pytest.mark.parametrize(("folder", "groups"), [("webapp", ()), ("tests", ("build", "dev"))])
def test_every_import_is_declared(folder: str, groups: tuple[str, ...]) -> None:
    providers = packages_distributions()
    wanted = declared(*groups) | extras()
    undeclared = {
        name
        for name in imported(python_files(ROOT / folder))
        if not {provider.lower().replace("_", "-") for provider in providers.get(name, [name])} & wanted
    }
    assert not undeclared, f"add to pyproject.toml and run `make lock`: {sorted(undeclared)}"


def test_npm_packages_are_pinned_by_integrity_and_name_no_address() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    wanted = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"]
    packages = {path.removeprefix("node_modules/"): entry for path, entry in lock["packages"].items() if path}
    assert {name: entry["version"] for name, entry in packages.items()} == wanted
    assert all(entry["integrity"].startswith("sha512-") and "resolved" not in entry for entry in packages.values())


@pytest.mark.parametrize("target", ["run", "test", "check", "wheel", "bench", "soak", "docs", "lock", "clean"])
def test_make_knows_the_target(target: str) -> None:
    done = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_ci_runs_check_and_test() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^make (\w+)$", script, re.MULTILINE) == ["check", "test"]
