"""Models behind a network: what can't be had for good is a ModelUnavailable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from webapp.core import remote
from webapp.core.answering.model import ModelUnavailable
from webapp.core.remote import Failure, Retries, host_of, is_loopback

__all__ = ["Failure", "Persistence", "host_of", "is_loopback", "through_sdk"]

T = TypeVar("T")


class Persistence(Retries):
    """How often to try again, and the clock to wait by."""

    __slots__ = ()

    def run(self, call: Callable[[], T]) -> T:
        """Return what `call` returns. Raises ModelUnavailable when it failed for good; it signals with Failure."""
        try:
            return self.repeated(call)
        except Failure as failure:
            raise ModelUnavailable(str(failure), retry=failure.can_pass) from None


def through_sdk(sdk: Any, url: str, key: str, call: Callable[[], T]) -> T:
    """Return what `call` returns; whatever the SDK raises becomes a Failure that names the host and hides the key."""
    return remote.through_sdk(sdk, f"the model server at {host_of(url)}", key, call)
