"""The text that is compared: a page of the collection, or a draft, which is kept for its author alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from werkzeug.datastructures import FileStorage

from webapp.core.chunking.base import strategies
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.model import Collection, Document, Status
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.compare import Setting
from webapp.core.retrieval.model import Reader
from webapp.core.retrieval.visibility import may_see
from webapp.pages.editor.draft_view import me
from webapp.pages.editor.draft_words import problem_words
from webapp.pages.editor.labels import Labels
from webapp.services.desk import Desk
from webapp.services.drafts import DraftError
from webapp.store.drafts import Draft
from webapp.web.context import services
from webapp.web.i18n import gettext as _
from webapp.web.printable import printable

DRAFT_FILE = "draft.md"
MOST_CHUNKS = 5000  # of one setting; a comparison with more could be neither read nor waited for


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen; `document` is there when it can be compared, `text` when it is a draft."""

    document: Document | None = None
    page: str = ""  # its id, when it is a page of the collection
    draft: Draft | None = None  # as it is kept
    text: str = ""
    page_error: str = ""
    text_error: str = ""

    @property
    def is_draft(self) -> bool:
        """Tell whether it was pasted, uploaded or begun as a draft."""
        return not self.page

    @property
    def draft_id(self) -> str:
        """The draft's id; "" for a page, and for a text that is not kept."""
        return self.draft.id if self.draft else ""


def pages(collection: Collection, reader: Reader) -> list[Document]:
    """Return the pages that the reader may see, by title."""
    open_to_all = collection.config.staff_see_groups
    seen = (one for one in collection.documents if may_see(one.audience, reader, open_to_all))
    return sorted(seen, key=lambda one: (one.title.casefold(), one.id))


def first_page(listed: list[Document], labels: Labels) -> str:
    """Return the id of the page to begin with: one that has key facts if there is one; "" without pages."""
    ids = [one.id for one in listed]
    with_facts = (fact.document for fact in labels.facts)
    return next((page for page in with_facts if page in ids), ids[0] if ids else "")


def page_of(listed: list[Document], page: str) -> Chosen:
    """Return the page of that id."""
    found = next((one for one in listed if one.id == page), None)
    return Chosen(found, page, page_error="" if found else _("There is no such page; choose one from the list."))


def kept_draft(text: str, file: FileStorage | None, desk: Desk, before: Draft | None) -> Chosen:
    """Keep what was sent, and return it: of a file when there is one, else the text, in place of what the draft said
    before. A text without words is not kept."""
    drafts = services().drafts
    sent = file.stream.read() if file and file.filename else b""
    try:
        if sent:
            return draft_of(drafts.begin(me(), desk, drafts.uploaded(sent)), desk)
        if not text.strip():
            return _read(text, DRAFT_FILE, desk)
        kept = drafts.change(before, desk, text, before.path) if before else drafts.begin(me(), desk, text)
    except (DraftError, DocumentError) as problem:
        return Chosen(text=printable(text), text_error=problem_words(problem))
    return draft_of(kept, desk)


def draft_of(draft: Draft, desk: Desk) -> Chosen:
    """Return a draft that is kept. It counts as current, as if published."""
    return replace(_read(draft.text, draft.path, desk), draft=draft)


def _read(text: str, path: str, desk: Desk) -> Chosen:
    config = desk.files().config.model_copy(update={"status_when_missing": "current"})
    try:
        document = document_from_bytes(text.encode("utf-8", "replace"), path, config)
    except DocumentError as problem:
        return Chosen(text=printable(text), text_error=problem_words(problem))
    return Chosen(replace(document, status=Status.CURRENT), text=printable(text))


def too_many(document: Document, setting: Setting) -> bool:
    """Tell whether the setting makes more chunks of the document than can be compared, without making them."""
    part = strategies.get(setting.strategy)
    options = part.parse(setting.options)
    spans = (span for section in document.sections if section.text for span in part.make(section, options))
    return next(islice(spans, MOST_CHUNKS, None), None) is not None
