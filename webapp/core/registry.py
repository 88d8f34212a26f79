"""A registry of self-describing parts: one registration puts a part in the pages, the commands and the contract tests.

Adding a part is adding one file to a folder of parts (strategies, embedders, models, engines). One that is looked up by
name is imported alone where its file is called like it, with _ for -; else, and to list them, the folder is imported
whole. Heavy libraries are therefore imported inside a part's functions, never at its top.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class UnknownPart(ValueError):
    """No part of that name is registered; the message lists those that are."""


class PartUnavailable(Exception):
    """A part can't be used here and now; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """One registered part.

    `make` is the part itself (for strategies a function from section and options to spans; for the others a
    factory from options to the object); `options` is the pydantic model that its forms and flags are drawn from.
    """

    name: str
    description: str
    options: type[BaseModel]
    make: T

    def parse(self, given: Mapping[str, Any]) -> BaseModel:
        """Return the validated options. Raises ValueError (pydantic's) when they don't fit."""
        return self.options.model_validate(dict(given))


class NoOptions(BaseModel, frozen=True, extra="forbid"):
    """For parts that have nothing to set."""


class Registry(Generic[T]):
    """Parts of one kind, found in one package."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._parts: dict[str, Part[T]] = {}
        self._loaded = False
        self._loading = threading.RLock()  # nobody may look while the folder is half imported

    def register(self, name: str, description: str, options: type[BaseModel] = NoOptions) -> Callable[[T], T]:
        """Decorate a part to register it. Raises ValueError when the name is taken."""

        def keep(make: T) -> T:
            if name in self._parts:
                raise ValueError(f"two {self.kind} parts are called {name!r}")
            self._parts[name] = Part(name, description, options, make)
            return make

        return keep

    def get(self, name: str) -> Part[T]:
        """Return the part of that name; its file alone is loaded where it is called so. Raises UnknownPart."""
        if name not in self._parts:
            self._load(only=name.replace("-", "_"))
        if name not in self._parts:
            self._load()
        try:
            return self._parts[name]
        except KeyError:
            known = ", ".join(sorted(self._parts))
            raise UnknownPart(f"unknown {self.kind} {name!r}; there are: {known}") from None

    def all(self) -> tuple[Part[T], ...]:
        """Return every part, by name."""
        self._load()
        return tuple(self._parts[name] for name in sorted(self._parts))

    def _load(self, only: str | None = None) -> None:
        """Import the files of the package, or of them the one."""
        if self._loaded:
            return
        with self._loading:
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                if not module.name.startswith("_") and only in {None, module.name}:
                    importlib.import_module(f"{self._package}.{module.name}")
            self._loaded = only is None
