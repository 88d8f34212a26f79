"""Publishing: a draft, or another status of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from webapp.services.work.base import Progress, kinds

if TYPE_CHECKING:
    from webapp.services.publishing import Edition
    from webapp.services.root import Services
    from webapp.store.drafts import Draft


class PublishArguments(BaseModel, frozen=True, extra="forbid"):
    """What is to be published, by whom and why. `id` is the publication's, and makes it happen once."""

    id: str = Field(min_length=16, max_length=32)
    act: str
    author_id: int
    message: str
    reason: str = ""
    draft: str | None = None
    text: str | None = Field(None, description="sha256 of the draft's text, as its author saw it last")
    path: str | None = None
    base: str | None = None
    successor: str | None = None


@kinds.register("publish", "Publish a change of a page", PublishArguments)
def run(services: Services, collection: str, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Publish, or say why not. Raises as `publishing.publish` does, DraftError when the draft is gone or was edited."""
    from webapp.services.publishing import Outcome, known_outcome, publish

    given = PublishArguments.model_validate(arguments)
    done = services.store.publications.get(given.id)
    left = services.store.drafts.get(given.draft, given.author_id) if given.draft else None
    if done is not None:  # by a try whose end was not kept
        if left:
            _hand_on(services, collection, left, done.document_id)
        return known_outcome(done)
    draft = services.drafts.known(given.draft, given.author_id, given.text) if given.draft else None
    edition = _edition(services, collection, given, draft)
    published = publish(services.store, services.desk(collection), edition, progress)
    if published.outcome is Outcome.LIVE and draft:
        _hand_on(services, collection, draft, published.document_id)
    return published.as_dict()


def _edition(services: Services, collection: str, given: PublishArguments, draft: Draft | None) -> Edition:
    from webapp.services.publishing import Act, edition_of_draft, edition_of_status

    account = services.store.accounts.get(given.author_id)
    author = account.email if account else ""
    about = {"id": given.id, "author": author, "message": given.message, "reason": given.reason}
    folder = services.desk(collection).folder
    if draft:
        return edition_of_draft(draft, folder, about)
    return edition_of_status(folder, Act(given.act), given.path or "", given.base or "", about, given.successor)


def _hand_on(services: Services, collection: str, draft: Draft, document_id: str) -> None:
    """Propose the draft's questions for the golden set: that the page answers them, an editor has still to say."""
    for one in draft.questions:
        answer_id = next(iter(one.get("answers", ())), None)
        services.golden.propose(collection, one["question"], "gap", answer_id, label={"document": document_id})
    services.drafts.discard(draft.id, draft.author_id)
