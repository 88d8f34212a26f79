"""`doctor`: is everything in place, and if not, what to do."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import click

from webapp.cli.common import FOUND_WRONG, Run, command
from webapp.services.clients import server_problem
from webapp.services.desk import Desk
from webapp.services.problems import plain_words
from webapp.services.root import Services
from webapp.settings import Settings


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `problem` is empty when it is well."""

    name: str
    problem: str


@click.command()
@command
def doctor(run: Run) -> int:
    """Check settings, folders, database, indexes and the model."""
    checks = list(_checks(run))
    lines = [f"{'wrong' if check.problem else 'ok   '}  {check.name}  {check.problem}".rstrip() for check in checks]
    rows = [{"check": check.name, "ok": not check.problem, "problem": check.problem} for check in checks]
    run.say({"checks": rows}, "\n".join(lines))
    return FOUND_WRONG if any(check.problem for check in checks) else 0


def _checks(run: Run) -> list[Check]:
    settings = run.settings
    first = [_check("instance folder", partial(_writable, settings)), _check("secret key", partial(_key, settings))]
    try:
        services = run.services(alone=run.alone)
    except Exception as error:
        return [*first, Check("collections", plain_words(error) or repr(error))]
    return [*first, *_inside(services)]


def _inside(services: Services) -> list[Check]:
    desks = services.desks()
    return [
        _check("database", partial(_database, services)),
        _check("model", partial(server_problem, services.settings)),
        *(_check(f"index of {desk.name}", partial(_index, desk)) for desk in desks),
        *(_check(f"files of {desk.name}", partial(_files, desk)) for desk in desks),
    ]


def _check(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, look())
    except Exception as error:
        return Check(name, plain_words(error) or repr(error))


def _writable(settings: Settings) -> str:
    settings.instance.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=settings.instance):
        return ""


def _key(settings: Settings) -> str:
    file = settings.instance / "secret_key"
    settings.signing_key()
    if file.exists() and os.stat(file).st_mode & 0o077:
        return f"others can read {file}; run: chmod 600 {file}"
    return ""


def _database(services: Services) -> str:
    services.store.ping()
    return ""


def _index(desk: Desk) -> str:
    problem = desk.problem()
    return f"{problem}; run: evidencedesk index --collection {desk.name}" if problem else ""


def _files(desk: Desk) -> str:
    held = sum(problem.held_back for problem in desk.files().problems)
    return f"{held} held back; run: evidencedesk index --collection {desk.name} --strict" if held else ""
