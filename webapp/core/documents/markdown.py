"""Markdown → its leaf blocks and plain text, each with exact offsets in the file: one walk over a parser's events.

The parser (pulldown-cmark) does the reading; its ranges are UTF-8 bytes and are turned into characters here, once.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyromark

from webapp.core.documents.outline import Outline
from webapp.core.documents.walk import Walk

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_GFM
)
_PARSER = pyromark.Markdown(options=_OPTIONS)
_LONE_CR = re.compile(r"\r(?!\n)")


def outline(text: str, body: int) -> Outline:
    """Walk over the Markdown that begins at offset `body` of `text`. All offsets given back are the file's."""
    source, events, offsets = parse(text, body)
    walk = Walk(source, offsets, body)
    walk.take(events)
    return walk.finish()


def parse(text: str, body: int) -> tuple[str, Iterable[tuple[Any, Any]], Sequence[int]]:
    """Read the Markdown that begins at offset `body` of `text`.

    Return it as it was read, the parser's events with their ranges in bytes of it, and the look-up from such a byte to
    the character's offset in `text`.
    """
    source = _LONE_CR.sub("\n", text[body:]) if "\r" in text else text[body:]
    return source, _PARSER.events_with_range(source), _character_offsets(source, body)


def _character_offsets(source: str, base: int) -> Sequence[int]:
    """Return a look-up from byte offset in `source` to character offset in the file, which begins `base` earlier."""
    if source.isascii():
        return range(base, base + len(source) + 1)
    data = np.frombuffer(source.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    offsets = np.empty(len(data) + 1, dtype=np.int32)
    offsets[0] = base
    np.cumsum((data & 0xC0) != 0x80, out=offsets[1:])
    offsets[1:] += base
    return array("i", offsets.tobytes())
