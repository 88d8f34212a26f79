"""How long a process takes that is started for one question, over an index that is built already.

`processor` is the time that it computes for: on a busy machine the wall clock says more about the others.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click

QUESTION = "How long do I have to return a bike?"
MOST_SECONDS = 1.0


@click.command(help=__doc__)
@click.option("--rounds", default=15, help="Processes that are started")
@click.option("--collection", default="kestrel", help="Collection that is asked")
def main(rounds: int, collection: str) -> None:
    """Measure, print, and exit 1 when the median is over its limit."""
    with tempfile.TemporaryDirectory() as instance:
        command = [sys.executable, "-m", "webapp.cli", "ask", QUESTION, "--json"]
        command += ["--collection", collection, "--instance", instance]
        ask(command)  # builds the index
        waits, busy = zip(*(ask(command) for _ in range(rounds)), strict=True)
    click.echo(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {rounds} runs"
    )
    click.echo(f"wall clock  {shown(waits)}   (limit {MOST_SECONDS})")
    click.echo(f"processor   {shown(busy)}")
    sys.exit(statistics.median(waits) > MOST_SECONDS)


def ask(command: Sequence[str]) -> tuple[float, float]:
    """Return the seconds by the clock and on the processor that one process takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=Path(__file__).parents[1])
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shown(seconds: Sequence[float]) -> str:
    """Return median and spread in seconds."""
    return f"median {statistics.median(seconds):.2f} s, {min(seconds):.2f} to {max(seconds):.2f}"


if __name__ == "__main__":
    main()
