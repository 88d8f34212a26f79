"""The index of one collection: built when it is missing or older than the files, switched, rolled back."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

from webapp.core.answering.sufficiency import calibration_of
from webapp.core.documents.config import CollectionConfig, read_config
from webapp.core.documents.model import Collection
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.chosen import chosen_embedder, chosen_reranker
from webapp.core.retrieval.engine import Engine, IndexProblem, IndexVersion, Manifest
from webapp.core.retrieval.index import FORMAT, BuildReport, Progress, build, is_stale
from webapp.core.retrieval.model import Retrieval, Sufficiency
from webapp.services.aside import aside
from webapp.services.files import Watch
from webapp.services.index_notes import Notes, Trouble, chosen_in
from webapp.services.index_versions import IndexVersions
from webapp.services.moment import forget, known, once
from webapp.services.work.base import Cancelled

log = logging.getLogger(__name__)

# Shown a finished version and what judges its evidence, before it goes live; if it raises, the version doesn't.
Approve = Callable[[IndexVersion, Callable[[Retrieval], Sufficiency]], None]

PATIENCE = 5.0  # seconds after a change of the files during which questions wait for an index of them
MOST_WAITING = 2  # requests that do so at once; the others are answered from the last version, lest all of them wait
QUIET = 1.0  # seconds without a change after which a burst of changes counts as over
BURST = 30.0  # seconds that a burst is waited for at most
_LOOK = 0.05  # seconds between two looks at what another process builds


class CollectionIndex:
    """What is served of a folder of documents. Safe to use from several threads and processes at once."""

    def __init__(self, folder: Path, engine: Engine, home: Path, vectors: Path, calibrates: bool = True) -> None:
        """`home` is the folder where processes of this machine tell each other about the index."""
        self.folder = folder
        self.vectors = vectors
        self._engine = engine
        self._calibrates = calibrates  # on the collection's golden set
        self._notes = Notes(home)
        self._versions = IndexVersions(engine, self._notes)
        self._watch = Watch(folder)
        self._building = threading.Lock()
        self._starting = threading.Lock()
        self._patient = threading.Semaphore(MOST_WAITING)
        self._builder: threading.Thread | None = None
        self._behind_since: float | None = None  # when a question first met files newer than the index
        self.elsewhere: Callable[[], object] | None = None  # asks another process to build; None: this one builds
        self._files: tuple[str, Collection] | None = None
        self._compared = ""  # the version that was last found to be as new as the files, or not to be

    @property
    def config(self) -> CollectionConfig:
        """The collection's settings as the live version read them; before there is one, as the folder has them."""
        live = known(self) or self._versions.live()
        return live.manifest.config if live else read_config(self.folder)

    def live(self) -> IndexVersion:
        """Return the live version, brought up to date with the files; within one moment, always the same. Raises
        IndexProblem when there is none.

        What takes longer than readers wait, goes on while the last good version serves; so does that version when
        none can be built from the files as they are. `problem` says so.
        """
        return once(self, self._live_now)

    def _live_now(self) -> IndexVersion:
        behind, version = self._look()
        if behind:
            self._catch_up()
            version = self._versions.live()
        else:
            self._behind_since = None
            self._compared = version.manifest.id if version else ""
        if version is None:
            raise IndexProblem(f"there is no index of {self.folder}; run: evidencedesk index")
        return version

    def is_behind(self) -> bool:
        """Tell whether a version is to be built: there is none as new as the files, and trying makes sense.

        Files that no version could be built from are not tried again at once, nor those whose build was called off.
        """
        return self._look()[0]

    def _look(self) -> tuple[bool, IndexVersion | None]:
        """Return that, and the live version."""
        state, checked = self._state(), self._notes.checked  # what is noted of a version, is so after its switch
        version = self._versions.live()
        current = version is not None and state == checked
        return not current and not self._has_given_up(state), version

    def _has_given_up(self, state: str) -> bool:
        failure = self._notes.failure
        return failure is not None and failure.state == state and failure.stands

    def is_current(self) -> bool:
        """Tell whether the live version is as new as the files are at this moment."""
        self._watch.look()
        return self._state() == self._checked()

    def settle(self, progress: Progress | None = None) -> None:
        """Wait until the files have not changed for a moment, so that a burst of changes is indexed once."""
        start, seen = time.monotonic(), self._watch.look()
        while time.monotonic() < start + BURST:
            if progress:
                progress("waiting", 0, 0)
            time.sleep(QUIET)
            before, seen = seen, self._watch.look()
            if seen == before:
                return

    def ensure(self, progress: Progress | None = None) -> BuildReport | None:
        """Build a version when there is none or the files have changed. Raises what `build` raises."""
        state = self._state()
        if state == self._checked():
            return None
        with self._building, self._noting_failure(state):
            return self._update(state, progress)

    def build(
        self,
        strategy: str | None = None,
        options: Mapping[str, int] | None = None,
        progress: Progress | None = None,
        approve: Approve | None = None,
        author: str = "",
    ) -> BuildReport:
        """Build a version from the files as they are now and serve it; the live one when it already is that.

        `approve` is shown the version before anybody else sees it; what it raises is passed on, and the live version
        stays. Raises CollectionError, IndexProblem, PartUnavailable, ValueError for strategies and options.
        """
        self._watch.look()
        forget(self)
        with self._building:
            return self._build(self._state(), progress, approve, strategy=strategy, options=options, author=author)

    def publish(
        self, instead: Mapping[str, bytes], approve: Approve, progress: Progress | None = None, author: str = ""
    ) -> BuildReport:
        """Build a version of the files with those `instead`, cut as the live one, and serve it.

        `approve` is shown the version before anybody else sees it, and is to write the files; nobody builds meanwhile.
        What it raises is passed on, and the live version stays. Raises as `build` does.
        """
        with self._building:
            chosen = self._chosen() | {"force": True, "author": author}  # also back to what is served after a rollback
            report = self._build_from(self._with(instead), self._engine, progress, approve, **chosen)
            self._update(f"{FORMAT}-{self._watch.look()}", None)  # another file may have changed meanwhile
        forget(self)
        return report

    @contextmanager
    def trying(self, instead: Mapping[str, bytes], progress: Progress | None = None) -> Iterator[IndexVersion]:
        """Enter with a version of the files with those `instead`, as `publish` would build it; it is gone afterwards,
        and nothing else is touched. Raises as `build` does."""
        with self._engine.beside() as other:
            self._build_from(self._with(instead), other, progress, **self._chosen())
            version = other.current()
            assert version is not None  # it has just been built
            yield version

    def files(self) -> Collection:
        """Return the folder as it is now, read again only when something has changed. Raises CollectionError."""
        from webapp.core.documents.collection import load_collection  # a command that only asks reads no files

        state, known = self._state(), self._files
        if known is None or known[0] != state:
            known = self._files = state, load_collection(self.folder, known=known[1] if known else None)
        return known[1]

    def versions(self) -> list[Manifest]:
        """Return the versions that can be served, newest first."""
        return self._versions.manifests()

    def version(self, version: str) -> IndexVersion:
        """Return a version that can be served. Raises IndexProblem."""
        return self._versions.open(version)

    def texts_of(self, document_id: str) -> Iterator[str]:
        """Yield what a document said in each version that is kept and has it, newest first."""
        for manifest in self.versions():
            with suppress(IndexProblem, OSError, KeyError):
                yield self._versions.open(manifest.id).document_text(document_id)

    def served(self) -> Manifest | None:
        """Return what the live version says about itself, whether or not it is as new as the files."""
        live = self._versions.live()
        return live.manifest if live else None

    def served_version(self) -> IndexVersion | None:
        """Return the live version, whether or not it is as new as the files."""
        return self._versions.live()

    def switch(self, version: str) -> Manifest:
        """Serve another version, until the files change. Raises IndexProblem."""
        with self._building:
            manifest = self._versions.switch(version)
            self._notes.check(self._state())
        forget(self)
        return manifest

    def trouble(self) -> Trouble | None:
        """Return what is wrong with the index; None when it is as new as the files."""
        state, failure = self._state(), self._notes.failure
        if self._versions.live() is None:
            return Trouble.NONE
        if failure is not None and failure.state == state:
            return Trouble.CALLED_OFF if failure.for_good else Trouble.FAILED
        if self._notes.damage:
            return Trouble.DAMAGED
        return None if state == self._checked() else Trouble.BEHIND

    def problem(self) -> str:
        """Say what is wrong with the index, in a few words; "" when it is as new as the files."""
        try:
            trouble = self.trouble()
        except PartUnavailable as away:
            return str(away)
        return trouble.words if trouble else ""

    def verify(self) -> bool:
        """Find out whether the live version is damaged; return whether it was. The newest sound version then stands in
        for it, and `problem` says so until a version is built. Reads all of its files: nothing for a quick command."""
        return self._versions.verify()

    def _catch_up(self) -> None:
        """Have a version built, and wait for it; for the first one, as long as it takes."""
        if self._behind_since is None:
            self._behind_since = time.monotonic()
        left = max(0.0, self._behind_since + PATIENCE - time.monotonic())
        if not self._versions.live():
            self._have_built(left)
        elif self._patient.acquire(blocking=False):
            try:
                with aside() if left else nullcontext():
                    self._have_built(left)
            finally:
                self._patient.release()

    def _have_built(self, left: float) -> None:
        if self.elsewhere:
            self._wait_elsewhere(self.elsewhere, left)
        else:
            self._start_building().join(left if self._versions.live() else None)

    def _start_building(self) -> threading.Thread:
        with self._starting:
            if self._builder is None or not self._builder.is_alive():
                self._builder = threading.Thread(
                    target=self._try_to_ensure, name=f"index {self.folder.name}", daemon=True
                )
                self._builder.start()
            return self._builder

    def _wait_elsewhere(self, ask: Callable[[], object], seconds: float) -> None:
        over = time.monotonic() + seconds
        if seconds and not self._was_built() and not self._is_asked_for(ask):
            return
        while self.is_behind() and not self._was_built() and time.monotonic() < over:
            time.sleep(_LOOK)

    def _is_asked_for(self, ask: Callable[[], object]) -> bool:
        try:
            ask()
        except Exception:
            log.exception("no index of %s could be asked for; the last one stays", self.folder)
            return False
        return True

    def _was_built(self) -> bool:
        """Find out whether another machine, whose notes aren't read here, has built a version from the same files.

        Reading them takes time, so each version is compared with them once."""
        live = self._versions.live()
        if live is None or live.manifest.id == self._compared:
            return False
        self._compared = live.manifest.id
        state = self._state()
        if self._is_stale(live):
            return False
        self._notes.check(state)
        return True

    def _try_to_ensure(self) -> None:
        try:
            self.ensure()
        except Exception:
            log.exception("no index could be built from %s; the last one stays", self.folder)

    @contextmanager
    def _noting_failure(self, state: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._notes.fail(state, for_good=isinstance(error, Cancelled))
            raise

    def _update(self, state: str, progress: Progress | None) -> BuildReport | None:
        """Build unless somebody just has, or the files were only touched. A strategy chosen on purpose stays."""
        live = self._versions.current()
        if live is not None and not self._notes.damage and (state == self._checked() or not self._is_stale(live)):
            self._notes.check(state)
            return None
        return self._build(state, progress, **self._chosen())

    def _chosen(self) -> dict[str, Any]:
        """Return how the live version was cut on purpose; a damaged one before what stands in for it."""
        live, damage = self._versions.current(), self._notes.damage
        return damage.chosen if damage else chosen_in(live.manifest if live else None)

    def _is_stale(self, live: IndexVersion) -> bool:
        collection = self.files()
        return is_stale(live, collection, chosen_embedder(collection.config).name)

    def _build(
        self, state: str, progress: Progress | None, approve: Approve | None = None, **chosen: Any
    ) -> BuildReport:
        report = self._build_from(self.files(), self._engine, progress, approve, **chosen)
        self._notes.check(state)
        return report

    def _build_from(
        self,
        collection: Collection,
        engine: Engine,
        progress: Progress | None,
        approve: Approve | None = None,
        **chosen: Any,
    ) -> BuildReport:
        chosen_reranker(collection.config)  # one that can't be had would fail every question
        return build(
            collection,
            engine,
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

        return load_collection(self.folder, instead, self._files[1] if self._files else None)

    def _state(self) -> str:
        return f"{FORMAT}-{self._watch.state()}"

    def _checked(self) -> str:
        return self._notes.checked if self._versions.live() else ""
