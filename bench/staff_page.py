"""How long the staff's page of one answer takes with 100,000 answers stored: `python -m bench.staff_page`."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import click
import sqlalchemy as sa
from flask.testing import FlaskClient
from pydantic import SecretStr

from webapp.app import create_app
from webapp.core.retrieval.model import Reader, Role
from webapp.services.root import Services
from webapp.settings import Settings
from webapp.store.schema import answers, citations

MOST_MILLISECONDS = 150
QUESTIONS = ("How long do I have to return a bike?", "When do gift cards expire?", "Can I pay in instalments?")
WARM_UP = 3


@click.command(help=__doc__)
@click.option("--answers", "count", default=100_000, help="Answers that are stored")
@click.option("--rounds", default=30, help="Times that each page is opened")
def main(count: int, rounds: int) -> None:
    """Measure, print, and exit 1 when 95 of 100 pages take longer than the limit."""
    with tempfile.TemporaryDirectory() as folder:
        services = Services.open(Settings(instance=Path(folder), secret_key=SecretStr("k" * 40)))
        services.desk().ensure_index()
        ids = asked(services)
        fill(services.settings.database, ids, count)
        client = signed_in(services)
        slow = max(report(name, waits(client, path, rounds)) for name, path in pages(ids))
        services.close()
    sys.exit(slow > MOST_MILLISECONDS)


def asked(services: Services) -> list[str]:
    """Ask the questions among all that is stored; return the answers' ids."""
    return [services.desk().ask(question, Reader()).id for question in QUESTIONS]


def fill(database: str, ids: Sequence[str], count: int) -> None:
    """Store each answer again and again under other ids, with its citations, until there are so many."""
    engine = sa.create_engine(database)
    with engine.begin() as connection:
        for table, key in ((answers, "id"), (citations, "answer_id")):
            for id_ in ids:
                connection.execute(sa.text(_copying(table, key)), {"id": id_, "count": count // len(ids)})
        stored = connection.execute(sa.select(sa.func.count()).select_from(answers)).scalar()
    engine.dispose()
    click.echo(f"{stored} answers stored")


def _copying(table: sa.Table, key: str) -> str:
    kept = [f'"{column.name}"' for column in table.columns if column.name not in {key, "once"}]
    return f"""INSERT INTO {table.name} ("{key}", {", ".join(kept)})
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
        SELECT substr(:id, 1, 8) || '-' || i, {", ".join(kept)} FROM n, {table.name} WHERE "{key}" = :id"""


def signed_in(services: Services) -> FlaskClient:
    """Return a browser in which an agent is signed in."""
    accounts = services.accounts
    token = accounts.accept(accounts.invite("agent@bench.example", Role.AGENT), "", "correct horse battery")
    client = create_app(services.settings, services).test_client()
    with client.session_transaction() as session:
        session["token"] = token
    return client


def pages(ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what is opened, by what it is called."""
    for question, answer_id in zip(QUESTIONS, ids, strict=True):
        yield question, f"/agent/answers/{answer_id}"
    yield "search for “return a bike”", "/agent/search?q=return+a+bike"
    yield "two versions side by side", "/agent/diff?document=kc-returns-v2&one=now&other=page:kc-returns-v3"


def waits(client: FlaskClient, path: str, rounds: int) -> list[tuple[float, float]]:
    """Return the milliseconds that each opening took: on the clock, and of processor time, which a busy machine
    stretches less."""
    measured = []
    for _ in range(rounds + WARM_UP):
        clock, processor = time.perf_counter(), time.process_time()
        response = client.get(path)
        measured.append((1000 * (time.perf_counter() - clock), 1000 * (time.process_time() - processor)))
        assert response.status_code == 200, f"{path}: {response.status_code}"
    return measured[WARM_UP:]


def report(name: str, measured: Sequence[tuple[float, float]]) -> float:
    """Print median, 95 of 100 and the spread of both; return the second on the clock."""
    sides = [sorted(side) for side in zip(*measured, strict=True)]
    for side, what in zip(sides, ("clock", "processor"), strict=True):
        slow = side[int(0.95 * len(side))]
        spread = f"{side[0]:.1f} to {side[-1]:.1f}"
        click.echo(f"{name:<40} {what:<10} median {median(side):6.1f} ms   p95 {slow:6.1f} ms   ({spread})")
    return float(sides[0][int(0.95 * len(sides[0]))])


if __name__ == "__main__":
    main()
