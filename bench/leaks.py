"""Whether response times tell of pages that are closed to whoever asks: `python -m bench.leaks`.

The same collection is served with several closed copies of each page, and without. Requests go to both in turn, so that
whatever else the machine does falls on both, and the pairs' differences are judged. Processor time is taken: on the
clock a busy machine hides what a patient stranger would still find.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import click
import numpy as np
from pydantic import SecretStr

from webapp.app import create_app
from webapp.paths import shared
from webapp.services.root import Services
from webapp.settings import Settings

QUESTIONS = ("How long do I have to return a bike?", "Can I pay in instalments?", "What is the RD2-24 recall?")
WARM_UP = 20
DRAWS = 2_000

Send = Callable[[], int]


@click.command(help=__doc__)
@click.option("--copies", default=8, help="Closed copies of every page")
@click.option("--rounds", default=100, help="Pairs of each request")
def main(copies: int, rounds: int) -> None:
    """Measure and print the differences with their intervals."""
    with tempfile.TemporaryDirectory() as folder:
        having, lacking = (site(Path(folder) / name, closed) for name, closed in (("with", copies), ("without", 0)))
        for name, make in requests():
            report(name, pairs(make(having), make(lacking), rounds))
        for services in (having, lacking):
            services.close()


def site(folder: Path, copies: int) -> Services:
    """Return the services of a site whose pages each have so many closed copies."""
    shop = folder / "corpus" / "kestrel"
    shutil.copytree(shared("corpus") / "kestrel", shop)
    (shop / "golden.jsonl").unlink()  # it would be asked at every build
    for file in sorted(shop.glob("*.md")) if copies else ():
        for number in range(copies):
            text = file.read_text(encoding="utf-8")
            closed = text.replace("\nid: ", f"\naudience: staff\nid: closed-{number}-", 1)
            (shop / f"closed-{number}-{file.name}").write_text(closed, encoding="utf-8")
    config = shop / "collection.toml"
    config.write_text('groups = ["staff"]\n' + config.read_text(encoding="utf-8"), encoding="utf-8")
    services = Services.open(
        Settings(instance=folder / "instance", corpus=folder / "corpus", secret_key=SecretStr("k" * 40))
    )
    services.desk().ensure_index()
    return services


def requests() -> list[tuple[str, Callable[[Services], Send]]]:
    """Return what is asked: questions, a closed id and one that is made up, the question box."""
    asked = [(question, _asking(question)) for question in QUESTIONS]
    read = [
        ("a closed page's address", _reading("/sources/closed-0-kc-returns-v3")),
        ("an open page's address", _reading("/sources/kc-returns-v3")),
        ("the question box", _reading("/")),
    ]
    return asked + read


def _asking(question: str) -> Callable[[Services], Send]:
    def made(services: Services) -> Send:
        client = create_app(services.settings, services).test_client()
        return lambda: client.post("/api/v1/ask", json={"question": question}).status_code

    return made


def _reading(path: str) -> Callable[[Services], Send]:
    def made(services: Services) -> Send:
        client = create_app(services.settings, services).test_client()
        return lambda: client.get(path).status_code

    return made


def pairs(one: Send, other: Send, rounds: int) -> list[tuple[float, float]]:
    """Return the milliseconds of processor time of both, sent one after the other, the first one in turn."""
    measured = []
    for number in range(rounds + WARM_UP):
        first, second = (one, other) if number % 2 else (other, one)
        taken = [_milliseconds(first), _milliseconds(second)]
        measured.append((taken[0], taken[1]) if number % 2 else (taken[1], taken[0]))
    return measured[WARM_UP:]


def _milliseconds(send: Send) -> float:
    start = time.process_time()
    send()
    return 1000 * (time.process_time() - start)


def report(name: str, measured: Sequence[tuple[float, float]]) -> None:
    """Print both medians, and the median difference with its 95% interval (drawn again and again)."""
    differences = np.array([one - other for one, other in measured])
    draws = np.random.default_rng(1).choice(differences, (DRAWS, len(differences)))
    low, high = np.percentile(np.median(draws, axis=1), [2.5, 97.5])
    having, lacking = (median(side) for side in zip(*measured, strict=True))
    click.echo(
        f"{name:<40} with {having:6.1f} ms   without {lacking:6.1f} ms   "
        f"difference {np.median(differences):+.2f} ms ({low:+.2f} to {high:+.2f})"
    )


if __name__ == "__main__":
    main()
