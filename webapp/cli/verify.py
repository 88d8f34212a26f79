"""`verify`: is every chunk of every strategy exactly what its lines say?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webapp.cli.common import FOUND_WRONG, Run, command

if TYPE_CHECKING:
    from webapp.core.chunking.verify import VerifyReport


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@command
def verify(run: Run, paths: tuple[Path, ...]) -> int:
    """Cut the files of PATH with every strategy, and check each chunk against the bytes of its file."""
    from webapp.core.chunking.verify import verify as check

    report = check(paths)
    run.say(report.model_dump(), _words(report))
    return 0 if report.sound else FOUND_WRONG


def _words(report: VerifyReport) -> str:
    held = [f"held back: {one.path}:{one.line}: {one.problem}" for one in report.held_back]
    wrong = [f"inexact: {one.path}: {one.chunk} ({one.strategy}): {one.why}" for one in report.inexact]
    bare = [f"in no chunk: {one.path}:{one.line} ({one.strategy})" for one in report.uncovered]
    return "\n".join([*held, *wrong, *bare, f"{report.files} files, {report.exact} of {report.chunks} chunks exact"])
