"""How long a reply may take in all, and how long it may be.

The SDKs hand their time-out to an HTTP library that begins it anew with every piece that arrives: a server that sends
a blank now and then would be waited for without end.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any

LONGEST = 8_000_000  # bytes: a thousand times a long answer


def limits(seconds: float) -> dict[str, list[Callable[[Any], None]]]:
    """Return the event hooks of an SDK's HTTP client whose one response has to be there within so many seconds."""
    deadline = time.monotonic() + seconds

    def limit(response: Any) -> None:
        library = importlib.import_module(type(response).__module__.partition(".")[0])  # httpx, or a fork of it
        response.stream = _limited(library, response.stream, deadline)

    return {"response": [limit]}


def _limited(library: Any, stream: Any, deadline: float) -> Any:
    class Limited(library.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            return _pieces(library, stream, deadline)

        def close(self) -> None:
            stream.close()

    return Limited()


def _pieces(library: Any, stream: Any, deadline: float) -> Iterator[bytes]:
    size = 0
    for piece in stream:
        size += len(piece)
        if time.monotonic() > deadline:
            raise library.ReadTimeout("the reply took too long")
        if size > LONGEST:
            raise library.ReadError("the reply is too long")
        yield piece
