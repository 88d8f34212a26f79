"""What differs between two states of a text: line by line, and word by word where lines were changed.

Rows come in the order of reading. An unchanged line stands on both sides; of a stretch that was changed, old and new
lines stand beside each other in order. Words are compared over a stretch as a whole, so that a paragraph whose lines
only break elsewhere has no changed word in it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import NamedTuple

from webapp.core.documents.lines import lines_of
from webapp.core.documents.model import Span

_WORD = re.compile(r"[\s!-/:-@\[-`{-~।॥“”‘’…–—]|[^\s!-/:-@\[-`{-~।॥“”‘’…–—]+")  # a mark by itself, else a word whole
_MOST_WORDS = 2_000  # of a stretch: in longer ones it takes too long, and helps nobody
_ALIKE = 0.3  # share of common words under which a stretch was written anew: marks would hide that
_MOST_PAIRS = 4_000_000  # lines of one side times lines of the other that are compared in every order


class DiffLine(NamedTuple):
    """A line of one side, 1-based; `marks` are the changed words, offsets in its text."""

    number: int
    text: str
    marks: tuple[Span, ...] = ()


class Row(NamedTuple):
    """A line before and after; one of them is None where there is no more to set beside it."""

    old: DiffLine | None
    new: DiffLine | None
    same: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows in a run: shown, or folded because nothing changed in or near them."""

    rows: tuple[Row, ...]
    folded: bool = False


def compare_texts(old: str, new: str) -> tuple[Row, ...]:
    """Return every line of both texts in rows. Line ends make no difference."""
    before, after = lines_of(old) if old else [], lines_of(new) if new else []
    rows: list[Row] = []
    for same, first, last, start, end in _stretches(before, after):
        if same:
            rows += (
                Row(DiffLine(first + i + 1, text), DiffLine(start + i + 1, text), True)
                for i, text in enumerate(before[first:last])
            )
        else:
            rows += _changed(before[first:last], first, after[start:end], start)
    return tuple(rows)


def folded(rows: Sequence[Row], context: int = 3) -> tuple[Stretch, ...]:
    """Return the rows in stretches: those that changed with `context` rows around them, the rest folded."""
    near = [False] * len(rows)
    for at, row in enumerate(rows):
        if not row.same:
            first, end = max(at - context, 0), min(at + context + 1, len(rows))
            near[first:end] = [True] * (end - first)
    runs = groupby(range(len(rows)), key=lambda at: near[at])
    return tuple(Stretch(tuple(rows[at] for at in run), folded=not shown) for shown, run in runs)


def new_place(rows: Iterable[Row], first: int, last: int) -> tuple[int, int] | None:
    """Return where the old lines `first` to `last` stand now, or None when one of them changed."""
    kept = {row.old.number: row.new.number for row in rows if row.same and row.old and row.new}
    now = [kept.get(number) for number in range(first, last + 1)]
    found = [number for number in now if number is not None]
    return (found[0], found[-1]) if len(found) == len(now) == last - first + 1 == found[-1] - found[0] + 1 else None


def compare_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the words of each text that the other doesn't have at that place; white space makes no difference."""
    before, after = _words(old), _words(new)
    if not before or not after or max(len(before), len(after)) > _MOST_WORDS:
        return (), ()
    matcher = SequenceMatcher(None, [word for word, _ in before], [word for word, _ in after])
    if matcher.ratio() < _ALIKE:
        return (), ()
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        tuple(_joined(old, (span for _, i, j, _, _ in changes for _, span in before[i:j]))),
        tuple(_joined(new, (span for _, _, _, i, j in changes for _, span in after[i:j]))),
    )


def _stretches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Yield (same, old from, to, new from, to), the whole of both sides in order."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    ends = len(old) - tail, len(new) - tail
    if head:
        yield True, 0, head, 0, head
    for same, i, j, k, m in _inside(old[head : ends[0]], new[head : ends[1]]):
        yield same, head + i, head + j, head + k, head + m
    if tail:
        yield True, ends[0], len(old), ends[1], len(new)


def _inside(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    if len(old) * len(new) <= _MOST_PAIRS:
        for tag, i, j, k, m in SequenceMatcher(None, old, new).get_opcodes():
            yield tag == "equal", i, j, k, m
        return
    anchors = _anchors(old, new)
    if not anchors:
        yield False, 0, len(old), 0, len(new)
        return
    i = k = 0
    for j, m in (*anchors, (len(old), len(new))):
        for same, *places in _inside(old[i:j], new[k:m]):
            yield same, i + places[0], i + places[1], k + places[2], k + places[3]
        if j < len(old):
            yield True, j, j + 1, m, m + 1
        i, k = j + 1, m + 1


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return places of lines that stand once on each side, as many as keep their order."""
    once, places = Counter(old), Counter(new)
    at = {text: k for k, text in enumerate(new) if places[text] == 1}
    pairs = [(i, at[text]) for i, text in enumerate(old) if once[text] == 1 and text in at]
    ends: list[int] = []  # last place on the new side of the best run of each length
    best: list[tuple[int, tuple[int, int]]] = []  # each pair, after the index of the one that goes before it
    tops: list[int] = []  # index in `best` of the run that each of `ends` belongs to
    for pair in pairs:
        length = bisect_left(ends, pair[1])
        best.append((tops[length - 1] if length else -1, pair))
        ends[length : length + 1] = [pair[1]]
        tops[length : length + 1] = [len(best) - 1]
    return _run_to(best, tops[-1]) if tops else []


def _run_to(best: Sequence[tuple[int, tuple[int, int]]], at: int) -> list[tuple[int, int]]:
    run = []
    while at >= 0:
        at, pair = best[at]
        run.append(pair)
    return run[::-1]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count


def _changed(old: Sequence[str], first: int, new: Sequence[str], start: int) -> Iterator[Row]:
    marks = compare_words("\n".join(old), "\n".join(new))
    before, after = (
        [DiffLine(begin + i + 1, text, within) for i, (text, within) in enumerate(_marked(side, spans))]
        for side, begin, spans in ((old, first, marks[0]), (new, start, marks[1]))
    )
    for one, other in zip_longest(before, after):
        yield Row(one, other, False)


def _marked(lines: Sequence[str], spans: Sequence[Span]) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield each line with its part of the spans, which are offsets in the lines joined by one character."""
    start = 0
    for text in lines:
        end = start + len(text)
        inside = (Span(max(span.start, start) - start, min(span.end, end) - start) for span in spans)
        yield text, tuple(span for span in inside if span.start < span.end)
        start = end + 1


def _words(text: str) -> list[tuple[str, Span]]:
    found = _WORD.finditer(text)
    return [(match[0], Span(*match.span())) for match in found if not match[0].isspace()]


def _joined(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans, those with nothing but blanks between made one."""
    held: Span | None = None
    for span in spans:
        if held and not text[held.end : span.start].strip():
            held = Span(held.start, span.end)
            continue
        if held:
            yield held
        held = span
    if held:
        yield held
