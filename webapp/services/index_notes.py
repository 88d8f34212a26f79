"""What processes tell each other about a collection's index, in small files beside its versions."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from webapp.core.retrieval.engine import Manifest
from webapp.core.retrieval.files import replace_file

RETRY = 60.0  # seconds after which files that no index could be built from are tried again: a full disk is mended
LONGEST_RETRY = 3600.0  # each further time takes twice as long, up to this

_CHECKED = "files_checked"  # state of the files that the live version was last compared with
_FAILURE = "files_failed.json"
_DAMAGE = "damage.json"


class Trouble(StrEnum):
    """What can be wrong with an index; pages word it in the reader's language."""

    NONE = "none"  # there is none
    FAILED = "failed"
    CALLED_OFF = "called_off"
    DAMAGED = "damaged"
    BEHIND = "behind"

    @property
    def words(self) -> str:
        """It in a few words, for machines that watch and for logs."""
        return _WORDS[self]


_WORDS = {
    Trouble.NONE: "no index",
    Trouble.FAILED: "no index could be built from the files as they are now",
    Trouble.CALLED_OFF: "older than the files: building from them was called off",
    Trouble.DAMAGED: "the live version was damaged; an older one is served",
    Trouble.BEHIND: "older than the files",
}

Note = TypeVar("Note", bound=BaseModel)


class Failure(BaseModel, frozen=True):
    """Files that no version could be built from. `at` is in seconds since 1970."""

    state: str
    at: float
    times: int = 1  # that they were tried in vain, one time after another
    for_good: bool = False  # called off by an editor: not tried again until the files change or somebody asks

    @property
    def stands(self) -> bool:
        """Tell whether it is too early to try again; not so when the clock went back meanwhile."""
        pause = min(RETRY * 2 ** (self.times - 1), LONGEST_RETRY)
        return self.for_good or 0 <= time.time() - self.at < pause


class Damage(BaseModel, frozen=True):
    """A version that was live until its files were found not to be as they were sealed."""

    version: str
    files: tuple[str, ...]
    chosen: dict[str, Any] = {}  # its strategy and options where they were not the collection's own


def chosen_in(manifest: Manifest | None) -> dict[str, Any]:
    """Return the strategy and options of a version that was cut differently from what its collection says."""
    if manifest is None:
        return {}
    own = (manifest.strategy, manifest.options) == (manifest.config.strategy, manifest.config.options)
    return {} if own else {"strategy": manifest.strategy, "options": manifest.options}


class Notes:
    """The notes of one index. One that can't be read counts as not there."""

    def __init__(self, home: Path) -> None:
        self._home = home

    @property
    def checked(self) -> str:
        """The state of the files that the live version is known to be as new as, "" for none."""
        try:
            return (self._home / _CHECKED).read_text(encoding="ascii")
        except (OSError, ValueError):
            return ""

    def check(self, state: str) -> None:
        """Note that the live version is as new as files in that state; what was wrong before is over."""
        self._put(_CHECKED, state)
        self._forget(_FAILURE)
        self._forget(_DAMAGE)

    @property
    def failure(self) -> Failure | None:
        """The build that failed last, if none has succeeded since."""
        return self._read(_FAILURE, Failure)

    def fail(self, state: str, for_good: bool) -> None:
        """Note that no version could be built from files in that state."""
        before = self.failure
        times = before.times + 1 if before and before.state == state else 1
        self._write(_FAILURE, Failure(state=state, at=time.time(), times=times, for_good=for_good))

    @property
    def damage(self) -> Damage | None:
        """The damaged version that an older one stands in for."""
        return self._read(_DAMAGE, Damage)

    def damaged(self, version: str, files: tuple[str, ...], manifest: Manifest | None) -> None:
        """Note that a version was found damaged; whatever is live now has not been compared with the files."""
        self._forget(_CHECKED)
        self._write(_DAMAGE, Damage(version=version, files=files, chosen=chosen_in(manifest)))

    def _read(self, name: str, kind: type[Note]) -> Note | None:
        try:
            return kind.model_validate_json((self._home / name).read_bytes())
        except (OSError, ValueError):
            return None

    def _write(self, name: str, note: BaseModel) -> None:
        self._put(name, note.model_dump_json())

    def _put(self, name: str, text: str) -> None:
        self._home.mkdir(parents=True, exist_ok=True)  # an engine need not keep anything there itself
        replace_file(self._home / name, text.encode())

    def _forget(self, name: str) -> None:
        (self._home / name).unlink(missing_ok=True)
