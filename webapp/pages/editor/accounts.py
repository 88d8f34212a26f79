"""The accounts: invite somebody, change their role and groups, shut them out, sign them out everywhere."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask_babel import lazy_gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.retrieval.model import Role
from webapp.services.accounts import AccountError, AccountProblem
from webapp.store.accounts import Account
from webapp.web.access import current_account
from webapp.web.context import services
from webapp.web.htmx import page
from webapp.web.printable import printable

blueprint = Blueprint("accounts", __name__)

ROLES = {
    Role.CUSTOMER: _("Reader"),
    Role.AGENT: _("Agent"),
    Role.EDITOR: _("Editor"),
    Role.ADMIN: _("Administrator"),
}
_WORDS = {
    AccountProblem.BAD_EMAIL: _("Give an e-mail address, like name@example.org."),
    AccountProblem.EMAIL_TAKEN: _("There is an account for this address already."),
}


@blueprint.get("/admin/accounts")
def show() -> Response:
    """List the accounts, and offer to invite somebody."""
    return _page()


@blueprint.post("/admin/accounts")
def invite() -> Response:
    """Add an account and show its one-time link, this once."""
    email = request.form.get("email", "")
    try:
        token = services().accounts.invite(email, _role(), _groups())
    except AccountError as problem:
        return _page(error=_WORDS[problem.code], typed=printable(email))
    return _page(invited=(email, url_for("account.invitation", token=token, _external=True)))


@blueprint.post("/admin/accounts/<int:account_id>")
def change(account_id: int) -> BaseResponse:
    """Do to an account what the pressed button says."""
    account, act = services().accounts.by_id(account_id) or abort(404), request.form.get("act")
    if act == "link":
        token = services().accounts.link(account.email)
        return _page(invited=(account.email, url_for("account.invitation", token=token, _external=True)))
    if act == "out":
        services().accounts.end_sessions(account)
    elif account.id == _own().id:
        return _page(error=_("You can't take your own rights away: ask another administrator."))
    elif act in ("disable", "enable"):
        services().accounts.disable(account.email, act == "disable")
    else:
        services().accounts.set_rights(account, _role(), _groups())
    return redirect(url_for("accounts.show"), 303)


def _own() -> Account:
    return current_account() or abort(403)


def _role() -> Role:
    try:
        return Role(request.form.get("role", ""))
    except ValueError:
        abort(400)


def _groups() -> frozenset[str]:
    return frozenset(one.strip() for one in request.form.get("groups", "").split(",") if one.strip())


def _page(error: object = "", typed: str = "", invited: tuple[str, str] | None = None) -> Response:
    response = page(
        "editor/accounts.html",
        "content",
        accounts=services().accounts.all(),
        roles=[(role.value, words) for role, words in ROLES.items()],
        own=_own().id,
        error=error,
        typed=typed,
        invited=invited,
        hours=services().settings.link_hours,
    )
    response.status_code = 422 if error else 200
    return response
