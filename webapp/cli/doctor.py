"""`doctor`: is everything in place, and if not, what to do."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import click

from webapp.cli.common import FOUND_WRONG, Run, command
from webapp.services.clients import server_problem
from webapp.services.desk import Desk
from webapp.services.problems import plain_words
from webapp.services.root import Services
from webapp.services.signing import other_key_seen_at
from webapp.settings import PREFIX, SECRETS, Settings
from webapp.store.jobs import JobState

_LEAST_FREE = 200_000_000  # bytes
_PATIENCE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `problem` is empty when it is well."""

    name: str
    problem: str


@click.command()
@command
def doctor(run: Run) -> int:
    """Check settings, folders, disk, database, indexes, worker and the model, and say what to do."""
    checks = list(_checks(run))
    lines = [f"{'wrong' if check.problem else 'ok   '}  {check.name}  {check.problem}".rstrip() for check in checks]
    rows = [{"check": check.name, "ok": not check.problem, "problem": check.problem} for check in checks]
    run.say({"checks": rows}, "\n".join(lines))
    return FOUND_WRONG if any(check.problem for check in checks) else 0


def _checks(run: Run) -> list[Check]:
    settings = run.settings
    first = [
        _check("settings", _settings),
        _check("instance folder", partial(_writable, settings)),
        _check("disk", partial(_disk, settings)),
        _check("secret key", partial(_key, settings)),
        _check("proxies", partial(_proxies, settings)),
    ]
    try:
        services = run.services(alone=run.alone)
    except Exception as error:
        return [*first, Check("collections", plain_words(error) or repr(error))]
    try:
        return [*first, *_inside(services)]
    finally:
        services.close()


def _inside(services: Services) -> list[Check]:
    desks = services.desks()
    return [
        _check("database", partial(_database, services)),
        _check("shared key", partial(_signing, services)),
        _check("worker", partial(_worker, services)),
        _check("model", partial(server_problem, services.settings)),
        *(_check(f"money of {desk.name}", partial(_money, desk)) for desk in desks),
        *(_check(f"index of {desk.name}", partial(_index, desk)) for desk in desks),
        *(_check(f"files of {desk.name}", partial(_files, desk)) for desk in desks),
    ]


def _check(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, look())
    except Exception as error:
        return Check(name, plain_words(error) or repr(error))


def _settings() -> str:
    """Find what was meant as a setting and is none: a slip of the pen would go unnoticed."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    known |= {f"{PREFIX}{name.upper()}_FILE" for name in SECRETS}
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    return f"there is no setting {', '.join(unknown)}; docs/settings.md lists them" if unknown else ""


def _writable(settings: Settings) -> str:
    try:
        settings.instance.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=settings.instance):
            pass
    except OSError as error:
        return (
            f"nothing can be written into {settings.instance} ({error.strerror}), so no answer can be kept; let the "
            "account that runs this write there"
        )
    if settings.instance.stat().st_mode & 0o002:
        return f"everybody can write to {settings.instance}; run: chmod o-w {settings.instance}"
    return ""


def _disk(settings: Settings) -> str:
    """An index is built beside the one that is served: there must be room for both."""
    free = shutil.disk_usage(settings.instance).free
    indexes = sum(file.stat().st_size for file in (settings.instance / "indexes").rglob("*") if file.is_file())
    needed = max(_LEAST_FREE, indexes)
    if free >= needed:
        return ""
    return f"{free // 1_000_000} MB are free beside {settings.instance}; make room for {needed // 1_000_000} MB"


def _key(settings: Settings) -> str:
    file = settings.instance / "secret_key"
    settings.signing_key()
    if file.exists() and os.stat(file).st_mode & 0o077:
        return f"others can read {file}; run: chmod 600 {file}"
    return ""


def _proxies(settings: Settings) -> str:
    """Find what would count all readers as one, or each several times."""
    if settings.behind_tls and not settings.trusted_proxies:
        return (
            f"{PREFIX}BEHIND_TLS says that a proxy is in front, and none is counted, so that all readers share "
            f"one rate; set {PREFIX}TRUSTED_PROXIES=1"
        )
    if settings.proxy_user_header and not settings.proxy_peers:
        return f"{PREFIX}PROXY_USER_HEADER is believed of nobody; name the proxy's address in {PREFIX}PROXY_PEERS"
    if settings.workers > 1 and settings.rate_storage.startswith("memory:"):
        return (
            f"each of {settings.workers} processes counts rates for itself; set {PREFIX}RATE_STORAGE=database://, "
            f"or {PREFIX}WORKERS=1"
        )
    return ""


def _database(services: Services) -> str:
    services.store.ping()
    damage = services.store.damage()
    return f"{damage}; run: evidencedesk restore with the last backup" if damage else services.store.server_problem()


def _signing(services: Services) -> str:
    """A form that one machine has shown is refused by another that signs with another key."""
    at = other_key_seen_at(services.settings, services.store)
    if at is None:
        return ""
    remedy = "give all the same EVIDENCEDESK_SECRET_KEY_FILE; a change of the key is forgotten after a day"
    return f"a process on this database signed with another one on {at:%Y-%m-%d at %H:%M} UTC; {remedy}"


def _worker(services: Services) -> str:
    """A worker takes what waits within a second, unless another job of the collection runs."""
    long_ago = datetime.now(UTC) - _PATIENCE
    for desk in services.desks():
        active = services.jobs.active(desk.name)
        if active and not any(job.state is JobState.RUNNING for job in active) and active[0].created_at < long_ago:
            return f"work for {desk.name} waits and nobody does it; run: evidencedesk worker (serve does so itself)"
    return ""


def _money(desk: Desk) -> str:
    """A cap that is reached is as it should be; one that can't be kept is not."""
    standing = desk.meter.standing()
    unpriced = standing and standing.cap is not None and standing.price is None
    return desk.meter.refusal(standing.model) if standing and unpriced else ""


def _index(desk: Desk) -> str:
    live = desk.served_version()
    problem = f"damaged: {', '.join(live.damage())}" if live and live.damage() else desk.problem()
    return f"{problem}; run: evidencedesk index --collection {desk.name}" if problem else ""


def _files(desk: Desk) -> str:
    held = sum(problem.held_back for problem in desk.files().problems)
    return f"{held} held back; run: evidencedesk index --collection {desk.name} --strict" if held else ""
