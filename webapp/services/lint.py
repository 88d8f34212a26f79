"""What is to be looked at before a draft is published: the page itself, and what the other pages say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from webapp.core.answering.conflicts import Claim, claims, disagree
from webapp.core.answering.wording import spoken
from webapp.core.chunking.cut import cut
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.lint import MOST, Finding, LintCode, lint
from webapp.core.documents.model import Collection, Document, Status
from webapp.core.documents.reading import document_from_bytes
from webapp.core.documents.repeats import repeats
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.model import Reader
from webapp.core.retrieval.visibility import may_see

if TYPE_CHECKING:
    from webapp.services.desk import Desk


_MOST_CLAIMS = 2000  # of one page that are held against the others: a page has a few dozen


@dataclass(frozen=True, slots=True)
class Linted:
    """A draft as it would be read, None when it can't be, and what was found, by line."""

    document: Document | None
    findings: tuple[Finding, ...]

    @property
    def stops(self) -> bool:
        """Tell whether something keeps it from being published."""
        return any(one.stops for one in self.findings)


def lint_draft(desk: Desk, data: bytes, path: str, reader: Reader) -> Linted:
    """Look a file over that is to stand at a path of the collection. Other pages are told of as far as the reader may
    see them. Raises CollectionError, IndexProblem."""
    collection = desk.files()
    try:
        document = document_from_bytes(data, path, collection.config)
    except DocumentError as error:
        return Linted(None, (Finding(LintCode.UNREADABLE, error.line, {"problem": str(error)}, stops=True),))
    seen = {stored.id for stored in desk.shelf(reader).evidence()} - {document.id}
    staff_see_groups = collection.config.staff_see_groups
    closed = (one.path for one in collection.documents if not may_see(one.audience, reader, staff_see_groups))
    found = [*lint(document, collection, date.today(), frozenset(closed))]
    if document.status is Status.CURRENT:
        found += islice(_repeats(document, collection, seen), MOST)
        found += islice(_disagreements(document, desk.live(), seen), MOST)
    return Linted(document, tuple(sorted(found, key=lambda one: one.line)))


def _repeats(document: Document, collection: Collection, seen: set[str]) -> Iterator[Finding]:
    others = [one for one in collection.documents if one.id in seen and one.path != document.path]
    for repeat in repeats(document, others):
        where = {"title": repeat.document.title, "id": repeat.document.id, "other_line": str(repeat.other_line)}
        yield Finding(LintCode.REPEATS, repeat.line, where)


def _disagreements(document: Document, version: IndexVersion, seen: set[str]) -> Iterator[Finding]:
    """Yield the sentences whose numbers another current page contradicts."""
    manifest = version.manifest
    chunks = cut(document, manifest.strategy, manifest.options)
    mine = list(islice((claim for chunk in chunks for claim in claims(chunk)), _MOST_CLAIMS))
    theirs = _claims_by_word(version) if mine else {}
    said: set[tuple[tuple[str, int], tuple[str, int]]] = set()
    for claim in mine:
        for other in {id(near): near for word in claim.words for near in theirs.get(word, ())}.values():
            pair = claim.place, other.place
            if other.place[0] in seen and pair not in said and disagree(claim, other):
                said.add(pair)
                yield _disagreement(claim, other)


def _disagreement(claim: Claim, other: Claim) -> Finding:
    chunk = other.chunk
    details = {
        "sentence": spoken(claim.sentence),
        "other": spoken(other.sentence),
        "title": chunk.title,
        "id": chunk.document_id,
        "other_line": str(other.sentence.first_line),
    }
    return Finding(LintCode.DISAGREES, claim.sentence.first_line, details)


def _claims_by_word(version: IndexVersion) -> dict[str, Sequence[Claim]]:
    """Return the claims of a version's current documents by their words."""
    found: defaultdict[str, list[Claim]] = defaultdict(list)
    for stored in version.documents().values():
        if stored.status == Status.CURRENT:
            for chunk in version.chunks_of(stored.id):
                for claim in claims(chunk):
                    for word in claim.words:
                        found[word].append(claim)
    return dict(found)
