"""`index`: build an index version and serve it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from webapp.cli.common import FOUND_WRONG, Run, chosen_options, command, progress, strategy_options

if TYPE_CHECKING:
    from webapp.core.retrieval.index import BuildReport


@click.command()
@strategy_options
@click.option("--strict", is_flag=True, help="Exit 1 when a file is held back")
@command
def index(
    run: Run, strategy: str | None, size: int | None, overlap: int | None, max_chars: int | None, strict: bool
) -> int:
    """Index the collection's files as they are now."""
    options = chosen_options(size=size, overlap=overlap, max_chars=max_chars)
    with progress() as show:
        report = run.desk().index(strategy, options or None, show)
    data = asdict(report) | {"held_back": [problem.model_dump() for problem in report.held_back]}
    run.say(data, _words(report))
    return FOUND_WRONG if strict and report.held_back else 0


def _words(report: BuildReport) -> str:
    held = [f"held back: {one.path}:{one.line}: {one.problem}" for one in report.held_back]
    counts = f"{report.documents} documents, {report.sections} sections, {report.chunks} chunks"
    done = f"{report.collection}: {counts} ({report.embedded} embedded, {report.unchanged} unchanged)"
    return "\n".join([*held, done, f"version {report.version}, {report.embedder}, {report.seconds:.1f} s"])
