"""Which chunks a reader may retrieve: decided here alone, before anything is ranked or counted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from webapp.core.documents.model import PUBLIC, Chunk, Status
from webapp.core.retrieval.engine import IndexVersion, Visible
from webapp.core.retrieval.model import Query, Reader, Role
from webapp.core.retrieval.vectors import merged


@dataclass(frozen=True, slots=True)
class Access:
    """All that visibility depends on. Chunks that share one are stored side by side, so a filter is a few slices."""

    status: Status
    lang: str
    audience: frozenset[str]
    valid_until: date | None
    attributes: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, chunk: Chunk) -> Access:
        """Return the access of a chunk."""
        attributes = tuple(sorted(chunk.attributes.items()))
        return cls(chunk.status, chunk.lang, chunk.audience, chunk.valid_until, attributes)

    def as_json(self) -> dict[str, Any]:
        """Return it as it is kept in a manifest; also what accesses are sorted by."""
        return {
            "status": self.status.value,
            "audience": sorted(self.audience),
            "lang": self.lang,
            "valid_until": self.valid_until.isoformat() if self.valid_until else None,
            "attributes": dict(self.attributes),
        }

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Access:
        """Read back what `as_json` gave."""
        until = kept["valid_until"]
        return cls(
            Status(kept["status"]),
            kept["lang"],
            frozenset(kept["audience"]),
            date.fromisoformat(until) if until else None,
            tuple(sorted(kept["attributes"].items())),
        )


def may_see(audience: frozenset[str], reader: Reader, staff_see_groups: bool) -> bool:
    """Tell whether the reader may see a document of that audience, in answers and in the source view alike."""
    if PUBLIC in audience or audience & reader.groups:
        return True
    return staff_see_groups and reader.role is not Role.CUSTOMER


def may_retrieve(access: Access, query: Query, staff_see_groups: bool) -> bool:
    """Tell whether chunks of that access may be evidence for the query: current, valid, visible, and as filtered."""
    today = query.today or date.today()
    return (
        access.status is Status.CURRENT
        and (access.valid_until is None or today <= access.valid_until)
        and may_see(access.audience, query.reader, staff_see_groups)
        and query.only_lang in {None, access.lang}
        and query.attributes.items() <= dict(access.attributes).items()
    )


def only(version: IndexVersion, documents: Collection[str]) -> Visible:
    """Return the chunks of those documents, whatever their status: for searches of staff, never for evidence."""
    stored = version.documents()
    chosen = [stored[id_] for id_ in documents if stored[id_].chunks]
    firsts = {one.first_row for one in chosen}
    ranges = [(int(kept["start"]), int(kept["end"])) for kept in version.manifest.accesses]
    starts = sorted(firsts)
    accesses = [i for i, (start, end) in enumerate(ranges) if bisect_left(starts, start) < bisect_left(starts, end)]
    beside = (
        one.id
        for one in stored.values()
        if one.chunks
        and one.first_row not in firsts
        and any(ranges[i][0] <= one.first_row < ranges[i][1] for i in accesses)
    )
    slices = merged([(one.first_row, one.first_row + one.chunks) for one in chosen])
    return Visible(tuple(accesses), tuple(slices), tuple(sorted(beside)))
