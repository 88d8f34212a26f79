"""The index of one collection: built when it is missing or older than the files, switched, rolled back."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from webapp.core.answering.sufficiency import calibration_of
from webapp.core.documents.config import CollectionConfig, read_config
from webapp.core.documents.model import Collection
from webapp.core.retrieval.chosen import chosen_embedder, chosen_reranker
from webapp.core.retrieval.engine import IndexProblem, IndexVersion, Manifest
from webapp.core.retrieval.engines.local import IndexFolder
from webapp.core.retrieval.files import replace_file
from webapp.core.retrieval.index import FORMAT, BuildReport, Progress, build, is_stale
from webapp.core.retrieval.model import Retrieval, Sufficiency
from webapp.services.files import Watch

log = logging.getLogger(__name__)

# Shown a finished version and what judges its evidence, before it goes live; if it raises, the version doesn't.
Approve = Callable[[IndexVersion, Callable[[Retrieval], Sufficiency]], None]

PATIENCE = 5.0  # seconds that a question waits for an index of files that have changed
RETRY = 60.0  # seconds after which files that no index could be built from are tried again: a full disk is mended
_CHECKED = "files_checked"  # state of the files that the live version was last compared with


class CollectionIndex:
    """What is served of a folder of documents. Safe to use from several threads and processes at once."""

    def __init__(self, folder: Path, instance: Path, key: str, calibrates: bool = True) -> None:
        self.folder = folder
        self._home = instance / "indexes" / key
        self.vectors = instance / "vectors"
        self._calibrates = calibrates  # on the collection's golden set
        self._versions = IndexFolder(self._home)
        self._watch = Watch(folder)
        self._building = threading.Lock()
        self._starting = threading.Lock()
        self._builder: threading.Thread | None = None
        self._failed = ""  # state of the files that no version could be built from
        self._retry_at = 0.0
        self._files: tuple[str, Collection] | None = None

    @property
    def config(self) -> CollectionConfig:
        """The collection's settings as the live version read them; before there is one, as the folder has them."""
        live = self._live()
        return live.manifest.config if live else read_config(self.folder)

    def live(self) -> IndexVersion:
        """Return the live version, brought up to date with the files. Raises IndexProblem when there is none.

        What takes longer than readers wait, goes on while the last good version serves; so does that version when
        none can be built from the files as they are. `problem` says so.
        """
        if self._wants_building(self._state()):
            self._catch_up()
        version = self._live()
        if version is None:
            raise IndexProblem(f"there is no index of {self.folder}; run: evidencedesk index")
        return version

    def ensure(self, progress: Progress | None = None) -> BuildReport | None:
        """Build a version when there is none or the files have changed. Raises what `build` raises."""
        state = self._state()
        if not self._wants_building(state):
            return None
        with self._building:
            try:
                return self._update(state, progress)
            except Exception:
                self._failed, self._retry_at = state, time.monotonic() + RETRY
                raise

    def build(
        self, strategy: str | None = None, options: Mapping[str, int] | None = None, progress: Progress | None = None
    ) -> BuildReport:
        """Build a version from the files as they are now and serve it; the live one when it already is that.

        Raises CollectionError, IndexProblem, PartUnavailable, ValueError for strategies and options.
        """
        self._watch.look()
        with self._building:
            return self._build(self._state(), progress, strategy=strategy, options=options)

    def publish(self, instead: Mapping[str, bytes], approve: Approve, progress: Progress | None = None) -> BuildReport:
        """Build a version of the files with those `instead`, cut as the live one, and serve it.

        `approve` is shown the version before anybody else sees it, and is to write the files; nobody builds meanwhile.
        What it raises is passed on, and the live version stays. Raises as `build` does.
        """
        with self._building:
            chosen = _chosen(self._current()) | {"force": True}  # also back to what is served after a rollback
            report = self._build_from(self._with(instead), self._home, progress, approve, **chosen)
            self._note(f"{FORMAT}-{self._watch.look()}")
        return report

    @contextmanager
    def trying(self, instead: Mapping[str, bytes], progress: Progress | None = None) -> Iterator[IndexVersion]:
        """Enter with a version of the files with those `instead`, as `publish` would build it; it is gone afterwards,
        and nothing else is touched. Raises as `build` does."""
        with TemporaryDirectory(prefix="evidencedesk-") as place:
            self._build_from(self._with(instead), Path(place), progress, **_chosen(self._current()))
            version = IndexFolder(Path(place)).current()
            assert version is not None  # it has just been built
            yield version

    def files(self) -> Collection:
        """Return the folder as it is now, read again only when something has changed. Raises CollectionError."""
        from webapp.core.documents.collection import load_collection  # a command that only asks reads no files

        state, known = self._state(), self._files
        if known is None or known[0] != state:
            known = self._files = state, load_collection(self.folder)
        return known[1]

    def versions(self) -> list[Manifest]:
        """Return the versions that can be served, newest first."""
        return [manifest for manifest in self._versions.versions() if manifest.format == FORMAT]

    def texts_of(self, document_id: str) -> Iterator[str]:
        """Yield what a document said in each version that is kept and has it, newest first."""
        for manifest in self.versions():
            with suppress(IndexProblem, OSError, KeyError):
                yield self._versions.open(manifest.id).document_text(document_id)

    def served(self) -> Manifest | None:
        """Return what the live version says about itself, whether or not it is as new as the files."""
        live = self._live()
        return live.manifest if live else None

    def switch(self, version: str) -> Manifest:
        """Serve another version, until the files change. Raises IndexProblem."""
        with self._building:
            known = [manifest.id for manifest in self.versions()]
            if version not in known:
                there_are = ", ".join(known) or "none yet"
                raise IndexProblem(f"there is no index version {version!r} to serve; there are: {there_are}")
            manifest = self._versions.switch(version).manifest
            self._note(self._state())
        return manifest

    def problem(self) -> str:
        """Say what is wrong with the index, in a few words; "" when it is as new as the files."""
        state = self._state()
        if self._live() is None:
            return "no index"
        if state == self._failed:
            return "no index could be built from the files as they are now"
        return "" if state == self._checked() else "older than the files"

    def _catch_up(self) -> None:
        """Have a thread of its own build, and wait for it; for the first version, as long as it takes."""
        with self._starting:
            if self._builder is None or not self._builder.is_alive():
                self._builder = threading.Thread(
                    target=self._try_to_ensure, name=f"index {self.folder.name}", daemon=True
                )
                self._builder.start()
            builder = self._builder
        builder.join(PATIENCE if self._live() else None)

    def _try_to_ensure(self) -> None:
        try:
            self.ensure()
        except Exception:
            log.exception("no index could be built from %s; the last one stays", self.folder)

    def _update(self, state: str, progress: Progress | None) -> BuildReport | None:
        """Build unless somebody just has, or the files were only touched. A strategy chosen on purpose stays."""
        live = self._current()
        if live is not None and (state == self._checked() or not self._is_stale(live)):
            self._note(state)
            return None
        return self._build(state, progress, **_chosen(live))

    def _is_stale(self, live: IndexVersion) -> bool:
        collection = self.files()
        return is_stale(live, collection, chosen_embedder(collection.config).name)

    def _build(self, state: str, progress: Progress | None, **chosen: Any) -> BuildReport:
        report = self._build_from(self.files(), self._home, progress, **chosen)
        self._note(state)
        return report

    def _build_from(
        self,
        collection: Collection,
        home: Path,
        progress: Progress | None,
        approve: Approve | None = None,
        **chosen: Any,
    ) -> BuildReport:
        chosen_reranker(collection.config)  # one that can't be had would fail every question
        return build(
            collection,
            home,
            chosen_embedder(collection.config),
            cache=self.vectors,
            progress=progress,
            validate=partial(self._calibrated, collection, approve),
            **chosen,
        )

    def _calibrated(
        self, collection: Collection, approve: Approve | None, version: IndexVersion
    ) -> Mapping[str, Any] | None:
        """Return what the golden set teaches about a version, once it is approved with that."""
        taught = self._calibration(collection, version) if self._calibrates else None
        if approve:
            approve(version, calibration_of(version.manifest.model_copy(update={"calibration": taught})).judge)
        return taught

    def _calibration(self, collection: Collection, version: IndexVersion) -> Mapping[str, Any] | None:
        from webapp.services.measuring import calibration_for  # most processes never build

        return calibration_for(version, collection, self.vectors)

    def _with(self, instead: Mapping[str, bytes]) -> Collection:
        from webapp.core.documents.collection import load_collection

        return load_collection(self.folder, instead)

    def _wants_building(self, state: str) -> bool:
        """Tell whether a version is to be built for files in that state; what has just failed, is not tried again."""
        given_up = state == self._failed and time.monotonic() < self._retry_at
        return not given_up and state != self._checked()

    def _live(self) -> IndexVersion | None:
        """Return the live version; one that an older program built counts as none, since it can't be read any more."""
        version = self._current()
        return version if version is not None and version.manifest.format == FORMAT else None

    def _current(self) -> IndexVersion | None:
        """Return the version that is marked as live, of whatever format; a damaged one counts as none."""
        try:
            return self._versions.current()
        except IndexProblem as problem:
            log.warning("%s: %s", self.folder.name, problem)
            return None

    def _state(self) -> str:
        return f"{FORMAT}-{self._watch.state()}"

    def _checked(self) -> str:
        try:
            return (self._home / _CHECKED).read_text(encoding="ascii") if self._live() else ""
        except OSError:
            return ""

    def _note(self, state: str) -> None:
        replace_file(self._home / _CHECKED, state.encode("ascii"))


def _chosen(live: IndexVersion | None) -> dict[str, Any]:
    """Return the strategy and options of a version that was cut differently from what its collection says."""
    if live is None:
        return {}
    manifest = live.manifest
    own = (manifest.strategy, manifest.options) == (manifest.config.strategy, manifest.config.options)
    return {} if own else {"strategy": manifest.strategy, "options": manifest.options}
