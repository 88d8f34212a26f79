"""Reading chunks for their meaning ahead of a comparison, which then takes no longer than a page may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from webapp.services.work.base import Progress, kinds

if TYPE_CHECKING:
    from webapp.core.documents.model import Document
    from webapp.services.desk import Desk
    from webapp.services.root import Services


class CutSetting(BaseModel, frozen=True, extra="forbid"):
    """How documents are cut."""

    strategy: str
    options: dict[str, int]


class VectorsArguments(BaseModel, frozen=True, extra="forbid"):
    """Which documents, cut by which settings: pages by id, and an author's draft if there is one."""

    pages: list[str]
    settings: list[CutSetting]
    draft: str | None = None
    author_id: int


@kinds.register("vectors", "Read chunks for their meaning", VectorsArguments)
def run(services: Services, collection: str, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Make the vectors that are not known yet. Raises PartUnavailable, DraftError when the draft is gone."""
    from webapp.services.trying import unknown_texts, vectors_of

    given = VectorsArguments.model_validate(arguments)
    desk = services.desk(collection)
    documents = list(_documents(services, desk, given))
    settings = [(one.strategy, one.options) for one in given.settings]
    texts = unknown_texts(desk, documents, settings)
    vectors_of(desk).fill(texts, lambda done, of: progress("embedding", done, of))
    return {"embedded": len(texts)}


def _documents(services: Services, desk: Desk, given: VectorsArguments) -> Iterator[Document]:
    from webapp.core.documents.reading import document_from_bytes

    if given.draft:
        draft = services.drafts.known(given.draft, given.author_id)
        config = desk.files().config.model_copy(update={"status_when_missing": "current"})
        yield document_from_bytes(draft.text.encode("utf-8", "replace"), draft.path, config)
    yield from (one for one in desk.files().documents if one.id in given.pages)
