"""kill -9 at random moments of indexing, publishing, answering and migrating: what was acknowledged is there
afterwards, and what is served is whole. Part of `make soak`.

A child process does the work and says what is done; it is killed at a random moment of that, and the parent looks at
what it left, carries it on, and looks again.
"""

from __future__ import annotations

import hashlib
import os
import platform
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import sqlalchemy as sa

from webapp.core.retrieval.model import Reader, Role
from webapp.paths import shared
from webapp.services.root import Services
from webapp.services.work.base import kinds
from webapp.settings import Settings
from webapp.store.copying import database_problem
from webapp.store.database import open_database
from webapp.store.schema import REVISION

KINDS = ("index", "publish", "answer", "migrate")
QUESTION = "How long do I have to return a bike?"
COLLECTION, PAGE, DOCUMENT = "kestrel", "gift-cards.md", "kc-giftcards-v1"
OLD_REVISION, ACCOUNTS = "0001", 200


@dataclass
class Place:
    """A copy of a collection and an instance of its own."""

    folder: Path
    spans: dict[str, float] = field(default_factory=dict)  # seconds that each kind of work takes when it isn't killed

    @property
    def page(self) -> Path:
        """The page that is edited and published."""
        return self.folder / "corpus" / COLLECTION / PAGE

    @property
    def old_database(self) -> Path:
        """A database of long ago."""
        return self.folder / "old.db"

    def services(self) -> Services:
        """Open the installation, as any process would."""
        return Services.open(
            Settings(instance=self.folder / "instance", corpus=self.folder / "corpus", collection=COLLECTION),
            alone=True,
        )


@click.group(help=__doc__)
def main() -> None:
    """Kill, or be killed."""


@main.command()
@click.option("--kills", default=100, help="How many, over all kinds of work")
@click.option("--minutes", default=60.0, help="Ends after so long, whatever is left")
@click.option("--seed", default=0, help="Of the random moments")
def run(kills: int, minutes: float, seed: int) -> None:
    """Kill so often; exit 1 as soon as something was lost."""
    choose, until, done = random.Random(seed), time.monotonic() + 60 * minutes, Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        shutil.copytree(shared("corpus") / COLLECTION, place.page.parent)
        services = place.services()
        services.desk().ensure_index()
        services.store.ping()  # makes the database
        services.close()
        for number in range(kills):
            kind = KINDS[number % len(KINDS)]
            if time.monotonic() > until:
                break
            if problem := _one(place, kind, choose):
                click.echo(f"kill {number + 1} ({kind}): {problem}")
                sys.exit(1)
            done[kind] += 1
    about = f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    click.echo(f"{about}: {done.total()} kills ({', '.join(f'{kind} {done[kind]}' for kind in KINDS)}), nothing lost")


def _one(place: Place, kind: str, choose: random.Random) -> str:
    """Let a child begin, kill it at a random moment, and say what is wrong with what it left."""
    argument = _prepare(place, kind)
    command = [sys.executable, "-m", "bench.kill", "work", kind, str(place.folder), argument]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout
        child.stdout.readline()  # it begins
        began = time.monotonic()
        if kind not in place.spans:  # the first one is left to end, to know how long that takes
            said = child.communicate()[0].split()
            place.spans[kind] = time.monotonic() - began
            return _look(place, kind, argument, said) or _one(place, kind, choose)
        time.sleep(choose.uniform(0, place.spans[kind]))
        child.kill()
        said = child.stdout.read().split()
    return _look(place, kind, argument, said)


def _prepare(place: Place, kind: str) -> str:
    """Make what the child is to do; return what it has to know."""
    if kind == "index":
        text = place.page.read_text(encoding="utf-8").rstrip()
        place.page.write_text(f"{text} {secrets.token_hex(4)}.\n", encoding="utf-8")
    if kind == "migrate":
        for file in place.folder.glob("old.db*"):
            file.unlink()
        _make_old_database(place.old_database)
    return secrets.token_hex(8)


