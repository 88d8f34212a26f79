"""Windows that slide over a section's text: simple, blind to its structure, and the measure for the others."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

from webapp.core.chunking.base import strategies
from webapp.core.documents.model import Section, Span

_CRLF = re.compile(r"\r\n")
_WORD = re.compile(r"\S+")
# Four Latin letters, three digits, two letters of another script with their signs, or any other sign: about what the
# tokenizers of many languages make of a text. Each model has its own, so this is an estimate, and said to be one.
_LETTERS = r"[^\s!-@\[-`{-~A-Za-z]"
_TOKEN = re.compile(rf"[A-Za-z]{{1,4}}|[0-9]{{1,3}}|{_LETTERS}{{1,2}}|\S")


class _Windows(BaseModel, frozen=True, extra="forbid"):
    """Size and overlap, checked against each other."""

    size: int = Field(ge=1)
    overlap: int = Field(ge=0)

    @model_validator(mode="after")
    def _overlap_below_size(self) -> Self:
        if self.overlap >= self.size:
            raise ValueError(f"overlap must be smaller than size ({self.size}), not {self.overlap}")
        return self


class FixedOptions(_Windows, frozen=True):
    """Windows of characters."""

    size: int = Field(200, ge=1, description="Characters in a window")
    overlap: int = Field(40, ge=0, description="Characters that a window shares with the one before")


class WordsOptions(_Windows, frozen=True):
    """Windows of words."""

    size: int = Field(40, ge=1, description="Words in a window")
    overlap: int = Field(10, ge=0, description="Words that a window shares with the one before")


class TokensOptions(_Windows, frozen=True):
    """Windows of model tokens."""

    size: int = Field(200, ge=1, description="Model tokens in a window, estimated")
    overlap: int = Field(40, ge=0, description="Model tokens that a window shares with the one before")


def windows(length: int, size: int, overlap: int) -> Iterator[Span]:
    """Yield windows over `length` units; none after the one that reaches the end."""
    for start in range(0, max(length - overlap, min(length, 1)), size - overlap):
        yield Span(start, min(start + size, length))


@strategies.register("fixed", "Windows of so many characters, wherever they fall", FixedOptions)
def fixed(section: Section, options: Any) -> Iterator[Span]:
    """Return windows of characters; a line end counts as one, however it is written."""
    text = section.text
    ends = [found.start() - before for before, found in enumerate(_CRLF.finditer(text))]  # as counted
    counted = windows(len(text) - len(ends), options.size, options.overlap)
    if not ends:
        return counted
    return (Span(start + bisect_left(ends, start), end + bisect_left(ends, end)) for start, end in counted)


@strategies.register("words", "Windows of so many words", WordsOptions)
def words(section: Section, options: Any) -> Iterator[Span]:
    """Yield windows of words."""
    return _windows_of(_WORD, section.text, options)


@strategies.register("tokens", "Windows of so many model tokens, estimated", TokensOptions)
def tokens(section: Section, options: Any) -> Iterator[Span]:
    """Yield windows of about so many tokens, wherever they fall."""
    return _windows_of(_TOKEN, section.text, options)


def _windows_of(unit: re.Pattern[str], text: str, options: _Windows) -> Iterator[Span]:
    found = [(one.start(), one.end()) for one in unit.finditer(text)]
    for window in windows(len(found), options.size, options.overlap):
        yield Span(found[window.start][0], found[window.end - 1][1])
