"""The local engine: a version is a small file that names its segments, folders of memory-mapped files.

<folder>/current              the id of the live version
<folder>/<version>/           a sealed version
<folder>/segments/<version>/  the rows that the build of that version wrote; later versions may hold them as well
<folder>/segments/.*.draft/   rows being written; debris when nobody holds the build lock
<folder>/texts/               the documents' texts by their hash, shared by the versions

An edit of one page writes the rows of that page, and names the segments of all others again. Small segments are written
anew with it, so that many edits don't leave many segments; so are those of which less than half is still held.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC
from pathlib import Path

from webapp.core.retrieval.engine import IndexProblem, Manifest
from webapp.core.retrieval.engines._draft import LocalDraft
from webapp.core.retrieval.engines._segment import open_segment
from webapp.core.retrieval.engines._version import (
    DRAFT,
    MANIFEST,
    SEGMENTS,
    TEXTS,
    LocalVersion,
    read_manifest,
    text_file,
)
from webapp.core.retrieval.files import replace_file

CURRENT = "current"
KEPT = 5  # versions: the live one and the newest others


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:  # a file system without links
        shutil.copyfile(source, target)


class IndexFolder:
    """The versions of one collection's index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._live: LocalVersion | None = None

    def begin(self, manifest: Manifest, after: str | None = None) -> LocalDraft:
        """Start a version, after removing what a killed build left. Hold the build lock.

        Documents of the version `after` may be taken over.
        """
        base = self.open(after) if after else None
        for debris in self._debris():
            shutil.rmtree(debris)
        return LocalDraft(self.folder, manifest.model_copy(update={"id": self._new_id(manifest)}), base)

    def _debris(self) -> list[Path]:
        drafts = (self.folder / SEGMENTS).glob(DRAFT.format("*"))
        unsealed = (folder for folder in self.folder.glob("[0-9]*") if not (folder / MANIFEST).exists())
        return [*drafts, *unsealed]

    def _new_id(self, manifest: Manifest) -> str:
        """An id that sorts by age and reads as a time: 20250131-120000-000-<corpus hash>."""
        newest = max((path.name for path in self._sealed()), default="")
        created = manifest.created_at.astimezone(UTC)
        stamp = f"{created:%Y%m%d-%H%M%S}-{created.microsecond // 1000:03}"
        if stamp <= newest[: len(stamp)]:  # the clock went back, or two builds in one millisecond
            stamp = newest[: len(stamp) - 3] + f"{int(newest[len(stamp) - 3 : len(stamp)]) + 1:03}"
        return f"{stamp}-{manifest.corpus_hash[:8]}"

    def current(self) -> LocalVersion | None:
        """Return the live version, None when there is none yet. Reading it once per request is enough and cheap."""
        version = self.live_id()
        if not version:
            return None
        live = self._live
        if live is None or live.manifest.id != version:
            live = self._live = self.open(version)
        return live

    def live_id(self) -> str:
        """Return the id of the live version, whether or not it can be read; "" when there is none yet."""
        try:
            return (self.folder / CURRENT).read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    def versions(self) -> list[Manifest]:
        """Return the sealed versions that can be read, newest first."""
        found = []
        for folder in sorted(self._sealed(), reverse=True):
            with suppress(IndexProblem):
                found.append(read_manifest(folder))
        return found

    def _sealed(self) -> list[Path]:
        return [file.parent for file in self.folder.glob("[0-9]*/" + MANIFEST)]

    def open(self, version: str) -> LocalVersion:
        """Return a sealed version. Raises IndexProblem."""
        folder = self._folder_of(version)
        manifest = read_manifest(folder)
        try:
            segments = [open_segment(self.folder / SEGMENTS / one.name) for one in manifest.segments]
        except (OSError, ValueError, KeyError) as error:
            raise IndexProblem(f"index version {version} is damaged ({error}); build the index again") from error
        return LocalVersion(manifest, segments, self.folder / TEXTS)

    def switch(self, version: str) -> LocalVersion:
        """Make a sealed version the live one, in one step. Raises IndexProblem when it is missing or damaged."""
        opened = self.open(version)
        broken = opened.damage()
        if broken:
            raise IndexProblem(f"index version {version} is damaged ({', '.join(broken)}); build the index again")
        replace_file(self.folder / CURRENT, version.encode())
        self._live = opened
        return opened

    def lend(self, folder: Path) -> None:
        """Make the live version the live one of another folder too, so that a build there takes over what it can and
        changes nothing here. Rows and texts are linked, not copied. Hold the build lock. Raises IndexProblem, OSError.
        """
        live = self.current()
        if live is None:
            return
        for name in (live.manifest.id, *(f"{SEGMENTS}/{one.name}" for one in live.manifest.segments)):
            shutil.copytree(self.folder / name, folder / name, copy_function=_link)
        for hash_ in {document.text_hash for document in live.documents().values()}:
            file = text_file(folder / TEXTS, hash_)
            file.parent.mkdir(parents=True, exist_ok=True)
            _link(text_file(self.folder / TEXTS, hash_), file)
        replace_file(folder / CURRENT, live.manifest.id.encode(), durable=False)

    def drop(self, version: str) -> None:
        """Remove a version that isn't live. Raises IndexProblem."""
        if version == self.live_id():
            raise IndexProblem(f"index version {version} is live; switch to another one first")
        shutil.rmtree(self._folder_of(version))

    def discard(self, version: str) -> None:
        """Remove a damaged version, also the live one: then there is none."""
        if version == self.live_id():
            (self.folder / CURRENT).unlink()
        with suppress(IndexProblem):  # its manifest is gone as well: the next build removes the rest
            shutil.rmtree(self._folder_of(version))

    def _folder_of(self, version: str) -> Path:
        folder = self.folder / version
        if folder not in self._sealed():
            known = ", ".join(sorted(path.name for path in self._sealed())) or "none yet"
            raise IndexProblem(f"there is no index version {version!r}; there are: {known}")
        return folder

    def prune(self) -> list[str]:
        """Drop all versions but the live one and the newest others, KEPT in all, those that can't be read, and
        segments and texts that none of the rest needs."""
        live = self.current()
        assert live is not None  # a build has just switched to it
        others = [version for version in self._readable() if version.manifest.id != live.manifest.id]
        kept = {version.manifest.id: version for version in (live, *others[: KEPT - 1])}
        dropped = [folder for folder in self._sealed() if folder.name not in kept]
        for folder in dropped:
            shutil.rmtree(folder)
        self._prune_segments(kept.values())
        self._prune_texts(kept.values())
        return sorted(folder.name for folder in dropped)

    def _readable(self) -> Iterator[LocalVersion]:
        """Yield the versions that can be read with all their documents, newest first."""
        for manifest in self.versions():
            with suppress(IndexProblem, OSError, ValueError):
                version = self.open(manifest.id)
                version.documents()
                yield version

    def _prune_segments(self, versions: Iterable[LocalVersion]) -> None:
        needed = {held.segment.name for version in versions for held in version.held}
        for folder in (self.folder / SEGMENTS).glob("[0-9]*"):
            if folder.name not in needed:
                shutil.rmtree(folder)

    def _prune_texts(self, versions: Iterable[LocalVersion]) -> None:
        needed = {document.text_hash for version in versions for document in version.documents().values()}
        for file in (self.folder / TEXTS).glob("*/*"):
            if file.name not in needed:
                file.unlink()
