"""Keys of the API: what is sent as `Authorization: Bearer …`, what it opens, and the pages that may use it (CORS)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any

from flask import Flask, Response, abort, g, request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import TooManyRequests, Unauthorized

from webapp.services.keys import Scope
from webapp.store.keys import ApiKey
from webapp.web.context import services

SCOPES = {"api.ask": Scope.ASK, "stages.show": Scope.ASK, "api_feedback.vote": Scope.FEEDBACK}

_PREFLIGHT = {
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Max-Age": "600",
}


def init_keys(app: Flask) -> None:
    """Look at the key of every request to the API, before anybody's rights are; answer browsers that ask first."""
    app.before_request(_check)
    app.after_request(_allow_page)


def current_key() -> ApiKey | None:
    """Return the key that this request was sent with. Who sends one is nobody else: no cookie counts beside it."""
    key: ApiKey | None = g.get("api_key")
    return key


def from_program() -> bool:
    """Tell whether a program asks with a key of its own: its rate is the key's, wherever it asks from."""
    key = current_key()
    return key is not None and not key.origins


def counted(view: Callable[..., Any]) -> Callable[..., Any]:
    """Count each request against what its key may send in a day."""

    @wraps(view)
    def checked(*args: Any, **values: Any) -> Any:
        key = current_key()
        if key and not services().keys.spend(key):
            raise TooManyRequests("this key has been used up for today", retry_after=_next_day())
        return view(*args, **values)

    return checked


def _check() -> None:
    scope = SCOPES.get(request.endpoint or "")
    kind, _, sent = request.headers.get("Authorization", "").partition(" ")
    if scope is None or request.method == "OPTIONS" or kind.lower() != "bearer":
        return
    key = services().keys.of(sent.strip())
    if key is None:
        raise Unauthorized("there is no such key, or it is revoked", www_authenticate=WWWAuthenticate("bearer"))
    g.api_key = key
    if not _is_open_to_page(key):
        abort(403, "this key is not for pages of this origin; an editor names them at /admin/keys")
    if scope not in key.scopes:
        abort(403, f"this key is not for that; it may: {', '.join(sorted(key.scopes))}")


def _is_open_to_page(key: ApiKey) -> bool:
    origin = request.headers.get("Origin")
    return origin is None or origin in key.origins or is_own(origin)


def is_own(origin: str | None) -> bool:
    """Tell whether that is the origin of our own pages."""
    return origin == request.host_url.rstrip("/")


def _allow_page(response: Response) -> Response:
    """Let a page of another origin read the reply to its key; a browser that asks beforehand sends no key yet."""
    if request.endpoint not in SCOPES:
        return response
    response.vary.add("Origin")
    origin, key = request.headers.get("Origin"), current_key()
    asks_first = request.method == "OPTIONS"
    if origin and (services().keys.is_open_to(origin) if asks_first else key and origin in key.origins):
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "Retry-After"
        response.headers.update(_PREFLIGHT if asks_first else {})
    return response


def _next_day() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
