"""Which folders are served as collections, under which names."""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass
from pathlib import Path

from webapp.core.documents.config import CollectionError, read_config
from webapp.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """A collection's folder, its name in addresses, and its name inside the instance folder."""

    name: str
    folder: Path
    key: str


def places(settings: Settings, alone: bool) -> tuple[Place, ...]:
    """Return the collections to serve, the default first: all of the corpus, or that one `alone`.

    A folder from elsewhere is always alone. Raises CollectionError.
    """
    name = settings.collection
    beside = _corpus_folders(settings.corpus)
    if name in beside:
        others = () if alone else tuple(folder for folder in beside.values() if folder.name != name)
        return _apart([_place(beside[name]), *filter(None, map(_place_or_none, others))])
    folder = Path(name).expanduser()
    if not folder.is_dir():
        known = ", ".join(beside) or "none"
        raise CollectionError(f"there is no collection {name!r}; give the path of a folder, or one of: {known}")
    return (_place(folder, elsewhere=True),)


def _corpus_folders(corpus: Path) -> dict[str, Path]:
    found = sorted(corpus.iterdir()) if corpus.is_dir() else []
    return {folder.name: folder for folder in found if folder.is_dir() and not folder.name.startswith(".")}


def _place(folder: Path, elsewhere: bool = False) -> Place:
    folder = folder.resolve()
    name = read_config(folder).name
    if "/" in name:
        raise CollectionError(f"{folder}: a collection's name stands in addresses, so it can't hold a slash: {name!r}")
    suffix = f"-{hashlib.sha256(str(folder).encode('utf-8', 'surrogateescape')).hexdigest()[:8]}" if elsewhere else ""
    return Place(name, folder, re.sub(r"[^\w.-]", "_", name) + suffix)


def _apart(found: list[Place]) -> tuple[Place, ...]:
    """Leave out a collection that would share its name, or the place of its index, with one before it."""
    kept: dict[str, Place] = {}
    for place in found:
        before = kept.setdefault(place.key, place)
        if before is not place:
            log.error("%s is not served: %s has the same name; give it another one", place.folder, before.folder)
    return tuple(kept.values())


def _place_or_none(folder: Path) -> Place | None:
    """One broken collection.toml doesn't stop the other collections."""
    try:
        return _place(folder)
    except CollectionError as error:
        log.error("this collection is not served: %s", error)
        return None
