"""What a document is: frozen values that every other part of the core speaks in.

Offsets are characters of the *file's decoded text* (byte-order mark removed, line ends as they are) unless a name
says otherwise; lines are 1-based lines of the file as an editor shows them, front matter counted, 0 = unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar, dataclass_transform

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.lazy import found_on_first_use, on_first_use
from webapp.core.documents.plain import PlainText

PUBLIC = "public"
T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Decorate a dataclass that the type checker takes for frozen; one that sees to it itself takes five times as long
    to make, which was a tenth of reading and cutting. What it makes can be compared, not hashed."""
    return dataclass(slots=True)(cls)


class Status(StrEnum):
    """Where a document is in its life. Only CURRENT (and within valid_until) is evidence."""

    CURRENT = "current"
    DRAFT = "draft"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    WITHDRAWN = "withdrawn"


class BlockKind(StrEnum):
    """The leaf kinds a section's text is made of; together the blocks hold every non-blank line of it."""

    HEADING = "heading"  # a heading deeper than the collection's section level, inside the section
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    TABLE_HEAD = "table_head"
    CODE = "code"
    HTML = "html"
    COMMENT = "comment"
    OTHER = "other"  # link definitions, thematic breaks and the like


class Span(NamedTuple):
    """A half-open range of characters, relative to whatever the user of it says (usually the section's text)."""

    start: int
    end: int


class Block(NamedTuple):
    """One leaf block of a section; `start` and `end` are offsets inside the section's text."""

    kind: BlockKind
    start: int
    end: int
    group: int = 0  # blocks of one list, one table or one quote share a number > 0
    heading_path: tuple[str, ...] = ()  # deeper headings in force here, below the section's own path
    leaf: int = -1  # its number in the document's outline, by which its plain text is found; -1: it has none
    lead: int = -1  # the number of what may lead into it: a table's header row, a list's lead-in line


class Piece(NamedTuple):
    """The smallest part that is kept whole where possible: a sentence, list item, row, code block or other block.

    `start` and `end` are offsets in the section's text; the pieces of a block together cover it. `plain_start` and
    `plain_end` are its place in the section's plain text.
    """

    start: int
    end: int
    plain_start: int
    plain_end: int
    block: Block


def _pieces_of(section: Section) -> tuple[Piece, ...]:
    from webapp.core.documents.pieces import pieces_of

    return pieces_of(section)


@found_on_first_use("plain", "pieces")
@value
class Section:
    """A part of a document under one heading. `text` is the file's own characters from `start` to `end`."""

    heading: str
    heading_path: tuple[str, ...]
    level: int  # 0: text before any heading
    start: int
    end: int
    text: str
    first_line: int  # of the text; 0 when there is none
    heading_line: int  # 0 when the section has no heading line of its own
    blocks: tuple[Block, ...]
    plain: PlainText
    lang: str = "en"
    heading_lines: tuple[tuple[int, int], ...] = ()  # of its heading and of those without text before it: first, last
    pieces: tuple[Piece, ...] = field(default=on_first_use(_pieces_of), compare=False)  # its smallest parts

    def words_of(self, block: Block) -> str:
        """Return the plain text of one block, white space not yet folded."""
        start, end = self.plain.of_leaf(block.leaf)
        return self.plain.text[start:end]


@dataclass(frozen=True, slots=True)
class Document:
    """One file, read and understood."""

    id: str
    title: str
    version: str
    status: Status
    lang: str
    sections: tuple[Section, ...]
    text: str  # the whole file, decoded
    path: str  # relative to the collection's folder, with forward slashes
    line_starts: tuple[int, ...]  # offset of the first character of each line
    audience: frozenset[str] = frozenset({PUBLIC})
    updated: date | None = None
    valid_until: date | None = None
    superseded_by: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)  # the declared filter fields
    content_hash: str = ""  # sha256 of the file's bytes, hex
    body_line: int = 1  # first line after the front matter
    declared_id: bool = False  # the file itself says its id; else it is made from the path
    pages: tuple[tuple[int, int], ...] = ()  # (file offset, page number) for converted PDFs

    def line_at(self, offset: int) -> int:
        """Return the 1-based line that holds the character at `offset`."""
        return bisect_right(self.line_starts, offset)


class Location(NamedTuple):
    """Where a chunk stands: heading, first and last line of the file, and offsets inside its section's text."""

    heading: str
    first_line: int
    last_line: int
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None

    @property
    def label(self) -> str:
        """`Expiry, line 14`, `Returning a bike, lines 11-12`, `Fees, page 3, line 40`; no lines where unknown."""
        parts = [self.heading]
        if self.page is not None:
            parts.append(f"page {self.page}")
        if self.first_line:
            one = self.first_line == self.last_line
            parts.append(f"line {self.first_line}" if one else f"lines {self.first_line}-{self.last_line}")
        return ", ".join(parts)


class Sentence(NamedTuple):
    """A sentence (or list item, table row, code block) of a chunk: plain text, and its place in the file."""

    text: str  # plain, white space folded
    start: int  # offsets in the file's text
    end: int
    first_line: int
    last_line: int
    lead: str = ""  # lead-in line of a list, header row of a table: shown before it, not part of it
    listed: int = 0  # a number > 0 that all sentences of one list share, those of lists inside it too; 0 for none


@found_on_first_use("plain", "sentences", "lead")
@value
class Chunk:
    """One contiguous span of a file, as it is indexed, retrieved and cited."""

    id: str  # "<document id>:c<n>", n counted through the whole document from 0
    document_id: str
    title: str
    text: str  # the file's own characters, white space folded
    plain: str  # what a reader sees, white space folded: searched, embedded, quoted
    location: Location
    version: str
    status: Status
    lang: str
    start: int  # offsets in the file's text
    end: int
    sentences: tuple[Sentence, ...] = ()
    lead: str = ""  # a table's header row or a list's lead-in above the chunk; shown in the prompt, not in the lines
    audience: frozenset[str] = frozenset({PUBLIC})
    updated: date | None = None
    valid_until: date | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def ordinal(self) -> int:
        """The n of the chunk's id."""
        return int(self.id.rsplit(":c", 1)[1])

    @property
    def context(self) -> str:
        """Title and heading path, without a repetition: what the index and the prompt put before the text."""
        parts = dict.fromkeys((self.title, *self.location.heading_path))
        return " / ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file: it is held back unless `held_back` is false (then it is only worth saying)."""

    path: str
    line: int  # 0: the file as a whole
    problem: str
    held_back: bool = True


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder of documents as it was read at one moment."""

    config: CollectionConfig
    folder: Path
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]
    corpus_hash: str  # changes exactly when a document, the golden set or the collection's settings change
    as_read: tuple[Document, ...] = field(default=(), compare=False, repr=False)  # each alone, for the next reading
