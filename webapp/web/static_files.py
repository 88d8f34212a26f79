"""Static files: an address that changes with the content, so that browsers keep them; small over the wire."""

from __future__ import annotations

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, request

_YEAR = 365 * 24 * 3600
_TEXT = ("text/", "image/svg")


def init_static(app: Flask) -> None:
    """Name the files by content, and compress them. Pages are not compressed: they hold secrets beside what a
    stranger may choose, and the size would tell (BREACH)."""
    app.url_defaults(_add_version)
    app.after_request(_serve_well)


def _add_version(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint == "static" and values.get("filename"):
        file = Path(current_app.static_folder or "") / values["filename"]
        if file.is_file():
            values["v"] = _version(file, file.stat().st_mtime_ns)


def _serve_well(response: Response) -> Response:
    if request.endpoint != "static" or response.status_code != 200:
        return response
    if "v" in request.args:
        response.cache_control.max_age = _YEAR
        response.cache_control.immutable = True
        response.cache_control.no_cache = None
    if (response.mimetype or "").startswith(_TEXT):
        _compress(response)
    return response


def _compress(response: Response) -> None:
    response.vary.add("Accept-Encoding")
    if request.accept_encodings["gzip"] and "Content-Encoding" not in response.headers:
        response.direct_passthrough = False
        response.set_data(_gzipped(response.get_data()))
        response.headers["Content-Encoding"] = "gzip"


@lru_cache(maxsize=256)
def _version(file: Path, _changed: int) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


@lru_cache(maxsize=64)
def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)
