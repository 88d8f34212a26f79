"""Fields of a frozen value that are found when they are first asked for.

A chunk's plain text and sentences: comparing settings, verifying and drawing chunks never ask for them, and finding
them is much of the work of cutting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class _OnFirstUse:
    """A field that holds its value, or the function that finds it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, holder: object | None, owner: type | None = None) -> Any:
        if holder is None:
            return self
        held = holder.__dict__[self._name]
        if callable(held):
            held = holder.__dict__[self._name] = held()
        return held

    def __set__(self, holder: object, value: Any) -> None:
        holder.__dict__[self._name] = value


def found_on_first_use(*names: str) -> Callable[[type[T]], type[T]]:
    """Decorate a dataclass: these fields take a value, or what `on_first_use` makes of a function that finds it."""

    def decorate(cls: type[T]) -> type[T]:
        for name in names:
            setattr(cls, name, _OnFirstUse(name))
        return cls

    return decorate


def on_first_use(find: Callable[[], T]) -> T:
    """Return what such a field takes when it is to be found on first use."""
    return cast(T, find)
