"""Curves over the number of chunks: `python -m bench.curves 1000 10000 100000 1000000` (set up by `make peers`).

For each size, each in a process of its own: `bench.scale`, and up to PEERS chunks `bench.asking`, `bench.rates` and
`bench.peers`.
What they print is passed on, kept in the folder, and drawn there: one picture a subject, both axes logarithmic. A run
with fewer sizes draws those that were kept before as well.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
PEERS = 100_000  # above which other engines and answering are left out: they would take hours
KEPT = "curves.json"
# Each picture: unit, then the curves by the line that a bench prints.
PICTURES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "search": (
        "milliseconds, median",
        {
            "by meaning": "by meaning, exact",
            "hybrid, the question's vector known": "hybrid",
            "both, LanceDB, hybrid": "LanceDB, hybrid",
            "both, Haystack, in memory": "Haystack, hybrid in memory",
            "both, LlamaIndex, in memory": "LlamaIndex, hybrid in memory",
            "by meaning, faiss, flat": "faiss, by meaning",
            "by words, bm25s": "bm25s, by words",
        },
    ),
    "asking": (
        "milliseconds, median",
        {
            "a question answered and kept": "a question answered and kept",
            "of it, the model of meaning": "of it, the model of meaning",
            "sent by a browser, until it is kept": "sent by a browser, until it is kept",
            "the answer's page": "the answer's page",
        },
    ),
    "rates": (
        "a second, two processes behind nginx",
        {"questions answered": "questions answered, none known", "answers read": "answers read"},
    ),
    "building": (
        "seconds",
        {
            "reading and cutting": "reading and cutting",
            "read and built, vectors known": "read and built, vectors known",
            "an edit until it is found": "one page edited, until it is found",
            "a new process, until it has found": "a new process, until it has found",
        },
    ),
    "memory": (
        "megabytes",
        {
            "memory that it shares with no other": "of a process, shared with no other",
            "the most memory this process has had": "the most of one that builds and edits",
        },
    ),
}
_LINE = re.compile(r"  (\S.*?)\s{2,}([\d.]+) ")
_ROW = re.compile(r"\| ([^|]+) \| ([^|]+) \| [\d.]+ \| ([\d.]+) \|")

Figures = dict[str, dict[str, float]]  # size → line → figure


def figures(printed: str) -> Iterator[tuple[str, float]]:
    """Yield what a bench printed: its lines, or the medians of its table; of a line that comes again, the last."""
    for line in printed.splitlines():
        if found := _LINE.match(line):
            yield found[1], float(found[2])
        elif (found := _ROW.match(line)) and found[2] != "ours":
            yield f"{found[1]}, {found[2]}", float(found[3])


def measured(bench: str, size: int, *options: str) -> dict[str, float]:
    """Run a bench for one size, pass on what it prints, and return its figures."""
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{bench}", str(size), *options],
        cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"}, stdout=subprocess.PIPE, text=True,
        check=False,  # a goal that is missed is a result too
    )  # fmt: skip
    click.echo(done.stdout)
    return dict(figures(done.stdout))


def draw(kept: Figures, folder: Path) -> None:
    """Draw every picture as SVG, readable on white and on black."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update(
        {"svg.hashsalt": "curves", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    )
    from matplotlib import pyplot, ticker

    for name, (unit, curves) in PICTURES.items():
        picture, axes = pyplot.subplots(figsize=(8, 4.6), layout="constrained")
        for line, called in curves.items():
            points = sorted((int(size), of[line]) for size, of in kept.items() if line in of)
            if points:
                axes.plot(*zip(*points, strict=True), marker="o", markersize=4, label=called)
        axes.set(xscale="log", yscale="log", xlabel="chunks", ylabel=unit)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
            axis.set_minor_formatter(ticker.NullFormatter())
        axes.xaxis.set_major_locator(ticker.LogLocator())
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
        picture.savefig(folder / f"{name}.svg", metadata={"Date": None}, facecolor="white")
        pyplot.close(picture)


@click.command(help=__doc__)
@click.argument("sizes", nargs=-1, type=int, metavar="CHUNKS...")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("build/curves"), help="Where they are put")
@click.option("--keep", type=click.Path(), help="Where `scale` is to keep its folders and indexes, or finds them")
def main(sizes: tuple[int, ...], folder: Path, keep: str | None) -> None:
    """Measure collections of so many CHUNKS, and draw."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / KEPT
    kept: Figures = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    click.echo(f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for size in sizes:
        benches = ("scale", "asking", "rates", "peers") if size <= PEERS else ("scale",)
        for bench in benches:
            options = ("--keep", keep) if keep and bench == "scale" else ()
            kept.setdefault(str(size), {}).update(measured(bench, size, *options))
        place.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    draw(kept, folder)
    click.echo(f"drawn in {folder}")


if __name__ == "__main__":
    main()
