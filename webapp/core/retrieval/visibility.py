"""Which chunks a reader may retrieve: decided here alone, before anything is ranked or counted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from webapp.core.documents.model import PUBLIC, Chunk, Document, Status
from webapp.core.retrieval.engine import StoredDocument
from webapp.core.retrieval.model import Query, Reader, Role


@dataclass(frozen=True, slots=True)
class Access:
    """All that visibility depends on. Chunks that share one are stored side by side, so a filter is a few slices, and
    have one number in their segment, by which words are kept apart."""

    status: Status
    lang: str
    audience: frozenset[str]
    valid_until: date | None
    attributes: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, one: Chunk | Document | StoredDocument) -> Access:
        """Return the access of a document, which is that of each of its chunks."""
        attributes = tuple(sorted(one.attributes.items()))
        return cls(Status(one.status), one.lang, one.audience, one.valid_until, attributes)

    def as_json(self) -> dict[str, Any]:
        """Return it as it is kept in a segment."""
        return {
            "status": self.status.value,
            "audience": sorted(self.audience),
            "lang": self.lang,
            "valid_until": self.valid_until.isoformat() if self.valid_until else None,
            "attributes": dict(self.attributes),
        }

    @property
    def place(self) -> str:
        """What accesses are sorted by."""
        return repr(self.as_json())

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
    """Tell whether chunks of that access may be evidence for the query: current, valid, visible, and as filtered.
    A query of every status is no question but a search of staff: it finds what is not current as well."""
    return (
        (query.every_status or _is_current(access, query.today or date.today()))
        and may_see(access.audience, query.reader, staff_see_groups)
        and query.only_lang in {None, access.lang}
        and query.attributes.items() <= dict(access.attributes).items()
    )


def _is_current(access: Access, today: date) -> bool:
    return access.status is Status.CURRENT and (access.valid_until is None or today <= access.valid_until)
