"""Fields of a frozen value that are found when they are first asked for.

A section's plain text, a chunk's plain text and sentences: comparing settings, verifying and drawing chunks never ask
for them, and finding them is most of the work of reading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


def _field(slot: Any) -> Any:
    """Return a field that holds its value, or the function that finds it; `slot` is where the dataclass would keep it.

    It is set as the slot is, without a call of ours: every chunk sets three of them.
    """

    class OnFirstUse:
        __set__ = slot.__set__

        def __get__(self, holder: object | None, owner: type | None = None) -> Any:
            if holder is None:
                return self
            held = slot.__get__(holder)
            if callable(held):
                held = held(holder)
                slot.__set__(holder, held)
            return held

    return OnFirstUse()


def found_on_first_use(*names: str) -> Callable[[type[T]], type[T]]:
    """Decorate a dataclass with slots: these fields take a value, or what `on_first_use` makes of a function."""

    def decorate(cls: type[T]) -> type[T]:
        for name in names:
            setattr(cls, name, _field(cls.__dict__[name]))
        return cls

    return decorate


def on_first_use(find: Callable[[Any], T]) -> T:
    """Return what such a field takes when it is to be found on first use; the function is given the field's holder."""
    return cast(T, find)
