"""Files that are not Markdown, and the conversions of them that are stored as ordinary documents.

`guide.pdf` is never read itself: `guide.pdf.md` is, whose head names the original and the state it was in.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ORIGINALS = frozenset({".html", ".htm", ".docx", ".pdf"})
CONVERTED_FROM, SOURCE_HASH = "converted_from", "source_sha256"  # keys of a conversion's head

_HASH_LINE = re.compile(rf"^{SOURCE_HASH}: (?P<hash>[0-9a-f]{{64}})$", re.MULTILINE)
_PAGE = re.compile(r"^<!-- page (?P<number>\d{1,6}) -->$", re.MULTILINE)


def stored_name(original: Path) -> str:
    """Return the name of an original's conversion."""
    return f"{original.name}.md"


def page_mark(number: int) -> str:
    """Return the line that says where a page begins."""
    return f"<!-- page {number} -->"


def page_marks(text: str, values: Mapping[str, Any], body: int) -> tuple[tuple[int, int], ...]:
    """Return (offset, page number) where each page of a conversion begins; other files have none."""
    if not values.get(CONVERTED_FROM):
        return ()
    return tuple((found.start(), int(found["number"])) for found in _PAGE.finditer(text, body))


def hash_of(data: bytes) -> str:
    """Return what a conversion keeps of the state of its original."""
    return hashlib.sha256(data).hexdigest()


def recorded_hash(conversion: str) -> str:
    """Return the hash that a conversion's text keeps of its original, "" when it is no conversion."""
    found = _HASH_LINE.search(conversion)
    return found["hash"] if found else ""


def remark_on(original: Path) -> str:
    """Return what there is to say of an original in a folder of documents, "" when its conversion is up to date."""
    stored = original.with_name(stored_name(original))
    if not stored.is_file():
        return "not Markdown, so it is not read; run `evidencedesk convert` on it"
    recorded = recorded_hash(stored.read_text(encoding="utf-8", errors="replace"))
    if recorded and recorded != hash_of(original.read_bytes()):
        return f"it has changed since {stored.name} was made from it; run `evidencedesk convert` on it"
    return ""
