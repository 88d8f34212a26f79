"""Pages as they were just made, for the next who is to get the same: making one takes longer than all else about it.

What a page says has to follow from its key, so that none is ever out of date: whatever may change stands in the key,
and a page whose key nobody asks for any more is let go of in time. The words that are good for one request alone are
put in the places of those that it was made with; they are long and random, so that nothing else can be mistaken for
them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from webapp.core.last_used import LastUsed

MOST = 300  # pages of some 30 kB


class KeptPages:
    """The last pages that were asked for. Safe to use from several threads."""

    def __init__(self, most: int = MOST) -> None:
        self._kept: LastUsed[tuple[str, Sequence[str]]] = LastUsed(most)

    def get(self, key: Hashable, words: Sequence[str], make: Callable[[], str]) -> str:
        """Return the page of that key with this request's words; `make` writes it with them."""
        kept = self._kept.get(key) or self._kept.put(key, (make(), words))
        return _with(words, *kept)


def _with(words: Sequence[str], html: str, made_with: Sequence[str]) -> str:
    for word, old in zip(words, made_with, strict=True):
        html = html.replace(old, word)
    return html
