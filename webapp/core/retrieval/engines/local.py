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

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from webapp.core.registry import NoOptions
from webapp.core.retrieval.engine import KEPT, IndexProblem, Manifest
from webapp.core.retrieval.engines._draft import SegmentedDraft
from webapp.core.retrieval.engines._segment import TEXTS, Segment, open_segment, text_file
from webapp.core.retrieval.engines._segment_writer import SegmentWriter
from webapp.core.retrieval.engines._version import SegmentedVersion
from webapp.core.retrieval.engines.base import engines, new_id
from webapp.core.retrieval.files import locked, replace_file

CURRENT = "current"
LOCK = ".lock"
MANIFEST = "manifest.json"
SEGMENTS = "segments"
TRYING = ".trying"  # beside the versions: the index of what is tried
_DRAFT = ".{}.draft"  # a segment that is being written


@engines.register("local", "Files in the instance folder, for one machine")
def _in_folder(options: NoOptions, home: Path) -> IndexFolder:
    return IndexFolder(home)


class LocalDraft(SegmentedDraft):
    """A version whose new segment is a folder of files."""

    def __init__(self, home: Path, manifest: Manifest, base: SegmentedVersion | None) -> None:
        writer = SegmentWriter(home / SEGMENTS / _DRAFT.format(manifest.id), manifest.dim)
        super().__init__(manifest, base, writer)
        self._home = home
        self._written = writer.folder

    def _segment(self, name: str) -> Segment:
        return open_segment(self._written if name == self._manifest.id else self._home / SEGMENTS / name)

    def _keep(self, wrote: bool) -> None:
        id_ = self._manifest.id
        if wrote:
            self._written = self._written.rename(self._home / SEGMENTS / id_)
        (self._home / id_).mkdir()
        replace_file(self._home / id_ / MANIFEST, self._manifest.model_dump_json(indent=1).encode())


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a sealed version. Raises IndexProblem."""
    try:
        return Manifest.model_validate(json.loads((folder / MANIFEST).read_bytes()))
    except (OSError, ValueError) as error:
        raise IndexProblem(f"index version {folder.name} can't be read ({error}); build the index again") from error


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
        self._live: SegmentedVersion | None = None

    def alone(self) -> AbstractContextManager[None]:
        """Hold off everybody else who would build, switch or drop here."""
        return locked(self.folder / LOCK)

    @contextmanager
    def beside(self) -> Iterator[IndexFolder]:
        """Enter with a place for what is only tried; it has the live version to take documents over from, and is gone
        afterwards. What a killed process left there goes when the next one enters."""
        other = IndexFolder(self.folder / TRYING)
        with locked(self.folder / f"{TRYING}.lock"):
            shutil.rmtree(other.folder, ignore_errors=True)
            try:
                with self.alone(), suppress(IndexProblem, OSError):  # without it all is built anew
                    self._lend(other.folder)
                yield other
            finally:
                shutil.rmtree(other.folder, ignore_errors=True)

    def begin(self, manifest: Manifest, after: str | None = None) -> LocalDraft:
        """Start a version, after removing what a killed build left; be `alone`. Documents that the version `after`
        holds may be taken over from there."""
        base = self.open(after) if after else None
        for debris in self._debris():
            shutil.rmtree(debris)
        id_ = new_id(manifest, (path.name for path in self._sealed()))
        return LocalDraft(self.folder, manifest.model_copy(update={"id": id_}), base)

    def _debris(self) -> list[Path]:
        drafts = (self.folder / SEGMENTS).glob(_DRAFT.format("*"))
        unsealed = (folder for folder in self.folder.glob("[0-9]*") if not (folder / MANIFEST).exists())
        return [*drafts, *unsealed]

    def current(self) -> SegmentedVersion | None:
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

    def open(self, version: str) -> SegmentedVersion:
        """Return a sealed version. Raises IndexProblem."""
        folder = self._folder_of(version)
        manifest = read_manifest(folder)
        try:
            segments = [open_segment(self.folder / SEGMENTS / one.name) for one in manifest.segments]
        except (OSError, ValueError, KeyError) as error:
            raise IndexProblem(f"index version {version} is damaged ({error}); build the index again") from error
        return SegmentedVersion(manifest, segments)

    def switch(self, version: str) -> SegmentedVersion:
        """Make a sealed version the live one, in one step. Raises IndexProblem when it is missing or damaged."""
        opened = self.open(version)
        broken = opened.damage()
        if broken:
            raise IndexProblem(f"index version {version} is damaged ({', '.join(broken)}); build the index again")
        replace_file(self.folder / CURRENT, version.encode())
        self._live = opened
        return opened

    def _lend(self, folder: Path) -> None:
        """Make the live version the live one of another folder too, so that a build there takes over what it can and
        changes nothing here. Rows and texts are linked, not copied. Raises IndexProblem, OSError."""
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

    def close(self) -> None:
        """Give back what is open for nobody; whoever asks again opens it anew."""
        self._live = None

    def _readable(self) -> Iterator[SegmentedVersion]:
        """Yield the versions that can be read with all their documents, newest first."""
        for manifest in self.versions():
            with suppress(IndexProblem, OSError, ValueError):
                version = self.open(manifest.id)
                version.documents()
                yield version

    def _prune_segments(self, versions: Iterable[SegmentedVersion]) -> None:
        needed = {held.segment.name for version in versions for held in version.held}
        for folder in (self.folder / SEGMENTS).glob("[0-9]*"):
            if folder.name not in needed:
                shutil.rmtree(folder)

    def _prune_texts(self, versions: Iterable[SegmentedVersion]) -> None:
        needed = {document.text_hash for version in versions for document in version.documents().values()}
        for file in (self.folder / TEXTS).glob("*/*"):
            if file.name not in needed:
                file.unlink()
