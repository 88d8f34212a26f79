"""What every response and every change is held to: CSRF, CSP, cookies, sizes, rates."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from functools import partial
from typing import Any

from flask import Flask, Response, g, request, session
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_wtf.csrf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from webapp.settings import Settings
from webapp.web.context import services_of
from webapp.web.keys import SCOPES, counted, current_key, from_program, is_own
from webapp.web.rates import SCHEME

csrf = CSRFProtect()  # pages exempt nothing but the API, which takes no cookies

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors {framers}"
)
_TOO_OFTEN = "this comes more often than it may; wait for as many seconds as Retry-After says"
_UPLOADS = "/admin/"  # only editors send whole documents


def init_security(app: Flask, settings: Settings) -> None:
    """Set cookies, limits and headers."""
    app.config.update(
        SECRET_KEY=settings.signing_key(),
        SESSION_COOKIE_NAME="evidencedesk",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.behind_tls,
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session: a form left open overnight still works
        WTF_CSRF_SSL_STRICT=False,  # the proxy in front may hide the referrer; the token is what counts
        MAX_CONTENT_LENGTH=settings.body_max_bytes,
        MAX_FORM_MEMORY_SIZE=_read_at_most(settings),
    )
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]
    app.jinja_env.globals.update(csp_nonce=csp_nonce)
    app.before_request(lambda: _allow_uploads(_read_at_most(settings)))
    app.after_request(lambda response: _harden(response, settings.behind_tls))


def init_csrf(app: Flask) -> None:
    """Check the token of every change; after the check of rights, so that strangers' bodies are not read."""
    app.config["WTF_CSRF_CHECK_DEFAULT"] = False  # a form from nobody has no token
    csrf.init_app(app)
    app.before_request(lambda: None if _is_from_nobody() else csrf.protect(apply_exemptions=True))


def init_rates(app: Flask, settings: Settings) -> None:
    """Limit how often one address may ask, vote and try passwords, and one key may be used."""
    place = settings.rate_storage
    own = {"rates": services_of(app).store.rates, "secret": settings.signing_key()}
    options: Any = own if place.startswith(f"{SCHEME}:") else {}
    limiter = Limiter(get_remote_address, app=app, storage_uri=place, storage_options=options, headers_enabled=True)
    limit_to = partial(limiter.shared_limit, methods=["POST"], error_message=_TOO_OFTEN)
    asking = limit_to(settings.ask_rate, scope="asking", exempt_when=_is_free)  # by page and by program together
    signing_in = limit_to(settings.sign_in_rate, scope="signing in")
    voting = limit_to(settings.vote_rate, scope="voting", exempt_when=_is_free)
    keyed = limit_to(_rate_of_key, scope="key", key_func=_key_id, exempt_when=lambda: not current_key())
    limits = {"ask.ask": asking, "api.ask": asking, "account.check": signing_in, "account.accept": signing_in}
    limits |= {"stages.show": asking, "feedback.vote": voting, "api_feedback.vote": voting}
    for endpoint, limit in limits.items():
        view = app.view_functions[endpoint]
        limited: Any = limit(keyed(counted(view)) if endpoint in SCOPES else view)
        app.view_functions[endpoint] = limited


def _rate_of_key() -> str:
    key = current_key()
    return f"{key.per_minute if key else 1} per minute"


def _key_id() -> str:
    key = current_key()
    return f"key {key.id}" if key else ""


def _is_free() -> bool:
    return _from_here() or from_program()


def _from_here() -> bool:
    """This machine may ask as much as it likes: it measures itself, and a proxy in front that the settings don't know
    of would make all readers one."""
    return request.remote_addr in {"127.0.0.1", "::1"}


def csp_nonce() -> str:
    """Return the word that lets this page's scripts run."""
    if "csp_nonce" not in g:
        g.csp_nonce = secrets.token_urlsafe(16)
    return str(g.csp_nonce)


def _read_at_most(settings: Settings) -> int:
    """A draft a little above the limit is read, so that it is refused on its own page and nothing written is lost."""
    return 2 * settings.upload_max_bytes


def _allow_uploads(size: int) -> None:
    if request.path.startswith(_UPLOADS):
        request.max_content_length = size


def allow_frames(origins: Iterable[str]) -> None:
    """Let pages of those origins show the reply to this request in a frame."""
    g.framed_by = tuple(origins)


def _is_from_nobody() -> bool:
    """Tell whether one of our own pages asks a question in a browser that keeps no cookie for us, as in a frame: there
    is nobody in whose name another site could ask, and browsers themselves say that it is no other site's form."""
    if request.cookies or request.endpoint != "ask.ask":
        return False
    site = request.headers.get("Sec-Fetch-Site")  # older browsers, and those that come by plain http, send none
    return site == "same-origin" if site else is_own(request.headers.get("Origin"))


def _harden(response: Response, tls: bool) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    framers = " ".join(g.get("framed_by", ()))
    policy = _POLICY.format(nonce=csp_nonce(), framers=framers or "'none'")
    response.headers.setdefault("Content-Security-Policy", policy)
    if not framers:  # it can't name several: browsers that don't know the policy show no page in a frame otherwise
        response.headers.setdefault("X-Frame-Options", "DENY")
    if tls:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    if request.endpoint != "static":
        signed_in = bool(session.get("token"))
        response.headers.setdefault("Cache-Control", "no-store" if signed_in else "private, no-cache")
    return response
