"""Committing one file in the repository that a collection's folder is part of."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webapp.core.documents.lines import fold

_PATIENCE = 60  # seconds; a hook of the repository may take its time
_NOBODY = "evidencedesk"


@dataclass(frozen=True, slots=True)
class Commit:
    """What came of it: the commit's short name, or what git said when it failed; neither outside a repository."""

    state: Literal["committed", "failed", "none"]
    words: str = ""


class _GitFailed(Exception):
    """What git said."""


def commit_file(folder: Path, path: str, author: str, message: str) -> Commit:
    """Commit the file at `path` in the folder, and nothing else that may be staged. `author` is an e-mail address.

    A file that is as it was committed, perhaps by an earlier try, counts as committed.
    """
    if not _is_repository(folder):
        return Commit("none")
    try:
        if _git(folder, author, "status", "--porcelain", "--ignored", "--", path):
            _git(folder, author, "add", "--", path)
            _git(folder, author, "commit", "--quiet", f"--message={message}", "--only", "--", path)
        return Commit("committed", _git(folder, author, "log", "-1", "--format=%h", "--", path))
    except _GitFailed as error:
        return Commit("failed", str(error))


def _is_repository(folder: Path) -> bool:
    try:
        return _git(folder, _NOBODY, "rev-parse", "--is-inside-work-tree") == "true"
    except _GitFailed:
        return False


def _git(folder: Path, author: str, *arguments: str) -> str:
    """Run git on paths as they are spelt, without asking anybody anything. Raises _GitFailed."""
    command = ["git", "--literal-pathspecs", "-C", str(folder), *arguments]
    name = author.translate({ord(char): None for char in "<>\n\r\0"}) or _NOBODY
    who = {f"GIT_{role}_{what}": name for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
            env=os.environ | who | quiet,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise _GitFailed(fold(str(error))) from error
    if done.returncode:
        raise _GitFailed(fold((done.stderr or done.stdout).decode("utf-8", "replace")) or "git failed without a word")
    return done.stdout.decode("utf-8", "replace").strip()
