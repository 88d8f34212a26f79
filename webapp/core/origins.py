"""Origins of pages, as browsers send them: `https://shop.example`, with a port where it isn't the usual one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

_HOST = re.compile(r"[a-z0-9.\-]+|\[[0-9a-f:.]+\]")


class BadOrigin(ValueError):
    """Not the origin of a page; `origin` is what was given."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        super().__init__(f"{origin!r} is no origin; write one like https://shop.example, without a path")


def origin(written: str) -> str:
    """Return an origin as browsers send it. Raises BadOrigin."""
    try:
        parts = urlsplit(written.strip().lower().removesuffix("/"))
        port = parts.port
    except ValueError:
        raise BadOrigin(written) from None
    alone = not (parts.path or parts.query or parts.fragment or parts.username)
    host = parts.netloc.rpartition(":")[0] if port is not None else parts.netloc
    if parts.scheme not in ("http", "https") or not alone or not _HOST.fullmatch(host):
        raise BadOrigin(written)
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" if port in (None, usual) else f"{parts.scheme}://{host}:{port}"


def origins(written: Iterable[str]) -> tuple[str, ...]:
    """Return each origin once, as browsers send them. Raises BadOrigin."""
    return tuple(dict.fromkeys(map(origin, written)))
