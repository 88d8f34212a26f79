"""Where sources and answers are found."""

from __future__ import annotations

from typing import Any

from flask import url_for

from webapp.core.answering.model import Answer, Citation
from webapp.web.i18n import language_in_address


def source_url(collection: str, document_id: str, **query: Any) -> str:
    """Return the address of a document's source page; query values that are None are left out."""
    return url_for("source.show", collection=collection, document_id=document_id, **query)


def citation_url(answer: Answer, citation: Citation) -> str:
    """Return the address of a citation's lines as they were when the answer was made, at the first quoted one."""
    quotes = (quote for one in answer.statements for quote in one.quotes if quote.marker == citation.marker)
    line = min((quote.first_line for quote in quotes), default=citation.first_line)
    page = citation.url.partition("#")[0]
    if lang := language_in_address():
        page += f"&lang={lang}"
    return f"{page}#L{line}" if line else page
