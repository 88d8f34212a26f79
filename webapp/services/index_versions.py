"""The versions of one collection's index: which is live, which can be served, what stands in for a damaged one."""

from __future__ import annotations

import logging
from contextlib import suppress

from webapp.core.retrieval.engine import Engine, IndexProblem, IndexVersion, Manifest
from webapp.core.retrieval.index import FORMAT
from webapp.services.index_notes import Notes

log = logging.getLogger(__name__)


class IndexVersions:
    """Every process has its own, over the same engine. Safe to use from several threads."""

    def __init__(self, engine: Engine, notes: Notes) -> None:
        self._engine = engine
        self._notes = notes

    def live(self) -> IndexVersion | None:
        """Return the live version; one that an older program built counts as none, since it can't be read any more."""
        version = self.current()
        return version if version is not None and version.manifest.format == FORMAT else None

    def current(self) -> IndexVersion | None:
        """Return the version that is marked as live, of whatever format; for one that can't be opened what stands in
        for it."""
        try:
            return self._engine.current()
        except IndexProblem:
            return self.current() if self.verify() else None

    def manifests(self) -> list[Manifest]:
        """Return what the versions that can be served say about themselves, newest first."""
        return [manifest for manifest in self._engine.versions() if manifest.format == FORMAT]

    def open(self, version: str) -> IndexVersion:
        """Return a version that can be served. Raises IndexProblem."""
        known = [manifest.id for manifest in self.manifests()]
        if version not in known:
            there_are = ", ".join(known) or "none yet"
            raise IndexProblem(f"there is no index version {version!r} to serve; there are: {there_are}")
        return self._engine.open(version)

    def switch(self, version: str) -> Manifest:
        """Make a version the live one. Raises IndexProblem."""
        self.open(version)
        return self._engine.switch(version).manifest

    def verify(self) -> bool:
        """Compare the live version with what it was when it was sealed; where they differ, let the newest sound version
        stand in for it. Returns whether it was damaged."""
        damaged = self._engine.live_id()
        broken = self._damage() if damaged else ()
        if broken:
            log.error("index version %s is damaged: %s", damaged, ", ".join(broken))
            self._notes.damaged(damaged, broken, self._manifest(damaged))
            self._stand_in(damaged)
        return bool(broken)

    def _damage(self) -> tuple[str, ...]:
        try:
            version = self._engine.current()
            return tuple(version.damage()) if version else ()
        except IndexProblem as problem:
            return (str(problem),)

    def _stand_in(self, damaged: str) -> None:
        """Put the newest sound version in the place of the damaged one, which goes away; without one nothing is
        served until a version is built."""
        for manifest in self.manifests():
            with suppress(IndexProblem):
                if manifest.id != damaged:
                    self._engine.switch(manifest.id)
                    break
        self._engine.discard(damaged)

    def _manifest(self, version: str) -> Manifest | None:
        return next((manifest for manifest in self._engine.versions() if manifest.id == version), None)
