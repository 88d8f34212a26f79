"""`users`: who can sign in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from webapp.cli.common import Run, command, groups_option

if TYPE_CHECKING:
    from webapp.store.accounts import Account


@click.group()
def users() -> None:
    """Add, list and disable the accounts of staff."""


@users.command("add")
@click.argument("email")
@click.option("--role", type=click.Choice(["customer", "agent", "editor", "admin"]), default="agent")
@groups_option("Groups whose documents the account may see")
@command
def add(run: Run, email: str, role: str, groups: frozenset[str]) -> None:
    """Add an account for EMAIL and print its one-time link."""
    from webapp.core.retrieval.model import Role

    _say_link(run, email, run.services().accounts.invite(email, Role(role), groups))


@users.command("link")
@click.argument("email")
@command
def link(run: Run, email: str) -> None:
    """Print a new one-time link for EMAIL, to set a password."""
    _say_link(run, email, run.services().accounts.link(email))


@users.command("disable")
@click.argument("email")
@click.option("--undo", is_flag=True, help="Let the account in again")
@command
def disable(run: Run, email: str, undo: bool) -> None:
    """Shut EMAIL out, and end its sessions."""
    run.services().accounts.disable(email, not undo)
    run.say({"email": email, "disabled": not undo}, f"{email} {'may sign in again' if undo else 'is shut out'}")


@users.command("list")
@command
def list_(run: Run) -> None:
    """List the accounts."""
    rows = [_row(account) for account in run.services().accounts.all()]
    lines = [f"{row['email']}  {row['role']}  {','.join(row['groups'])}  {row['state']}" for row in rows]
    run.say({"users": rows}, "\n".join(lines) or "no account yet; `evidencedesk serve` prints a link for the first one")


def _say_link(run: Run, email: str, token: str) -> None:
    path = f"/sign-in/{token}"
    address = f"http://{run.settings.host}:{run.settings.port}{path}"
    run.say(
        {"email": email, "link": path},
        f"One-time link for {email}, good for {run.settings.link_hours} hours:\n{address}",
    )


def _row(account: Account) -> dict[str, Any]:
    state = "disabled" if account.disabled else "active" if account.password else "invited"
    return {"email": account.email, "role": account.role.value, "groups": sorted(account.groups), "state": state}
