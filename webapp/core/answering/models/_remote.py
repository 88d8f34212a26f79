"""Models behind a network: what can't be had for good is a ModelUnavailable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from webapp.core import remote
from webapp.core.answering.model import ModelReply, ModelUnavailable
from webapp.core.remote import Failure, Retries, host_of, is_loopback, limited_client

__all__ = ["Failure", "Persistence", "host_of", "is_loopback", "limited_client", "through_sdk", "well_formed"]

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


_MOST_TOKENS = 2**31


def well_formed(reply: ModelReply) -> ModelReply:
    """Return the reply with its text as it can be written down. Raises TypeError where a part is of another kind: the
    SDKs hand on whatever a server's JSON held."""
    texts, counts = (reply.text, reply.model), (reply.tokens_in, reply.tokens_out)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("text and model of a reply are text")
    if not all(isinstance(count, int) and 0 <= count < _MOST_TOKENS for count in counts):
        raise TypeError("tokens are whole numbers")
    text, model = (text.encode("utf-8", "replace").decode() for text in texts)
    return replace(reply, text=text, model=model)
