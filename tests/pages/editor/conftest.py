"""The kestrel collection, served by the real application with an embedder that only counts words, and its editors."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask import Flask
from pydantic import SecretStr

from tests.client import Client
from webapp.app import create_app
from webapp.core.registry import NoOptions, Part
from webapp.core.retrieval.embedders.base import Vectors, embedders
from webapp.core.retrieval.model import Role
from webapp.paths import shared
from webapp.services.root import Services
from webapp.settings import Settings

EMBEDDER = "words-of-comparisons"


class WordCounts:
    """An embedder for tests: texts with the same words get like vectors."""

    name = EMBEDDER
    dim = 64

    def query(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        rows = np.full((len(texts), self.dim), 0.01, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[hashlib.sha256(word.encode()).digest()[0] % self.dim] += 1
        vectors: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return vectors


def add_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let collections name it, only while a test runs: the documentation lists the parts there are."""
    embedders.all()
    part = Part(EMBEDDER, "For tests: counts words", NoOptions, lambda _: WordCounts())
    monkeypatch.setitem(embedders._parts, EMBEDDER, part)


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


@pytest.fixture
def make_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Site]]:
    """Serve a folder of documents; by default a copy of kestrel."""
    add_embedder(monkeypatch)
    opened: list[Services] = []

    def make(source: Path | None = None, **settings: Any) -> Site:
        folder = tmp_path / "kestrel"
        shutil.copytree(source or shared("corpus") / "kestrel", folder)
        file = folder / "collection.toml"
        file.write_text(f'embedder = "{EMBEDDER}"\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
        wanted = Settings(
            instance=tmp_path / "instance", collection=str(folder), secret_key=SecretStr("k" * 40), **settings
        )
        services = Services.open(wanted, alone=True)
        opened.append(services)
        return Site(create_app(wanted, services), services, folder)

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
