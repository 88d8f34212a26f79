"""Signing in with the organisation's own account, and coming back from there."""

from __future__ import annotations

import hmac
import logging
from dataclasses import asdict

from flask import Blueprint, abort, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from webapp.pages.account.sign_in import enter, refuse
from webapp.services.accounts import AccountError, AccountProblem
from webapp.services.oidc import Journey, Provider, SignInFailed
from webapp.web.access import safe_next
from webapp.web.context import services
from webapp.web.device import device

log = logging.getLogger(__name__)

blueprint = Blueprint("organisation", __name__)

_JOURNEY = "journey"  # in the session of a browser that is away


@blueprint.get("/sign-in/organisation")
def leave() -> ResponseReturnValue:
    """Send the browser to the organisation's sign-in."""
    provider, journey = _provider(), Journey.begin()
    try:
        address = provider.address(journey, _back())
    except SignInFailed as problem:
        return _failed(problem)
    session[_JOURNEY] = asdict(journey) | {"next": safe_next(request.args.get("next"))}
    return redirect(address, 303)


@blueprint.get("/sign-in/organisation/back")
def come_back() -> ResponseReturnValue:
    """Sign in whoever comes back: once, and only the browser that left."""
    provider, kept = _provider(), session.pop(_JOURNEY, None)
    if not kept or not hmac.compare_digest(request.args.get("state", "").encode(), kept["state"].encode()):
        return refuse(AccountProblem.NOT_LET_IN)
    target = kept.pop("next")
    try:
        who = provider.identity(Journey(**kept), request.args.get("code", ""), _back())
        token = services().accounts.enter(services().accounts.arrive(who), device())
    except SignInFailed as problem:
        return _failed(problem)
    except AccountError:
        return refuse(AccountProblem.NOT_LET_IN)
    return enter(token, target)


def _provider() -> Provider:
    provider = services().provider
    return provider if provider else abort(404)


def _back() -> str:
    return url_for("organisation.come_back", _external=True)


def _failed(problem: SignInFailed) -> ResponseReturnValue:
    log.warning("the organisation's sign-in failed: %s", problem)
    return refuse(AccountProblem.NOT_LET_IN)
