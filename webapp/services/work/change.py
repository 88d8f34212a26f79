"""What would a draft change? Golden and real questions, answered as things are and as they would be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from webapp.core.retrieval.model import Reader
from webapp.services.work.base import Progress, kinds

if TYPE_CHECKING:
    from webapp.services.root import Services


class ChangeArguments(BaseModel, frozen=True, extra="forbid"):
    """Whose draft, in which state, and how many real questions are tried."""

    draft: str
    author_id: int
    text: str = Field(description="sha256 of the draft's text")
    asked: int = Field(200, ge=0, le=2000)


@kinds.register("change", "What would a draft change?", ChangeArguments)
def run(services: Services, collection: str, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Compare the answers. Raises as `Desk.index` does, DraftError when the draft is gone."""
    from webapp.services.change import to_try, what_would_change
    from webapp.services.drafts import as_file, read_page
    from webapp.services.measuring import golden_questions

    desk = services.desk(collection)
    draft = services.drafts.known(arguments["draft"], arguments["author_id"], arguments["text"])
    most = arguments["asked"]
    golden = golden_questions(desk.folder)
    author = services.store.accounts.get(arguments["author_id"])
    closed = services.history.closed(author.reader if author else Reader())
    asked = services.store.asked.most_asked(collection, most + len(golden), closed) if most else []
    data = as_file(draft.text, read_page(desk.folder, draft.path))
    tried = to_try(golden, asked, most, [one["question"] for one in draft.questions])
    return what_would_change(desk, draft.path, data, tried, progress)
