"""The terms of a chunk as one string.

Ranking asks of hundreds of chunks whether and how often they hold a term. Searching a string for it takes a fraction of
the time that taking the terms apart would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

_APART = "  "  # a blank of its own on either side of each term


def marked(term: str) -> str:
    """Return what to look for in `joined`."""
    return f" {term} "


class TermText(Sequence[str]):
    """Terms in their order; none of them holds a blank. `joined` is `" a  b "` for a and b."""

    __slots__ = ("_length", "joined")

    def __init__(self, joined: str) -> None:
        self.joined = joined
        self._length = (joined.count(_APART) + 1) if joined else 0

    @classmethod
    def of(cls, terms: Iterable[str]) -> TermText:
        """Join terms."""
        joined = _APART.join(terms)
        return cls(f" {joined} " if joined else "")

    def __len__(self) -> int:
        return self._length

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and marked(term) in self.joined

    def count(self, term: str) -> int:
        """Return how often the term stands there."""
        return self.joined.count(marked(term))

    def __iter__(self) -> Iterator[str]:
        return iter(self.joined[1:-1].split(_APART) if self.joined else ())

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return tuple(self)[place]
