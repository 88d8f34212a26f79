"""What services behind a network have in common: when to try again, how long to wait, how much to read, and what an
error may say."""

from __future__ import annotations

import importlib
import ipaddress
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

T = TypeVar("T")

FIRST_WAIT = 0.5  # seconds; doubles with every try
LONGEST_WAIT = 20.0  # a server that asks for more is not waited for: somebody sits in front of the page
CONNECT_WAIT = 3.0  # seconds
LONGEST = 8_000_000  # bytes of a reply: a thousand times a long answer
UNPACKED = {"Accept-Encoding": "identity"}  # so that the size of a reply is known as it is read
_PASSING = frozenset({408, 409, 425, 429})
_PORTS = {"http": 80, "https": 443}


class Failure(Exception):
    """One call failed. `status` is the HTTP status, None when no whole response came back; `after` is what the
    server's Retry-After asks for, in seconds."""

    def __init__(self, message: str, status: int | None = None, after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.after = after

    @property
    def can_pass(self) -> bool:
        """Whether the same call may well succeed a little later."""
        return self.status is None or self.status in _PASSING or self.status >= 500


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to try again, the clock to wait by, and the longest single wait in seconds."""

    retries: int
    sleep: Callable[[float], None] = time.sleep
    longest: float = LONGEST_WAIT

    def repeated(self, call: Callable[[], T]) -> T:
        """Return what `call` returns; it signals with Failure. Raises the last Failure when it failed for good."""
        for attempt in range(self.retries + 1):
            try:
                return call()
            except Failure as failure:
                wait = FIRST_WAIT * 2**attempt if failure.after is None else failure.after
                if attempt == self.retries or not failure.can_pass or wait > self.longest:
                    raise
            self.sleep(wait)
        raise AssertionError("the loop returns or raises")


def _with_a_host(url: str) -> str:
    """Raise where a request could never be sent to the address."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and " " not in url
    except ValueError:  # a port that is no number, half an IPv6 address
        usable = False
    if not usable:
        raise PydanticCustomError(
            "server_address", "this is no address of a server; write it like http://127.0.0.1:8080/v1"
        )
    return url


ServerAddress = Annotated[str, AfterValidator(_with_a_host)]


def unreachable(url: str) -> str:
    """Return why no connection to a server can be opened, "" when one can. One that is behind a proxy isn't tried."""
    parts = urlsplit(url)
    if not is_loopback(url) and parts.scheme in getproxies():
        return ""
    try:
        with socket.create_connection((parts.hostname, parts.port or _PORTS[parts.scheme]), CONNECT_WAIT):
            return ""
    except OSError as error:
        why = "it doesn't answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
        return f"the server at {host_of(url)} can't be reached ({why})"


def host_of(url: str) -> str:
    """Return host and port of an address, without user name or path: what an error may name."""
    parts = urlsplit(url)
    return f"{parts.hostname or url}:{parts.port}" if parts.port else parts.hostname or url


def is_loopback(url: str) -> bool:
    """Tell whether an address is this machine's own, so that no text leaves it."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def limited_client(sdk: Any, seconds: float, trust_env: bool, longest: int = LONGEST) -> Any:
    """Return an HTTP client for an SDK, for a call whose reply has to be there within so many seconds and has at most
    `longest` bytes.

    The SDKs hand their time-out to an HTTP library that begins it anew with every piece that arrives: a server that
    sends a blank now and then would be waited for without end.
    """
    deadline = time.monotonic() + seconds

    def limit(response: Any) -> None:
        library = importlib.import_module(type(response).__module__.partition(".")[0])  # httpx, or a fork of it
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise library.ReadError("the reply is packed, which was not asked for")
        response.stream = _limited(library, response.stream, deadline, longest)

    return sdk.DefaultHttpxClient(trust_env=trust_env, headers=UNPACKED, event_hooks={"response": [limit]})


def _limited(library: Any, stream: Any, deadline: float, longest: int) -> Any:
    class Limited(library.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            return _pieces(library, stream, deadline, longest)

        def close(self) -> None:
            stream.close()

    return Limited()


def _pieces(library: Any, stream: Any, deadline: float, longest: int) -> Iterator[bytes]:
    size = 0
    for piece in stream:
        size += len(piece)
        if time.monotonic() > deadline:
            raise library.ReadTimeout("the reply took too long")
        if size > longest:
            raise library.ReadError("the reply is too long")
        yield piece


def through_sdk(sdk: Any, server: str, key: str, call: Callable[[], T]) -> T:
    """Return what `call` returns; whatever the SDK raises becomes a Failure that names the server and hides the key.

    The SDKs of OpenAI and Anthropic are made by one generator and name their errors alike.
    """
    try:
        return call()
    except sdk.APIStatusError as error:
        raise _refusal(server, error, key) from None
    except sdk.APITimeoutError:
        raise Failure(f"{server} took too long") from None
    except sdk.APIConnectionError:
        raise Failure(f"{server} can't be reached, or broke off") from None
    except (sdk.APIError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        raise Failure(f"{server} answered something else than its protocol", 200) from None


def _refusal(server: str, error: Any, key: str) -> Failure:
    """A refused key is not spoken of further: servers repeat parts of it."""
    status: int = error.status_code
    said = "" if status in (401, 403) else f": {_without_key(error.message, key)}"
    return Failure(f"{server} refused with status {status}{said}", status, _seconds_after(error.response.headers))


def _seconds_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header; None when there is none, or it gives a date."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _without_key(text: str, key: str) -> str:
    return " ".join((text.replace(key, "***") if key else text).split())[:200]
