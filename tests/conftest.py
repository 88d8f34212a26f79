"""Shared fixtures: a small organisation with two collections, and one reader for every kind of access."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest
from flask import Flask
from pydantic import SecretStr

from tests.client import Client
from tests.shortcuts import copy_new_databases, hash_quickly, keep_compiled_addresses, keep_compiled_templates
from webapp.app import create_app
from webapp.core.retrieval.model import Role
from webapp.services.root import Services
from webapp.settings import Settings

pytest_plugins = ["tests.postgres"]

# The same examples each time, and no limit of time: on a busy machine any of them may take long.
hypothesis.settings.register_profile("project", derandomize=True, deadline=None)
hypothesis.settings.load_profile("project")

PASSWORD = "correct horse battery"

SHOP = {
    "collection.toml": """
title = { en = "Lamp shop", bn = "বাতির দোকান" }
languages = ["en", "bn"]
strategy = "section"
groups = ["staff"]
fallback = { en = "Our pages don't say.", bn = "আমাদের পাতায় নেই।" }
contact = "Write to help@lamps.example."
""",
    "returns.md": """---
id: returns
title: Returning lamps
version: 2
status: current
lang: en
---

## Returning a lamp
You can return a lamp within 45 days of delivery for a full refund.
""",
    "delivery.md": """---
id: delivery
title: Delivery
version: 1
status: current
lang: en
---

## How we deliver
Parcels reach you 2 to 4 working days after the order. Delivery costs 5 euros.

## Damaged parcels
Send us a picture of the damage, and we bring a new one.
""",
    "bulbs.md": """---
id: bulbs
title: Bulbs and brightness
version: 1
status: current
lang: en
---

## Which bulb fits
Every desk lamp takes a bulb with an E14 socket. The brightest one allowed has 8 watts.

## Changing it
Pull the plug and let the bulb cool down for ten minutes.
""",
    "returns-1.md": """---
id: returns-1
title: Returning lamps
version: 1
status: superseded
superseded_by: returns
lang: en
---

## Returning a lamp
You can return a lamp within 10 days of delivery.
""",
    "discounts.md": """---
id: discounts
title: Discounts for staff
version: 1
status: current
lang: en
audience: staff
---

## Staff discount
Members of staff buy every lamp with a discount of 30 percent.
""",
    "plans.md": """---
id: plans
title: Opening in Sylhet
version: 1
status: draft
lang: en
---

## The new shop
A shop in Sylhet opens in spring.
""",
}

SCHOOL = {"terms.md": "# Terms\n\nThe spring term begins on 3 February.\n"}

ROLES: Mapping[str, tuple[Role, frozenset[str]]] = {
    "customer": (Role.CUSTOMER, frozenset()),
    "member": (Role.CUSTOMER, frozenset({"staff"})),  # no staff pages, but the group's documents
    "agent": (Role.AGENT, frozenset()),
    "editor": (Role.EDITOR, frozenset()),
    "admin": (Role.ADMIN, frozenset({"staff"})),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """What takes too long to be done every time."""
    words = "look at every page in every combination of language, theme, width and forced colours"
    parser.addoption("--every-setting", action="store_true", help=words)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs Chromium comes first, else in the order there is: of several workers, one alone starts it."""
    items.sort(key=lambda item: "browser" not in item.path.parts)


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a collection's files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def make_settings(folder: Path, **changes: object) -> Settings:
    """Return settings that touch nothing outside the folder, whatever the environment says."""
    given: dict[str, object] = {
        "instance": folder / "instance",
        "corpus": folder / "corpus",
        "collection": "shop",
        "secret_key": SecretStr("for tests"),
        "ask_rate": "1000 per minute",
        "sign_in_rate": "1000 per minute",
    }
    return Settings.model_validate(given | changes)


@dataclass
class Desks:
    """An installation: its folder, settings, services and application."""

    folder: Path
    settings: Settings
    services: Services
    app: Flask
    sessions: Mapping[str, str]  # by reader: the token of a session that has begun

    @property
    def shop(self) -> Path:
        """The folder of the default collection."""
        return self.folder / "corpus" / "shop"

    def client(self, reader: str = "nobody", language: str = "en") -> Client:
        """Return a browser in which that reader is signed in."""
        client = Client(self.app, language)
        return client if reader == "nobody" else client.enter(self.sessions[reader])


def _install(folder: Path, **changes: object) -> Desks:
    write_files(folder / "corpus" / "shop", SHOP)
    write_files(folder / "corpus" / "school", SCHOOL)
    settings = make_settings(folder, **changes)
    services = Services.open(settings)
    return Desks(folder, settings, services, create_app(settings, services), {})


@pytest.fixture(scope="session", autouse=True)
def shortcuts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is slow on purpose, or the same for every test, is done once."""
    with pytest.MonkeyPatch.context() as patch:
        copy_new_databases(patch, tmp_path_factory.mktemp("database"))
        keep_compiled_templates(patch, tmp_path_factory.mktemp("templates"))
        keep_compiled_addresses(patch)
        hash_quickly(patch)
        yield


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions wait for the index of changed files, however busy the machine."""
    monkeypatch.setattr("webapp.services.index.PATIENCE", 120)


@pytest.fixture(scope="session")
def shared_desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desks]:
    """An installation for tests that only read, with the standing readers."""
    desks = _install(tmp_path_factory.mktemp("installation"))
    accounts = desks.services.accounts
    desks.sessions = {
        name: accounts.accept(accounts.invite(f"{name}@lamps.example", role, groups), "", PASSWORD)
        for name, (role, groups) in ROLES.items()
    }
    for card in desks.services.collections():
        desks.services.desk(card.name).ensure_index()
    yield desks
    desks.services.close()


@pytest.fixture
def desks(tmp_path: Path, shared_desks: Desks) -> Iterator[Desks]:
    """A fresh installation, for tests that change files, accounts or answers; no text is embedded twice."""
    shutil.copytree(shared_desks.settings.instance / "vectors", tmp_path / "instance" / "vectors")
    desks = _install(tmp_path)
    yield desks
    desks.services.close()


@pytest.fixture
def client(shared_desks: Desks) -> Client:
    """A browser in which nobody is signed in."""
    return shared_desks.client()
