"""Where somebody is signed in, and the end of it."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.services.accounts import session_of
from webapp.store.accounts import Account
from webapp.web.access import SESSION_TOKEN, current_account
from webapp.web.context import services
from webapp.web.htmx import page

blueprint = Blueprint("sessions", __name__)


@blueprint.get("/sessions")
def show() -> Response:
    """List the sessions of whoever is signed in, this one marked."""
    account, token = _account(), session.get(SESSION_TOKEN)
    return page(
        "account/sessions.html",
        "content",
        sessions=services().accounts.sessions(account),
        this=session_of(token) if token else "",
        email=account.email,
    )


@blueprint.post("/sessions")
def end() -> BaseResponse:
    """End one of them, or with `all` every one, this one too."""
    account = _account()
    if "all" in request.form:
        services().accounts.end_sessions(account)
        return redirect(url_for("account.sign_in"), 303)
    if not services().accounts.end_session(account, request.form.get("session", "")):
        abort(404)
    return redirect(url_for("sessions.show"), 303)


def _account() -> Account:
    return current_account() or abort(403)
