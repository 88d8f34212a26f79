"""Who asks or votes: a hash that stands for an account or a browser, and says nothing about the person."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from flask import Response, after_this_request, current_app, g, request

from webapp.web.access import current_account
from webapp.web.htmx import is_htmx
from webapp.web.keys import current_key

_COOKIE = "reader"
_YEAR = 365 * 24 * 3600


def asker() -> str | None:
    """Return the hash that stands for this account, else for this browser; None for a browser that never asked, and
    for whoever asks with a key."""
    if current_key():
        return None
    account = current_account()
    if account:
        return hashed(f"account {account.id}")
    token = g.get("reader_token") or request.cookies.get(_COOKIE)
    return hashed(f"browser {token}") if token else None


def lasting_asker() -> str:
    """Return the same; a browser that never asked is given a cookie to be known by."""
    if asker() is None:
        g.reader_token = secrets.token_urlsafe(16)
        after_this_request(_remember)
    return asker() or ""


def is_known_to_nobody() -> bool:
    """Tell whether the browser shows us in another site's frame and keeps no cookie for us there: who votes could not
    be told from the next one. (Scripts ask on pages that have tried to set one.)"""
    return not request.cookies and (request.headers.get("Sec-Fetch-Dest") == "iframe" or is_htmx())


def hashed(name: str) -> str:
    """Return the hash of a name under this installation's key: nobody else can tell whose it is."""
    key = str(current_app.config["SECRET_KEY"]).encode()
    return hmac.new(key, name.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _remember(response: Response) -> Response:
    secure = current_app.config["SESSION_COOKIE_SECURE"]
    response.set_cookie(_COOKIE, g.reader_token, _YEAR, httponly=True, samesite="Lax", secure=secure)
    return response
