"""Questions for a long time from several readers at once; memory and waits must stay where they were: `make soak`."""

from __future__ import annotations

import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from bench.answer_page import GOLDEN, wait
from bench.server import Reader, Server, serving

READERS = 4
MOST_GROWTH = 1.25  # of the server's memory, from the first part to the last
PARTS = 10


@click.command(help=__doc__)
@click.option("--minutes", default=60.0, help="How long in all")
def main(minutes: float) -> None:
    """Ask, print a line a part, and exit 1 when memory has grown."""
    questions = [json.loads(line)["question"] for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    with serving() as server, ThreadPoolExecutor(READERS) as readers:
        megabytes = []
        for part in range(PARTS):
            until = time.monotonic() + 60 * minutes / PARTS
            jobs = [readers.submit(asked_until, until, server, questions, part * READERS + n) for n in range(READERS)]
            waits = sorted(wait for job in jobs for wait in job.result())
            megabytes.append(memory(server))
            slow = waits[int(0.95 * len(waits))]
            click.echo(f"{part + 1:2}/{PARTS}  {len(waits)} answers  p95 {slow:.0f} ms  {megabytes[-1]:.0f} MB")
    sys.exit(megabytes[-1] > MOST_GROWTH * megabytes[0])


def asked_until(end: float, server: Server, questions: list[str], seed: int) -> list[float]:
    """Ask questions in a random order until the time is over; return the waits in milliseconds."""
    reader, choose, waits = Reader(server), random.Random(seed), list[float]()
    while not waits or time.monotonic() < end:
        waits.append(wait(reader, choose.choice(questions)))
    return waits


def memory(server: Server) -> float:
    """Return the resident megabytes of the server and its workers."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text(encoding="ascii").split()
    return sum(_resident(pid) for pid in [str(server.pid), *children])


def _resident(pid: str) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


if __name__ == "__main__":
    main()
