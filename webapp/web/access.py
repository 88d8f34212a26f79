"""Who may use what: every endpoint has its line here, and one that hasn't is refused."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Flask, Response, abort, g, redirect, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.retrieval.model import Reader, Role
from webapp.store.accounts import Account
from webapp.web.context import services
from webapp.web.htmx import is_htmx
from webapp.web.keys import current_key
from webapp.web.proxy import named_by_proxy, proxied_account

EVERYONE: frozenset[Role | None] = frozenset({None, *Role})  # None: nobody is signed in
SIGNED_IN: frozenset[Role | None] = frozenset(Role)
STAFF: frozenset[Role | None] = frozenset({Role.AGENT, Role.EDITOR, Role.ADMIN})
EDITORS: frozenset[Role | None] = frozenset({Role.EDITOR, Role.ADMIN})
ADMINS: frozenset[Role | None] = frozenset({Role.ADMIN})

RIGHTS: Mapping[str, frozenset[Role | None]] = {
    "static": EVERYONE,
    "health.healthz": EVERYONE,
    "health.readyz": EVERYONE,
    "health.figures": EVERYONE,
    "ask.box": EVERYONE,
    "ask.ask": EVERYONE,
    "answer.show": EVERYONE,
    "source.show": EVERYONE,
    "feedback.vote": EVERYONE,
    "asked.show": EVERYONE,
    "asked.erase": EVERYONE,
    "api.ask": EVERYONE,
    "stages.show": EVERYONE,
    "api_feedback.vote": EVERYONE,
    "refresh.refresh": EVERYONE,
    "openapi.show": EVERYONE,
    "widget.script": EVERYONE,
    "account.sign_in": EVERYONE,
    "account.check": EVERYONE,
    "account.invitation": EVERYONE,
    "account.accept": EVERYONE,
    "account.sign_out": EVERYONE,
    "organisation.leave": EVERYONE,
    "organisation.come_back": EVERYONE,
    "sessions.show": SIGNED_IN,
    "sessions.end": SIGNED_IN,
    "agent.answers": STAFF,
    "agent_answer.show": STAFF,
    "agent_answer.again": STAFF,
    "agent_answer.golden": STAFF,
    "agent_answer.report": STAFF,
    "agent_search.show": STAFF,
    "agent_diff.show": STAFF,
    "history_export.csv_file": STAFF,
    "history_export.lines_file": STAFF,
    "history_erase.show": ADMINS,
    "history_erase.erase": ADMINS,
    "staff.home": EDITORS,
    "index.show": EDITORS,
    "index.serve": EDITORS,
    "index.build": EDITORS,
    "jobs.show": EDITORS,
    "jobs.cancel": EDITORS,
    "conflicts.show": EDITORS,
    "gaps.show": EDITORS,
    "gaps.put_aside": EDITORS,
    "gaps.propose": EDITORS,
    "gaps.write": EDITORS,
    "drafts.show": EDITORS,
    "drafts.begin": EDITORS,
    "drafts.edit": EDITORS,
    "drafts.save": EDITORS,
    "drafts.discard": EDITORS,
    "drafts.preview": EDITORS,
    "change.show": EDITORS,
    "change.ask": EDITORS,
    "publish.show": EDITORS,
    "publish.ask": EDITORS,
    "publish.status": EDITORS,
    "publish.change_status": EDITORS,
    "pages.show": EDITORS,
    "publications.show": EDITORS,
    "chunking.show": EDITORS,
    "chunking.compare": EDITORS,
    "golden.show": EDITORS,
    "golden.export": EDITORS,
    "golden.bring_in": EDITORS,
    "golden.line": EDITORS,
    "golden.proposals": EDITORS,
    "golden.settle": EDITORS,
    "golden_edit.show": EDITORS,
    "golden_edit.save": EDITORS,
    "golden_edit.lines": EDITORS,
    "golden_edit.label": EDITORS,
    "evaluation.show": EDITORS,
    "evaluation.start": EDITORS,
    "evaluation.run": EDITORS,
    "evaluation.compare": EDITORS,
    "evaluation.limit": EDITORS,
    "contract.show": EDITORS,
    "accounts.show": ADMINS,
    "accounts.invite": ADMINS,
    "accounts.change": ADMINS,
    "keys.show": EDITORS,
    "keys.make": EDITORS,
    "keys.revoke": EDITORS,
}

SESSION_TOKEN = "token"


def init_access(app: Flask) -> None:
    """Check every request before its view sees it."""
    app.before_request(_check)
    app.jinja_env.globals.update(current_reader=current_reader, current_account=current_account)


def current_account() -> Account | None:
    """Return who is signed in."""
    if "account" not in g:
        g.account = _signed_in()
    account: Account | None = g.account
    return account


def _signed_in() -> Account | None:
    if current_key():
        return None
    if named_by_proxy():
        return proxied_account()
    token = session.get(SESSION_TOKEN)
    return services().accounts.of_session(token) if token else None


def current_reader() -> Reader:
    """Return role and groups of whoever asks; signed out, a customer without groups."""
    account = current_account()
    return account.reader if account else Reader()


def safe_next(target: str | None) -> str:
    """Return an address of this site to go on to, whatever was asked for."""
    path = target or "/"
    outside = not path.startswith("/") or path[1:2] in ("/", "\\") or any(ord(char) < 33 for char in path)
    return "/" if outside else path


def _check() -> BaseResponse | None:
    if request.endpoint is None:  # no such address: the router has its own answer
        return None
    allowed = RIGHTS.get(request.endpoint, frozenset())
    if allowed == EVERYONE:
        return None
    account = current_account()
    if (account.role if account else None) in allowed:
        return None
    if account is None and allowed:
        return _to_sign_in()
    return abort(403)


def _to_sign_in() -> BaseResponse:
    if request.path.startswith("/api/"):
        abort(401)
    here = request.full_path.rstrip("?") if request.method == "GET" else None
    target = url_for("account.sign_in", next=here)
    if is_htmx():
        return Response(status=204, headers={"HX-Redirect": target})
    return redirect(target, 302)
