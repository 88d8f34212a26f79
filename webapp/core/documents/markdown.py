"""Markdown → its leaf blocks, and on first use their plain text, with exact offsets in the file.

The parser (pulldown-cmark) does the reading; its ranges are UTF-8 bytes and are turned into characters here, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyromark

from webapp.core.documents.blocks import BlockWalk
from webapp.core.documents.disguise import disguised
from webapp.core.documents.inline import InlineWalk
from webapp.core.documents.lazy import on_first_use
from webapp.core.documents.model import BlockKind
from webapp.core.documents.outline import Leaf
from webapp.core.documents.plain import PlainDocument, PlainText

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_GFM
)
_PARSER = pyromark.Markdown(options=_OPTIONS)
_LONE_CR = re.compile(r"\r(?!\n)")


@dataclass(frozen=True)
class Outline:
    """The leaf blocks of the Markdown that begins at offset `body` of `text`, in order; their text on first use."""

    text: str
    body: int
    source: str  # the Markdown as the parser reads it
    leaves: list[Leaf]

    @cached_property
    def plain(self) -> PlainDocument:
        """The plain text of the leaves: another pass, for many a document that is read none is needed."""
        events, offsets = _events(self.source, self.body)
        return InlineWalk(self.source, offsets, self.body, self.text).take(events, self.leaves)

    def part(self, first: int, last: int) -> PlainText:
        """Return the plain text of the leaves `first` to `last` (excluded), found when a section asks for its own."""
        return on_first_use(lambda section: self.plain.part(first, last, section.start))

    def sample(self, length: int) -> str:
        """Return the first characters that readers see, with the marks of Markdown among them."""
        text = ""
        for leaf in self.leaves:
            if leaf.kind not in (BlockKind.OTHER, BlockKind.COMMENT):
                text += self.text[leaf.start : min(leaf.end, leaf.start + length)] + "\n"
            if len(text) >= length:
                break
        return text[:length]


def outline(text: str, body: int) -> Outline:
    """Read the blocks of the Markdown that begins at offset `body` of `text`. All offsets given back are the file's."""
    source, events, offsets = parse(text, body)
    return Outline(text, body, source, BlockWalk(source, offsets, body, text).take(events))


def parse(text: str, body: int) -> tuple[str, Iterable[tuple[Any, Any]], Sequence[int]]:
    """Read the Markdown that begins at offset `body` of `text`.

    Return it as the parser reads it, its events with their ranges in bytes of it, and the look-up from such a byte to
    the character's offset in `text`.
    """
    source = disguised(_LONE_CR.sub("\n", text[body:]) if "\r" in text else text[body:])
    return source, *_events(source, body)


def _events(source: str, body: int) -> tuple[Iterable[tuple[Any, Any]], Sequence[int]]:
    return _PARSER.events_with_range(source), _character_offsets(source, body)


def _character_offsets(source: str, base: int) -> Sequence[int]:
    """Return a look-up from byte offset in `source` to character offset in the file, which begins `base` earlier."""
    if source.isascii():
        return range(base, base + len(source) + 1)
    data = np.frombuffer(source.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    offsets = np.empty(len(data) + 1, dtype=np.int32)
    offsets[0] = base
    offsets[1:] = (data & 0xC0) != 0x80
    np.cumsum(offsets, out=offsets)  # in place: a table of a long file is not held twice
    return offsets.data  # gives Python's ints, which the array itself does not
