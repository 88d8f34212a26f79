"""Versions in a PostgreSQL database. As with the local engine, a version is a manifest that names its segments; here
they are schemas whose tables are filled once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial

from webapp.core.retrieval.engine import KEPT, IndexProblem, Manifest
from webapp.core.retrieval.engines._draft import SegmentedDraft
from webapp.core.retrieval.engines._postgres_places import Place
from webapp.core.retrieval.engines._postgres_segment import PostgresSegment
from webapp.core.retrieval.engines._postgres_servers import Servers
from webapp.core.retrieval.engines._postgres_writer import PostgresWriter
from webapp.core.retrieval.engines._version import SegmentedVersion
from webapp.core.retrieval.engines.base import new_id


class PostgresDraft(SegmentedDraft):
    """A version whose new segment is a schema."""

    def __init__(self, place: Place, manifest: Manifest, base: SegmentedVersion | None) -> None:
        self._place = place
        self._number = place.reserve(manifest.id)
        done, gone = partial(place.fill, manifest.id), partial(place.drop_unsealed)
        super().__init__(manifest, base, PostgresWriter(place.servers, self._number, manifest.dim, done, gone))

    def _segment(self, name: str) -> PostgresSegment:
        return self._place.segments([name], even_unsealed=True)[name]

    def _keep(self, wrote: bool) -> None:
        self._place.seal(self._manifest, wrote)


class PostgresEngine:
    """The versions of one collection's index."""

    def __init__(self, servers: Servers, name: str) -> None:
        self._servers = servers
        self._place = Place(servers, name)
        self._live: SegmentedVersion | None = None

    def alone(self) -> AbstractContextManager[None]:
        """Hold off everybody else who would build here, on whatever machine."""
        return self._servers.locked(self._place.name)

    @contextmanager
    def beside(self) -> Iterator[PostgresEngine]:
        """Enter with a place for what is only tried; it has the live version to take documents over from, and is gone
        afterwards. What a killed process left there goes when the next one enters."""
        other = Place(self._servers, f"{self._place.name}/trying")
        with self._servers.locked(f"beside {self._place.name}"):
            try:
                other.make()
                other.clear()
                with self.alone():
                    self._place.lend(other)
                yield PostgresEngine(self._servers, other.name)
            finally:
                other.clear()

    def begin(self, manifest: Manifest, after: str | None = None) -> PostgresDraft:
        """Start a version, after removing what a killed build left; be `alone`. Documents that the version `after`
        holds may be taken over from there."""
        base = self.open(after) if after else None
        self._place.make()
        self._place.drop_unsealed()
        id_ = new_id(manifest, self._place.manifests())
        return PostgresDraft(self._place, manifest.model_copy(update={"id": id_}), base)

    def live_id(self) -> str:
        """Return the id of the live version, whether or not it can be read; "" when there is none yet."""
        return self._place.live()

    def current(self) -> SegmentedVersion | None:
        """Return the live version, None when there is none yet. Once for each request is enough."""
        version = self.live_id()
        if not version:
            return None
        live = self._live
        if live is None or live.manifest.id != version:
            live = self._live = self.open(version)
        return live

    def versions(self) -> list[Manifest]:
        """Return the sealed versions that can be read, newest first."""
        found = []
        for kept in self._place.manifests().values():
            with suppress(ValueError):
                found.append(Manifest.model_validate_json(kept))
        return found

    def open(self, version: str) -> SegmentedVersion:
        """Return a sealed version. Raises IndexProblem."""
        manifest = self._manifest(version)
        names = [one.name for one in manifest.segments]
        found = self._place.segments(names)
        if missing := [name for name in names if name not in found]:
            raise IndexProblem(f"index version {version} is damaged ({', '.join(missing)}); build the index again")
        return SegmentedVersion(manifest, [found[name] for name in names])

    def _manifest(self, version: str) -> Manifest:
        kept = self._place.manifests()
        if version not in kept:
            known = ", ".join(sorted(kept)) or "none yet"
            raise IndexProblem(f"there is no index version {version!r}; there are: {known}")
        try:
            return Manifest.model_validate_json(kept[version])
        except ValueError as error:
            raise IndexProblem(f"index version {version} can't be read ({error}); build the index again") from error

    def switch(self, version: str) -> SegmentedVersion:
        """Make a sealed version the live one, in one step. Raises IndexProblem when it is missing or damaged."""
        opened = self.open(version)
        if broken := opened.damage():
            raise IndexProblem(f"index version {version} is damaged ({', '.join(broken)}); build the index again")
        self._place.switch(version)
        self._live = opened
        return opened

    def drop(self, version: str) -> None:
        """Remove a version that isn't live. Raises IndexProblem."""
        if version == self.live_id():
            raise IndexProblem(f"index version {version} is live; switch to another one first")
        if version not in (known := self._place.manifests()):
            raise IndexProblem(f"there is no index version {version!r}; there are: {', '.join(sorted(known))}")
        self._place.forget([version])

    def discard(self, version: str) -> None:
        """Remove a damaged version, also the live one: then there is none."""
        self._place.forget([version], even_live=True)

    def prune(self) -> list[str]:
        """Drop all versions but the live one and the newest others, KEPT in all, those that can't be read, and
        segments that none of the rest needs; return their ids."""
        live, known = self.live_id(), list(self._place.manifests())
        kept = list(self._readable([live, *(id_ for id_ in known if id_ != live)]))[:KEPT]
        dropped = sorted(set(known) - {version.manifest.id for version in kept})
        self._place.forget(dropped)
        self._place.drop_segments(keep={held.segment.name for version in kept for held in version.held})
        return dropped

    def close(self) -> None:
        """Give back what is open for nobody; whoever asks again opens it anew."""
        self._live = None
        self._servers.close()

    def _readable(self, versions: Sequence[str]) -> Iterator[SegmentedVersion]:
        for version in versions:
            with suppress(IndexProblem):
                yield self.open(version)
