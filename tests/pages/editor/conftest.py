"""The kestrel collection, served by the real application with an embedder that only counts words, and its editors."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from pydantic import SecretStr

from tests.client import Client
from tests.pages.word_counts import WordCounts, add_embedder
from webapp.app import create_app
from webapp.core.retrieval.model import Role
from webapp.paths import shared
from webapp.services.folders import places
from webapp.services.root import Services
from webapp.settings import Settings


@dataclass
class Site:
    """The application, its services and its files."""

    app: Flask
    services: Services
    folder: Path

    def client(self, role: Role | None = None, language: str = "en") -> Client:
        """A browser: of nobody, or of somebody of that role."""
        client = Client(self.app, language)
        if role is None:
            return client
        accounts = self.services.accounts
        address = f"{role.value}-{len(accounts.all())}@kestrel.example"
        return client.enter(accounts.accept(accounts.invite(address, role), address, "a long password here"))

    def live_version(self) -> str:
        """The index version that is served."""
        return self.services.desk().live().manifest.id


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Where kestrel has its first index version, to be copied."""
    place: Path = tmp_path_factory.mktemp("indexed")
    settings = _settings(place, shared("corpus") / "kestrel")
    with pytest.MonkeyPatch.context() as patch:
        add_embedder(patch)
        services = Services.open(settings, alone=True)
        services.desk().ensure_index()
        services.close()
    return settings


def _settings(place: Path, source: Path, **settings: Any) -> Settings:
    """Copy the documents and return the settings of a site that serves them."""
    folder = place / "kestrel"
    shutil.copytree(source, folder)
    file = folder / "collection.toml"
    file.write_text(f'embedder = "{WordCounts.name}"\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
    return Settings(instance=place / "instance", collection=str(folder), secret_key=SecretStr("k" * 40), **settings)


def _copy_index(source: Settings, target: Settings) -> None:
    """Give one site the index of another that serves the same files: nothing has to be built."""
    for part in (Path("vectors"), Path("indexes")):
        shutil.copytree(source.instance / part, target.instance / part)
    (old,), (new,) = places(source, alone=True), places(target, alone=True)
    (target.instance / "indexes" / old.key).rename(target.instance / "indexes" / new.key)


@pytest.fixture
def make_site(tmp_path: Path, indexed: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Site]]:
    """Serve a folder of documents; by default a copy of kestrel and, unless it is to be `new`, of its index."""
    add_embedder(monkeypatch)
    monkeypatch.setattr("webapp.pages.editor.recall.AT_ONCE", 1_000_000)  # this embedder takes no time
    opened: list[Services] = []

    def make(source: Path | None = None, new: bool = False, **settings: Any) -> Site:
        wanted = _settings(tmp_path, source or shared("corpus") / "kestrel", **settings)
        if source is None and not new:
            _copy_index(indexed, wanted)
        services = Services.open(wanted, alone=True)
        opened.append(services)
        return Site(create_app(wanted, services), services, Path(wanted.collection))

    yield make
    for services in opened:
        services.close()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    return make_site()


@pytest.fixture
def editor(site: Site) -> Client:
    """An editor's browser."""
    return site.client(Role.EDITOR)


@pytest.fixture
def in_english(site: Site) -> Iterator[None]:
    """Words come out in English, outside any request of a browser."""
    with site.app.test_request_context(headers={"Accept-Language": "en"}):
        yield
