"""`convert`: HTML, DOCX and PDF become Markdown files beside them, which are then read like any other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webapp.cli.common import Run, command, progress

if TYPE_CHECKING:
    from webapp.core.documents.convert import Conversion


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--into", metavar="DIR", type=click.Path(path_type=Path), help="Where to write; default: beside the originals"
)
@command
def convert(run: Run, paths: tuple[Path, ...], into: Path | None) -> None:
    """Turn HTML, DOCX and PDF files of PATH into Markdown: guide.pdf becomes guide.pdf.md."""
    from webapp.core.documents.convert import convert as converted

    done: list[Conversion] = []
    with progress() as report:
        for one in converted(paths, into):
            done.append(one)
            report("files", len(done), len(done))
    run.say({"files": list(map(_row, done))}, _words(done))


def _row(one: Conversion) -> dict[str, Any]:
    return {
        "path": str(one.original),
        "stored": str(one.stored),
        "outcome": one.outcome.value,
        "problem": one.problem,
    }


def _words(done: Sequence[Conversion]) -> str:
    told = [f"{one.outcome}: {one.original}: {one.problem or one.stored}" for one in done if one.outcome != "unchanged"]
    unchanged = len(done) - len(told)
    return "\n".join([*told, f"{len(done)} files, {unchanged} of them unchanged"])
