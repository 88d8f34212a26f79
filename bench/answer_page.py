"""How long a reader waits for an answer, one request at a time, and how heavy the first page is: `make bench`."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import click

from bench.server import Reader, Reply, serving

GOLDEN = Path(__file__).parents[1] / "corpus" / "kestrel" / "golden.jsonl"
WARM_UP = 5
MOST_MILLISECONDS = 60  # question sent to answer's page complete, 95 of 100
MOST_BYTES = 60_000  # of the first page with all it needs, as sent
MOST_REQUESTS = 6
ASSET = re.compile(r'<(?:link|script)[^>]*\b(?:href|src)="(/static/[^"]+)"')


@click.command(help=__doc__)
@click.option("--rounds", default=5, help="Times that every golden question is asked")
def main(rounds: int) -> None:
    """Measure, print, and exit 1 when a figure is over its limit."""
    questions = [json.loads(line)["question"] for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    with serving() as server:
        reader = Reader(server)
        for question in questions[:WARM_UP]:
            wait(reader, question)
        waits = sorted(wait(reader, question) for _ in range(rounds) for question in questions)
        requests, size = first_page(Reader(server))
    slow = waits[int(0.95 * len(waits))]
    click.echo(f"questions asked         {len(waits)}")
    click.echo(f"answer's page, median   {waits[len(waits) // 2]:.1f} ms")
    click.echo(f"answer's page, p95      {slow:.1f} ms   (limit {MOST_MILLISECONDS})")
    click.echo(f"answer's page, longest  {waits[-1]:.1f} ms")
    click.echo(f"first page              {size} bytes in {requests} requests   (limit {MOST_BYTES} in {MOST_REQUESTS})")
    sys.exit(slow > MOST_MILLISECONDS or size > MOST_BYTES or requests > MOST_REQUESTS)


def wait(reader: Reader, question: str) -> float:
    """Return the milliseconds from sending a question to having the answer's page."""
    form = reader.form()
    start = time.perf_counter()
    sent, answer = reader.ask(question, form)
    seconds = time.perf_counter() - start
    assert (sent.status, answer.status) == (303, 200), f"{question}: {sent.status}, {answer.status}"
    return 1000 * seconds


def first_page(reader: Reader) -> tuple[int, int]:
    """Return how many requests the first page takes, and their bytes on the wire without headers."""
    page = reader.get("/")
    replies: list[Reply] = [reader.get("/", "gzip")]
    replies += [reader.get(path, "gzip") for path in sorted(set(ASSET.findall(page.body.decode("utf-8"))))]
    assert all(reply.status == 200 for reply in replies)
    return len(replies), sum(len(reply.body) for reply in replies)


if __name__ == "__main__":
    main()
