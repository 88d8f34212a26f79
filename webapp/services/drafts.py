"""Drafts of pages: kept for their author, checked before they are kept, never seen by readers."""

from __future__ import annotations

import codecs
import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from webapp.core.documents.collection import SUFFIXES
from webapp.core.documents.encoding import decode
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.lines import line_starts
from webapp.store.accounts import Account
from webapp.store.drafts import Draft, NewDraft

if TYPE_CHECKING:
    from webapp.services.desk import Desk
    from webapp.store.store import Store

MOST_LINES = 50_000
MOST_PATH = 200  # characters
SUFFIX = ".md"
_NO_NAME = re.compile(r"[\x00-\x1f\x7f\\:*?\"<>|]|\s$|^\s|\.$")
_NO_WORD = re.compile(r"[^\w]+")


class DraftProblem(StrEnum):
    """Why a text or a path can't be kept; pages word it in the reader's language."""

    EMPTY = "empty"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    TOO_MANY_LINES = "too_many_lines"
    NO_PATH = "no_path"
    BAD_PATH = "bad_path"
    OUTSIDE = "outside"
    LINK = "link"
    NO_MARKDOWN = "no_markdown"
    IS_FOLDER = "is_folder"
    TAKEN = "taken"
    NO_PAGE = "no_page"
    GONE = "gone"
    EDITED = "edited"


_MESSAGES = {
    DraftProblem.EMPTY: "There is no text.",
    DraftProblem.BINARY: "This is no text in UTF-8.",
    DraftProblem.TOO_LARGE: "A page may not be so large; see the setting upload_max_bytes.",
    DraftProblem.TOO_MANY_LINES: f"A page may have at most {MOST_LINES:,} lines.",
    DraftProblem.NO_PATH: "Give the file a name.",
    DraftProblem.BAD_PATH: "This can't be a file's name.",
    DraftProblem.OUTSIDE: "The file must be inside the collection's folder.",
    DraftProblem.LINK: "A link leads there; write to the file itself.",
    DraftProblem.NO_MARKDOWN: f"The name must end in {SUFFIX}.",
    DraftProblem.IS_FOLDER: "A folder has this name.",
    DraftProblem.TAKEN: "Another page has this name.",
    DraftProblem.NO_PAGE: "There is no such page.",
    DraftProblem.GONE: "The draft is no longer there: it was discarded, or published.",
    DraftProblem.EDITED: "The draft was edited after this was asked for; ask once more.",
}


class DraftError(ValueError):
    """A draft can't be kept as it is; `code` says why to programs, the message to people (English)."""

    def __init__(self, code: DraftProblem) -> None:
        self.code = code
        super().__init__(_MESSAGES[code])


class Drafts:
    """Every author's drafts; `services.drafts`."""

    def __init__(self, store: Store, most_bytes: int) -> None:
        self._drafts = store.drafts
        self._most_bytes = most_bytes

    def of(self, account: Account, desk: Desk) -> tuple[Draft, ...]:
        """Return the account's own drafts in a collection, the one changed last first."""
        return self._drafts.of(account.id, desk.name)

    def get(self, draft_id: str, account: Account) -> Draft | None:
        """Return a draft of the account's own."""
        return self._drafts.get(draft_id, account.id)

    def known(self, draft_id: str, author_id: int, text_hash: str | None = None) -> Draft:
        """Return an author's draft, for work that was asked for. Raises DraftError when it is gone or, with the hash
        that its text then had, was edited since."""
        draft = self._drafts.get(draft_id, author_id)
        if draft is None:
            raise DraftError(DraftProblem.GONE)
        if text_hash is not None and text_hash != draft.text_hash:
            raise DraftError(DraftProblem.EDITED)
        return draft

    def begin(
        self, account: Account, desk: Desk, text: str, path: str = "", questions: Sequence[Mapping[str, Any]] = ()
    ) -> Draft:
        """Begin a draft of a new page; without a path, one is made from the text. Raises DraftError."""
        self.check(text)
        where = checked_path(path, desk.folder) if path else free_path(text, desk.folder)
        if (desk.folder / where).exists():
            raise DraftError(DraftProblem.TAKEN)
        return self._drafts.add(NewDraft(desk.name, account.id, where, text, None, questions))

    def begin_from(self, account: Account, desk: Desk, path: str) -> Draft:
        """Begin a draft of the page whose file is at that path. Raises DraftError."""
        where = checked_path(path, desk.folder)
        data = read_page(desk.folder, where)
        if data is None:
            raise DraftError(DraftProblem.NO_PAGE)
        return self._drafts.add(NewDraft(desk.name, account.id, where, text_of(data), sha256(data)))

    def change(self, draft: Draft, desk: Desk, text: str, path: str) -> Draft:
        """Keep another text or path, and return the draft; a new path begins a new page. Raises DraftError."""
        self.check(text)
        where = checked_path(path, desk.folder)
        base = draft.base
        if where != draft.path:
            if (desk.folder / where).exists():
                raise DraftError(DraftProblem.TAKEN)
            base = None
        return self._kept(draft, where, text, base)

    def rebase(self, draft: Draft, desk: Desk) -> Draft:
        """Let the draft be one of the file as it is now: its author has seen what changed meanwhile."""
        data = read_page(desk.folder, draft.path)
        return self._kept(draft, draft.path, draft.text, sha256(data) if data is not None else None)

    def uploaded(self, data: bytes) -> str:
        """Return the text of an uploaded file. Raises DraftError, DocumentError for its encoding."""
        if len(data) > self._most_bytes:
            raise DraftError(DraftProblem.TOO_LARGE)
        text = text_of(data)
        self.check(text)
        return text

    def check(self, text: str) -> None:
        """Raise DraftError where the text can't be a page."""
        if not text.strip():
            raise DraftError(DraftProblem.EMPTY)
        if "\0" in text:
            raise DraftError(DraftProblem.BINARY)
        if len(text.encode("utf-8", "replace")) > self._most_bytes:
            raise DraftError(DraftProblem.TOO_LARGE)
        if len(line_starts(text)) > MOST_LINES:
            raise DraftError(DraftProblem.TOO_MANY_LINES)

    def discard(self, draft_id: str, author_id: int) -> None:
        """Remove an author's draft for good."""
        self._drafts.remove(draft_id, author_id)

    def _kept(self, draft: Draft, path: str, text: str, base: str | None) -> Draft:
        if not self._drafts.change(draft, path=path, text=text, base=base):
            raise DraftError(DraftProblem.GONE)
        kept = self._drafts.get(draft.id, draft.author_id)
        assert kept is not None  # it has just been changed
        return kept


