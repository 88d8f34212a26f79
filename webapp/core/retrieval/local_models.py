"""Models in a folder of this machine: what has to be there, and what tells one model from another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from webapp.core.registry import PartUnavailable

_TOLD_BY = 1 << 20  # bytes read of each file: no two trainings of a model agree in its first megabyte


@dataclass(frozen=True, slots=True)
class Needs:
    """What a part that runs a model here needs: packages, and the extra of this project that installs them."""

    part: str  # as in "the embedder fastembed"
    options: str  # key of collection.toml where its options stand
    packages: tuple[str, ...]
    extra: str

    def folder(self, path: str) -> Path:
        """Return the model's folder. Raises PartUnavailable, naming all that is missing at once."""
        folder = Path(path).expanduser()
        missing = []
        if any(find_spec(package) is None for package in self.packages):
            missing.append(f"install it with: pip install 'evidencedesk[{self.extra}]'")
        if not path:
            missing.append(f"set path under [{self.options}] in collection.toml to the folder of a model")
        elif not folder.is_dir():
            missing.append(f"{folder} is not a folder: correct path under [{self.options}] in collection.toml")
        if missing:
            raise PartUnavailable(f"{self.part} can't be used yet; {'; and '.join(missing)}")
        return folder

    def unusable(self, folder: Path, error: Exception) -> PartUnavailable:
        """Return what to raise when the folder's model can't be loaded or run."""
        why = " ".join(str(error).split())[:200]
        return PartUnavailable(f"{self.part} can't use the model in {folder} ({why or type(error).__name__})")


def fingerprint(folder: Path, options: str) -> str:
    """Return eight digits that change with the files of a model, or with the options it is run with.

    The folder's own place doesn't count: a model that is moved is still the same.
    """
    told = hashlib.sha256(options.encode())
    for file in _model_files(folder):
        told.update(f"\0{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as opened:
            told.update(opened.read(_TOLD_BY))
    return told.hexdigest()[:8]


def whole_characters(text: str) -> str:
    """Return the text without lone halves of character pairs: a tokenizer would refuse the whole batch for one."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _model_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.is_file() and not hidden and file.suffix != ".md":
            yield file
