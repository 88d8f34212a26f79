"""One look at a collection for a whole request: what was live when it began is what all of its parts come from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from webapp.core.retrieval.engine import IndexVersion

Found = TypeVar("Found")

_seen: ContextVar[dict[object, Any] | None] = ContextVar("seen", default=None)


@contextmanager
def one_moment() -> Iterator[None]:
    """Until it is left, whatever this thread looks at once stays as it was found."""
    token = _seen.set({})
    try:
        yield
    finally:
        _seen.reset(token)


def once(what: object, look: Callable[[], Found]) -> Found:
    """Return what a look at something finds, or found before in this moment; outside of one, look every time."""
    seen = _seen.get()
    if seen is None:
        return look()
    if what not in seen:
        seen[what] = look()
    found: Found = seen[what]
    return found


def known(what: object) -> Any:
    """Return what was found before in this moment; None when nobody has looked."""
    return (_seen.get() or {}).get(what)


def forget(what: object) -> None:
    """Look again next time: this thread itself has changed it."""
    (_seen.get() or {}).pop(what, None)


class OfLiveVersion:
    """What was found out about the version that is served, until another one is: pages that are closed to a reader
    would take their time at every request otherwise. It is found out once, whoever else wants to know meanwhile."""

    def __init__(self) -> None:
        self._found: tuple[str, dict[Hashable, Any]] = ("", {})
        self._looking = threading.Lock()

    def of(self, version: IndexVersion, what: Hashable, look: Callable[[], Found]) -> Found:
        """Return what a look at something of a version finds, or found before."""
        known, found = self._found
        if known != version.manifest.id or what not in found:
            with self._looking:
                found = self._looked_at(version, what, look)
        seen: Found = found[what]
        return seen

    def known(self, version: IndexVersion, whats: Sequence[Hashable]) -> list[Any] | None:
        """Return what was found of a version before, if all of it was; looking at nothing, and waiting for nobody."""
        known, found = self._found
        return [found[what] for what in whats] if known == version.manifest.id and found.keys() >= {*whats} else None

    def _looked_at(self, version: IndexVersion, what: Hashable, look: Callable[[], Any]) -> dict[Hashable, Any]:
        known, found = self._found
        if known != version.manifest.id:
            found = {}
            self._found = version.manifest.id, found
        if what not in found:
            found[what] = look()
        return found
