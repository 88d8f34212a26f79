"""When the files of a folder were last committed, for documents that do not say when they were updated."""

from __future__ import annotations

import subprocess
from datetime import date
from pathlib import Path

_PATIENCE = 10  # seconds; without an answer by then there are no dates
_DAY = "\0"  # stands before the day of each commit


def git_dates(folder: Path) -> dict[str, date]:
    """Return the day of the last commit for each path below the folder; {} when it is in no repository."""
    command = ["git", "-C", str(folder), "-c", "core.quotepath=false", "log", "--format=%x00%cs", "--name-only"]
    try:
        done = subprocess.run([*command, "--relative", "--", "."], capture_output=True, timeout=_PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    days: dict[str, date] = {}
    day = date.min
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith(_DAY):
            day = date.fromisoformat(line[1:])
        elif line:
            days.setdefault(line, day)  # the newest commit comes first
    return days
