"""The bytes of one file → a document. The same way for files of a folder and for drafts that are not saved."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from pathlib import PurePosixPath

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.encoding import decode
from webapp.core.documents.front_matter import read_front_matter
from webapp.core.documents.language import SAMPLE, detect_language, named_first
from webapp.core.documents.lines import line_starts
from webapp.core.documents.markdown import outline
from webapp.core.documents.metadata import read_metadata
from webapp.core.documents.model import Document
from webapp.core.documents.originals import page_marks
from webapp.core.documents.sections import Source, first_heading, sections_of


def document_from_bytes(data: bytes, path: str, config: CollectionConfig) -> Document:
    """Read one file; `path` is relative to its collection, with forward slashes. Raises DocumentError."""
    text = decode(data)
    starts = line_starts(text)

    def line_of(offset: int) -> int:
        return bisect_right(starts, offset)

    head = read_front_matter(text)
    said = read_metadata(head, path, config, line_of)
    marked = outline(text, head.body)
    title = said.title or first_heading(marked) or PurePosixPath(path).stem
    lang = said.lang or detect_language(marked.sample(SAMPLE), named_first(path, config.languages))
    source = Source(text, head.body, starts, marked, title, lang, config.section_level)
    return Document(
        id=said.id or id_from_path(path),
        title=title,
        version=said.version,
        status=said.status,
        lang=lang,
        sections=sections_of(source),
        text=text,
        path=path,
        line_starts=starts,
        audience=said.audience,
        updated=said.updated,
        valid_until=said.valid_until,
        superseded_by=said.superseded_by,
        attributes=said.attributes,
        content_hash=hashlib.sha256(data).hexdigest(),
        body_line=bisect_left(starts, head.body) + 1,
        declared_id=bool(said.id),
        pages=page_marks(text, head.values, head.body),
    )


def id_from_path(path: str) -> str:
    """Return the id of a file that declares none: its path without the ending."""
    return str(PurePosixPath(path).with_suffix(""))
