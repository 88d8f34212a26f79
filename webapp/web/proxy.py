"""Who a reverse proxy says has signed in there: believed from peers that the settings name, nobody else."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from flask import request

from webapp.services.accounts import AccountError, Identity
from webapp.store.accounts import Account
from webapp.web.context import services


def named_by_proxy() -> bool:
    """Tell whether a proxy that is believed names somebody; then no cookie counts beside it."""
    header = services().settings.proxy_user_header
    return bool(header and request.headers.get(header, "").strip()) and _is_believed()


def proxied_account() -> Account | None:
    """Return the account of whoever the proxy names; None when it is shut out, or the name is no e-mail address."""
    settings = services().settings
    groups = request.headers.get(settings.proxy_groups_header) if settings.proxy_groups_header else None
    named = None if groups is None else frozenset(one.strip() for one in groups.split(",") if one.strip())
    try:
        return services().accounts.arrive(Identity(request.headers[settings.proxy_user_header], groups=named))
    except AccountError:
        return None


def _is_believed() -> bool:
    """By the address at the other end of the connection itself, whatever headers say of those before it."""
    environ = request.environ
    peer = environ.get("werkzeug.proxy_fix.orig", environ).get("REMOTE_ADDR") or ""
    try:
        address = ip_address(peer)
    except ValueError:
        return False
    return any(address in ip_network(one) for one in services().settings.proxy_peers)
