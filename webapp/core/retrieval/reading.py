"""Reading romanised Bangla with the words of the pages that a reader may see, and of no others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from webapp.core.retrieval.engine import IndexVersion, Visible
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.romanised import SoundBook, bangla_words, is_romanised

_CHUNKS = 5_000  # of more, a spread sample knows nearly all the words
_KEPT = 8
_books: dict[tuple[str, str, Visible], SoundBook] = {}


def read_as(query: Query, version: IndexVersion) -> str | None:
    """Return a question in Bangla letters; "" when it is romanised Bangla that can't be read, None when it is none."""
    if query.lang != "en" or not is_romanised(query.text):
        return None
    return _book(version, version.visible(replace(query, only_lang="bn"))).read(query.text)


def _book(version: IndexVersion, visible: Visible) -> SoundBook:
    """Return the book of what is visible; the last few are kept, because making one reads all of its text."""
    manifest = version.manifest
    key = (manifest.config.name, manifest.id, visible)
    if key not in _books:
        if len(_books) >= _KEPT:
            _books.clear()
        listed = (word for pair in manifest.config.synonyms.items() for word in (pair[0], *pair[1]))
        _books[key] = SoundBook(bangla_words([*_texts(version, visible), *listed]))
    return _books[key]


def _texts(version: IndexVersion, visible: Visible) -> Iterator[str]:
    for entry in version.fetch(version.sample(visible, _CHUNKS).tolist()):
        yield f"{entry.chunk.context} {entry.chunk.plain}"
