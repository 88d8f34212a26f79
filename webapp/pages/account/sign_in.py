"""Signing in with address and password, by one-time link, and out again."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext as _

from webapp.core.retrieval.model import Role
from webapp.services.accounts import PASSWORD_MIN, AccountError, AccountProblem
from webapp.web.access import SESSION_TOKEN, safe_next
from webapp.web.context import services
from webapp.web.device import device
from webapp.web.printable import printable

blueprint = Blueprint("account", __name__)

_WORDS = {
    AccountProblem.WRONG: _(
        "The address or the password is wrong. After several wrong attempts an account is locked for a while."
    ),
    AccountProblem.NOT_LET_IN: _(
        "Your organisation's sign-in did not let you in here. Try again, or ask an administrator."
    ),
    AccountProblem.BAD_EMAIL: _("Give an e-mail address, like name@example.org."),
    AccountProblem.SHORT_PASSWORD: _("Take a longer password."),
    AccountProblem.LONG_PASSWORD: _("Take a shorter password."),
}
_HOMES = {Role.AGENT: "/agent/", Role.EDITOR: "/admin/chunking", Role.ADMIN: "/admin/chunking"}


@blueprint.get("/sign-in")
def sign_in() -> ResponseReturnValue:
    """Ask for address and password."""
    return _form(email="", error="")


@blueprint.post("/sign-in")
def check() -> ResponseReturnValue:
    """Sign in, and go on to where the reader wanted to."""
    email = request.form.get("email", "")
    try:
        token = services().accounts.sign_in(email, request.form.get("password", ""), device())
    except AccountError as problem:
        return _form(email=email, error=_WORDS[problem.code]), 422
    return enter(token, request.form.get("next"))


@blueprint.get("/sign-in/<token>")
def invitation(token: str) -> ResponseReturnValue:
    """Ask for the password that a one-time link sets."""
    return _accept_form(token)


@blueprint.post("/sign-in/<token>")
def accept(token: str) -> ResponseReturnValue:
    """Set the password, use the link up and sign in."""
    try:
        session_token = services().accounts.accept(
            token, request.form.get("email", ""), request.form.get("password", ""), device()
        )
    except AccountError as problem:
        return _accept_form(token, problem.code)
    return enter(session_token, None)


@blueprint.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End this session, here and in the store."""
    if token := session.get(SESSION_TOKEN):
        services().accounts.sign_out(token)
    session.clear()
    return redirect("/", 303)


def refuse(problem: AccountProblem) -> ResponseReturnValue:
    """Show the form with the reason why nobody is signed in."""
    return _form(email="", error=_WORDS[problem]), 422


def _form(email: str, error: object) -> str:
    target = safe_next(request.values.get("next"))
    return render_template(
        "account/sign_in.html", email=printable(email), error=error, next=target, organisation=services().provider
    )


def _accept_form(token: str, problem: AccountProblem | None = None) -> ResponseReturnValue:
    invitation = services().accounts.invitation(token)
    words = _WORDS.get(problem, "") if problem else ""
    by_email = problem is AccountProblem.BAD_EMAIL
    html = render_template(
        "account/accept.html",
        invitation=invitation,
        email=printable(request.form.get("email", "")),
        minimum=PASSWORD_MIN,
        email_error=words if by_email else "",
        password_error="" if by_email else words,
    )
    return html, 410 if invitation is None else 422 if problem else 200


def enter(token: str, target: str | None) -> ResponseReturnValue:
    """Begin a new session: what an earlier visitor of this browser had is gone."""
    session.clear()
    session[SESSION_TOKEN] = token
    account = services().accounts.of_session(token)
    home = _HOMES.get(account.reader.role, "/") if account else "/"
    wanted = safe_next(target)
    return redirect(home if wanted == "/" else wanted, 303)