def text_of(data: bytes) -> str:
    """Return the text of a file. Raises DraftError for one that is no text, DocumentError for its encoding."""
    if b"\0" in data and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DraftError(DraftProblem.BINARY)
    return decode(data)


def checked_path(path: str, folder: Path) -> str:
    """Return a path in the folder in its one spelling. Raises DraftError where no page may be written."""
    path = unicodedata.normalize("NFC", path.strip())
    parts = PurePosixPath(path).parts
    if not parts:
        raise DraftError(DraftProblem.NO_PATH)
    if path.startswith("/") or ".." in parts:
        raise DraftError(DraftProblem.OUTSIDE)
    if len(path) > MOST_PATH or any(part.startswith(".") or _NO_NAME.search(part) for part in parts):
        raise DraftError(DraftProblem.BAD_PATH)
    _check_file(folder, parts)
    return "/".join(parts)


def _check_file(folder: Path, parts: Sequence[str]) -> None:
    place = folder
    for part in parts:
        place = place / part
        if place.is_symlink():
            raise DraftError(DraftProblem.LINK)
        if place.exists() and place.is_dir() != (part is not parts[-1]):
            raise DraftError(DraftProblem.IS_FOLDER if place.is_dir() else DraftProblem.BAD_PATH)
    if place.suffix.lower() not in (SUFFIXES if place.exists() else {SUFFIX}):
        raise DraftError(DraftProblem.NO_MARKDOWN)


def free_path(text: str, folder: Path) -> str:
    """Return a name for a new file, made of the id or the title that the text gives it."""
    word = _NO_WORD.sub("-", _name_of(text)).strip("-_").lower()[:60] or "page"
    names = (f"{word}{'' if count == 1 else f'-{count}'}{SUFFIX}" for count in range(1, 10_000))
    return next(name for name in names if not (folder / name).exists())


def _name_of(text: str) -> str:
    from webapp.core.documents.config import CollectionConfig
    from webapp.core.documents.reading import document_from_bytes

    try:
        document = document_from_bytes(text.encode("utf-8", "replace"), "page.md", CollectionConfig())
    except DocumentError:
        return ""
    return document.id if document.declared_id else document.title


def read_page(folder: Path, path: str) -> bytes | None:
    """Return what the file holds; None when there is none."""
    try:
        return (folder / path).read_bytes()
    except FileNotFoundError:
        return None


def as_file(text: str, before: bytes | None) -> bytes:
    """Return the bytes to write: with the line ends and the byte-order mark that the file had before.

    A browser sends every line's end as `\\r\\n`, whatever it was.
    """
    crlf = before is not None and before.count(b"\r\n") * 2 > before.count(b"\n")
    text = re.sub(r"\r\n?|\n", "\r\n" if crlf else "\n", text)
    mark = codecs.BOM_UTF8 if before is not None and before.startswith(codecs.BOM_UTF8) else b""
    return mark + text.encode("utf-8", "replace")


def sha256(data: bytes) -> str:
    """Return the hash by which a file's state is known, hex."""
    return hashlib.sha256(data).hexdigest()