def _make_old_database(file: Path) -> None:
    from alembic import command
    from alembic.config import Config

    import webapp.store

    config = Config()
    config.set_main_option("script_location", str(Path(webapp.store.__file__).parent / "migrations"))
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, OLD_REVISION)
        insert = sa.text(
            "INSERT INTO accounts (email, role, groups, disabled, failed_attempts, created_at)"
            " VALUES (:email, 'agent', '[]', 0, 0, '2026-01-01 00:00:00')"
        )
        connection.execute(insert, [{"email": f"{n}@kestrel.example"} for n in range(ACCOUNTS)])
    engine.dispose()


# The child


@main.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("argument")
def work(kind: str, folder: Path, argument: str) -> None:
    """Say that the work begins, and what is done as soon as it is."""
    place = Place(folder)
    if kind == "migrate":
        click.echo("begin")
        open_database(f"sqlite:///{place.old_database}")
        click.echo("done")
        return
    services = place.services()
    desk = services.desk()
    if kind == "answer":
        desk.ask(QUESTION, Reader())  # the model of meaning is loaded
    click.echo("begin")
    if kind == "index":
        click.echo(desk.index().version)
    elif kind == "publish":
        _publish(place, services, argument)
        click.echo(argument)
    else:
        for _ in range(20):
            click.echo(desk.ask(QUESTION, Reader()).id)


def _publish(place: Place, services: Services, id_: str) -> None:
    """Withdraw the page, or put it back: the publication of that id, once."""
    data = place.page.read_bytes()
    act = "restore" if b"status: withdrawn" in data else "withdraw"
    known = place.folder / f"publish-{id_}"
    if known.exists():
        act, base, author = known.read_text(encoding="utf-8").split()
    else:
        base, author = hashlib.sha256(data).hexdigest(), str(_editor(services))
        known.write_text(f"{act} {base} {author}", encoding="utf-8")
    arguments = {"id": id_, "act": act, "author_id": int(author), "message": "m", "path": PAGE, "base": base}
    kinds.get("publish").make(services, COLLECTION, arguments | {"reason": "tried"}, lambda *_: None)


def _editor(services: Services) -> int:
    found = [account.id for account in services.accounts.all()]
    if not found:
        services.accounts.invite("editor@kestrel.example", Role.EDITOR)
    return found[0] if found else _editor(services)


# What it left


def _look(place: Place, kind: str, argument: str, said: list[str]) -> str:
    if kind == "migrate":
        return _look_at_old_database(place.old_database)
    services = place.services()
    try:
        return next(_problems(place, services, kind, argument, said), "")
    finally:
        services.close()


def _problems(place: Place, services: Services, kind: str, argument: str, said: list[str]) -> Iterator[str]:
    desk = services.desk()
    live = desk.served_version()
    broken = live.damage() if live else ["there is none"]
    if broken:
        yield f"the live index is not whole: {', '.join(broken)}"
    if problem := database_problem(place.folder / "instance" / "evidencedesk.db"):
        yield f"the database: {problem}"
    if kind == "index" and live and said and live.manifest.id != said[0]:
        yield f"version {said[0]} was said to be live, {live.manifest.id} is"
    if kind == "answer" and (lost := [id_ for id_ in said if services.answer(id_, Reader()) is None]):
        yield f"answers that were given are gone: {lost}"
    if kind == "publish":
        yield from _unpublished(place, services, argument, bool(said))
    desk.ensure_index()
    document = desk.document(DOCUMENT, Reader(Role.ADMIN))
    if document is None or document.text.encode() != place.page.read_bytes():
        yield "what is served is not what the file says"


def _unpublished(place: Place, services: Services, id_: str, said: bool) -> Iterator[str]:
    if said and services.store.publications.get(id_) is None:
        yield "a publication that was said to be done is gone"
    _publish(place, services, id_)  # as the next worker does
    if services.store.publications.get(id_) is None:
        yield "a publication that was broken off can't be carried on"


def _look_at_old_database(file: Path) -> str:
    if problem := database_problem(file):
        return f"the database: {problem}"
    database = open_database(f"sqlite:///{file}")
    with database.reading() as connection:
        revision = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
        accounts = connection.execute(sa.text("SELECT count(*) FROM accounts")).scalar()
    database.engine.dispose()
    return "" if (revision, accounts) == (REVISION, ACCOUNTS) else f"revision {revision}, {accounts} accounts"


if __name__ == "__main__":
    main()
