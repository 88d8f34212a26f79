"""How sentences of a source are said on their own."""

from __future__ import annotations

from webapp.core.documents.model import Sentence

_CELLS = " | "  # parts the cells of a table row in plain text


def spoken(sentence: Sentence) -> str:
    """Return a sentence with what gives it meaning: an item after its lead-in line, cells after their columns."""
    if not sentence.lead:
        return sentence.text
    columns, cells = sentence.lead.split(_CELLS), sentence.text.split(_CELLS)
    if len(columns) == len(cells) > 1:
        return "; ".join(f"{column}: {cell}" if column else cell for column, cell in zip(columns, cells, strict=True))
    return f"{sentence.lead} {sentence.text}"


def heads_columns(lead: str) -> bool:
    """Tell whether what stands before a sentence is the header row of its table."""
    return _CELLS in lead
