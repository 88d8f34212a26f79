"""The text that is compared: a page of the collection, or a draft that was pasted or uploaded and is kept nowhere."""

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
from webapp.pages.editor.labels import Labels
from webapp.web.i18n import gettext as _
from webapp.web.i18n import number
from webapp.web.printable import printable

DRAFT_FILE = "draft.md"
MOST_CHUNKS = 5000  # of one setting; a comparison with more could be neither read nor waited for


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen; `document` is there when it can be compared, `text` when it is a draft."""

    document: Document | None = None
    page: str = ""  # its id, when it is a page of the collection
    text: str = ""
    page_error: str = ""
    text_error: str = ""

    @property
    def is_draft(self) -> bool:
        """Tell whether it was pasted or uploaded."""
        return not self.page


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


def draft_of(text: str, file: FileStorage | None, collection: Collection) -> Chosen:
    """Return the draft: of the file when one was sent, else of the text. It counts as current, as if published."""
    data = file.stream.read() if file and file.filename else text.encode("utf-8", "replace")
    config = collection.config.model_copy(update={"status_when_missing": "current"})
    try:
        document = document_from_bytes(data, DRAFT_FILE, config)
    except DocumentError as problem:
        return Chosen(text=_shown(data, text), text_error=_problem(problem))
    return Chosen(replace(document, status=Status.CURRENT), text=printable(document.text))


def too_many(document: Document, setting: Setting) -> bool:
    """Tell whether the setting makes more chunks of the document than can be compared, without making them."""
    part = strategies.get(setting.strategy)
    options = part.parse(setting.options)
    spans = (span for section in document.sections if section.text for span in part.make(section, options))
    return next(islice(spans, MOST_CHUNKS, None), None) is not None


def _shown(data: bytes, text: str) -> str:
    """Return what can be put back into the form of a draft that can't be read."""
    try:
        return printable(data.decode("utf-8"))
    except UnicodeDecodeError:
        return printable(text)


def _problem(problem: DocumentError) -> str:
    if problem.line:
        return _("Line %(line)s: %(problem)s.", line=number(problem.line), problem=problem)
    return _("This can't be used: %(problem)s.", problem=problem)
