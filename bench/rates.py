"""What two processes behind nginx serve in a second as a collection grows: `python -m bench.rates 1000 10000 100000`.

The pages of kestrel lie among made-up ones, as in `asking`; questions come as in `load`, of which none is known. Needs
nginx and wrk.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from bench.asking import written
from bench.front import SERVE, in_front
from bench.load import AT_ONCE, EMBEDDED, GOALS, drive, embedding_alone, pages
from bench.scale import say

SECONDS = 30
# The embedder of those pages is known where the bench is; nobody edits them, so no worker is missed.
PROGRAM = ("-c", "import bench.asking; from webapp.cli import main; main()", SERVE[-1], "--no-worker")
SAID = {"asking, not known": "questions answered", "reading an answer": "answers read"}


def measure(chunks: int, folder: Path) -> bool:
    """Print the rates for one size; return whether they reach what `load` asks of them."""
    click.echo(f"{chunks:,} chunks beside kestrel's")
    written(folder / "corpus", chunks)
    enough, speed = True, min(1.0, embedding_alone(SECONDS / 3) / EMBEDDED)
    with in_front(folder, PROGRAM, ANSWER_CACHE="0") as front:
        drive(front, SECONDS / 10)  # which reads what questions read of the index
        for what, given in (("asking, not known", {}), ("reading an answer", {"LOAD_PAGES": pages(front)})):
            seen = drive(front, SECONDS, AT_ONCE, **given)
            spent = f"{seen.serving:.1f} ms of processor each, generator and nginx {seen.generator:.0%} of the cores"
            say(SAID[what], f"{seen.rate:7.0f} a second ({spent}, {seen.failed} failed)")
            enough = enough and seen.rate >= GOALS[what] * speed and not seen.failed
    return enough


@click.command(help=__doc__)
@click.argument("sizes", nargs=-1, type=int, metavar="CHUNKS...")
def main(sizes: tuple[int, ...]) -> None:
    """Measure collections of so many CHUNKS; exit 1 when fewer are served than `load` asks for at any size."""
    enough = True
    for size in sizes or (1_000, 10_000, 100_000):
        with tempfile.TemporaryDirectory() as folder:
            enough = measure(size, Path(folder)) and enough
    sys.exit(not enough)


if __name__ == "__main__":
    main()
