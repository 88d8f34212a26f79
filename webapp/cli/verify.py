"""`verify`: is every chunk of every strategy exactly what its lines say?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webapp.cli.common import FOUND_WRONG, Run, command

if TYPE_CHECKING:
    from webapp.core.chunking.verify import VerifyReport

EXAMPLES = 3  # of each kind
_OWN_WORDS = re.compile(r"'[^']*'|\"[^\"]*\"|\d+|(?<!\S)\S+\.md\b")  # what differs between two findings of one kind


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
    """Return a line for each kind of finding, with how often it was found and where first, and the sum."""
    found = [("held back", one.problem, _place(one.path, one.line)) for one in report.held_back]
    found += [("note", one.problem, _place(one.path, one.line)) for one in report.notes]
    found += [("inexact", f"{one.why} ({one.strategy})", f"{one.path}: {one.chunk}") for one in report.inexact]
    found += [("in no chunk", one.strategy, _place(one.path, one.line)) for one in report.uncovered]
    kinds: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for kind, why, place in found:
        kinds.setdefault((kind, _OWN_WORDS.sub("…", why)), []).append((why, place))
    lines = [_line(kind, members) for (kind, _), members in kinds.items()]
    return "\n".join([*lines, f"{report.files} files, {report.exact} of {report.chunks} chunks exact"])


def _place(path: str, line: int) -> str:
    return f"{path}:{line}" if line else path


def _line(kind: str, members: list[tuple[str, str]]) -> str:
    places = ", ".join(place for _, place in members[:EXAMPLES])
    more = f" and {len(members) - EXAMPLES} more" if len(members) > EXAMPLES else ""
    return f"{kind} ({len(members)}): {members[0][0]}: {places}{more}"
