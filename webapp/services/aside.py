"""Who waits for what another works out, stands aside meanwhile: the place goes to somebody who has something to do. How
that is done is known where places are counted (`web/shedding.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
Aside = Callable[[], AbstractContextManager[None]]

_aside: ContextVar[Aside] = ContextVar("aside", default=nullcontext)


@contextmanager
def standing_aside(how: Aside) -> Iterator[None]:
    """Until it is left, that is how this thread stands aside."""
    token = _aside.set(how)
    try:
        yield
    finally:
        _aside.reset(token)


def in_the_same_place(work: Callable[P, R]) -> Callable[P, R]:
    """Return work for another thread to do while this one waits for it: it stands aside as this one would."""
    how = _aside.get()

    @wraps(work)
    def done(*args: P.args, **named: P.kwargs) -> R:
        with standing_aside(how):
            return work(*args, **named)

    return done


def aside() -> AbstractContextManager[None]:
    """Enter while waiting for what somebody else is at work on: whoever has something to do may take the place."""
    return _aside.get()()
