"""The code samples of a Markdown text: between fences, and between the tags by which Hugo and Liquid set them off."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from webapp.core.documents.stand_ins import FILL, Closings, Replacement

_NAMES = "highlight|code|codeblock|mermaid|plantuml|katex|math|command|terminal"


class Code:
    """The code samples of a text, found when they are first asked for."""

    def __init__(self, source: str) -> None:
        self._source = source

    @cached_property
    def samples(self) -> list[Sample]:
        """All of them, in order."""
        return list(_samples(self._source))

    @cached_property
    def _starts(self) -> list[int]:
        return [sample.start for sample in self.samples]

    def holds(self, offset: int) -> bool:
        """Say whether a sample stands there."""
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self.samples[index].end


_TAGGED = re.compile(rf"\{{[%{{][-<%]?[ \t]*+(?:{_NAMES})\b|\{{\{{[<%][^\n{{}}]*\bcodelang=")
_OPENING = re.compile(
    r"\n[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+(?:(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3,}+)"
    rf"|(?P<tag>\{{(?:\{{[<%][ \t]*+(?P<short>(?:{_NAMES})\b|\w++(?=[ -~]*\bcodelang=))[ -~]*(?<!/)[>%]\}}"
    r"|%-?[ \t]*+(?P<liquid>highlight|codeblock)\b[ -~]*%)\})[ \t]*+\r?$)",
    re.MULTILINE,
)


class Sample(NamedTuple):
    """Where a sample stands, and what is to stand for the tags around it when no fence encloses it."""

    start: int
    end: int
    fences: tuple[Replacement, ...] = ()


def tagged_samples(source: str, code: Code) -> Iterator[Replacement]:
    """Yield the fences that stand for tags."""
    if _TAGGED.search(source):
        yield from (fence for sample in code.samples for fence in sample.fences)


def _samples(source: str) -> Iterator[Sample]:
    """Yield the samples. A fence that is never closed goes on to the end; a tag that is never closed opens none."""
    text, at = "\n" + source, 0  # line ends are found several times as fast as beginnings of lines
    closings = Closings(text)
    while opening := _OPENING.search(text, at):
        at = opening.end()
        closing = closings.after(at, _closing(opening), re.MULTILINE)
        if opening["fence"] or closing:
            at = closing.end() if closing else len(text)
            yield Sample(opening.start(), at - 1, _fences(opening, closing) if closing and opening["tag"] else ())


def _closing(opening: re.Match[str]) -> str:
    """Return the pattern of what closes a sample."""
    if fence := opening["fence"]:
        return rf"\n[ \t>]*+{fence[0]}{{{len(fence)},}}[ \t]*\r?$"
    name = opening["liquid"] or opening["short"]
    ending = rf"%-?[ \t]*+end{name}\b[ -~]*%" if opening["liquid"] else rf"\{{[<%][ \t]*+/[ \t]*+{name}\b[ -~]*\}}"
    return rf"\n[ \t>]*+(?P<tag>\{{{ending}\}})[ \t]*+\r?$"


def _fences(opening: re.Match[str], closing: re.Match[str]) -> tuple[Replacement, ...]:
    """Return fences in place of two tags, longer than those inside the sample are."""
    lengths = len(opening["tag"]), len(closing["tag"])
    fences = ("`" * min(lengths)).ljust(lengths[0], FILL), "`" * lengths[1]
    starts = (tag.start("tag") - 1 for tag in (opening, closing))
    return tuple((at, at + len(fence), fence) for at, fence in zip(starts, fences, strict=True))
