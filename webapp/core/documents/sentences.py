"""Where sentences end, in English and Bangla, and sensibly in any script. Works on plain text, not on Markdown.

A full stop, a question or an exclamation mark needs white space after it; a danda and the marks of scripts that
write none end a sentence wherever they stand. Quotes and brackets that close after the mark stay with it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from webapp.core.documents.abbreviations import (
    AFTER_QUOTE,
    BANGLA_INITIALS,
    BEFORE_NUMBER,
    BINDING,
    CONTINUING,
    IN_NAMES,
    LABELS,
    STARTERS,
)
from webapp.core.documents.model import Span

_SPACED = ".!?…"
_UNSPACED = "।॥৷。！？｡؟۔"
_CLOSERS = "\"'”’»›)\\]}」』】"
_MARKS = f"[{_SPACED}{_UNSPACED}]"
_CANDIDATE = re.compile(
    rf"(?<!{_MARKS})(?P<mark>{_MARKS}++)(?P<closing>[{_CLOSERS}]*+)(?:(?P<gap>\s+)|(?P<end>\Z)|(?<=[{_UNSPACED}{_CLOSERS}])(?=\S))"
    r"|(?P<blank>\n[^\S\n]*\n\s*)"
)
_END = re.compile(rf"{_MARKS}[{_CLOSERS}*_~`]*\s*\Z")
_WORDS_BEFORE = re.compile(r"(?:(?P<previous>\S+)\s+)?(?P<word>\S+)\Z")
_WORD_AFTER = re.compile(r"[\"'“‘«(\[]*(?P<word>[^\s\"'“”‘’«»()\[\]]+)")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_BANGLA_DOTTED = re.compile(r"(?:[\u0980-\u09ff]{1,4}\.)+[\u0980-\u09ff]{1,5}")
_HONOUR = re.compile(r"\([\u0980-\u09ff]{1,3}\.\)\Z")  # মুহাম্মদ (সা.)
_OPENERS = "\"'“‘«(["
_LOOK_BACK = 60  # characters are enough for the two words before a mark


class _Stop(NamedTuple):
    """A full stop with the words around it."""

    previous: str
    word: str
    following: str
    first: bool  # the word is the first one of the sentence


def sentence_spans(text: str, lang: str = "en") -> list[Span]:
    """Return the sentences in order, trimmed of white space; together they hold every other character.

    The rules go by the script of the words at hand rather than by `lang`, so that an English name in a Bangla page
    is judged as English.
    """
    spans: list[Span] = []
    start = len(text) - len(text.lstrip())
    for candidate in _CANDIDATE.finditer(text, start):
        if not candidate["blank"] and not _ends_here(text, start, candidate):
            continue
        end = candidate.start() if candidate["blank"] else candidate.end("closing")
        if end > start:
            spans.append(Span(start, end))
        start = candidate.end()
    end = len(text.rstrip())
    if end > start:
        spans.append(Span(start, end))
    return spans


def ends_sentence(text: str) -> bool:
    """Say whether the text ends in an end mark; quotes, brackets and emphasis may close after it."""
    return _END.search(text[-_LOOK_BACK:]) is not None


def _ends_here(text: str, start: int, candidate: re.Match[str]) -> bool:
    """Say whether the mark found ends the sentence that began at `start`."""
    mark = candidate["mark"]
    if mark[-1] in _UNSPACED or candidate["end"] is not None:
        return True
    following = _WORD_AFTER.match(text, candidate.end())
    if not candidate["gap"] or following is None:
        return False
    word = following["word"]
    if word[0].islower() and "://" not in word:
        return False
    if candidate["closing"]:
        return word not in AFTER_QUOTE and not _HONOUR.search(text, start, candidate.end("closing"))
    if mark != ".":
        return True
    return _stop_ends(_stop(text, start, candidate.start(), word))


def _stop(text: str, start: int, at: int, following: str) -> _Stop:
    """Return the full stop at `at` of a sentence that begins at `start`, with the words around it."""
    begin = max(start, at - _LOOK_BACK)
    before = _WORDS_BEFORE.search(text[begin:at])
    if before is None:
        return _Stop("", "", following, first=False)
    first = begin == start and before.start("word") == 0
    return _Stop(before["previous"] or "", before["word"].lstrip(_OPENERS), following, first)


def _stop_ends(stop: _Stop) -> bool:
    """Say whether a single full stop ends a sentence, from the words on both sides of it."""
    word, after = stop.word.lower(), stop.following.rstrip(".,;:!?").lower()
    if word in BINDING or _BANGLA_DOTTED.fullmatch(word) or (stop.first and _numbers_a_step(word)):
        return False
    if word in BEFORE_NUMBER and stop.following[0].isdigit():
        return False
    if word in IN_NAMES:
        return after in STARTERS
    if _DOTTED.fullmatch(word):
        return stop.following[0].isupper() and after not in CONTINUING
    return not _is_initial(stop, after)


def _numbers_a_step(word: str) -> bool:
    """`1. Open the box`, `ক. ফরম নিন`."""
    return word.isdigit() or len(word) == 1


def _is_initial(stop: _Stop, after: str) -> bool:
    """Say whether a letter stands for a name: not after "size", nor before a word that begins sentences."""
    if stop.word in BANGLA_INITIALS:
        return True
    if len(stop.word) != 1 or not stop.word.isupper() or not stop.following[0].isupper():
        return False
    another_initial = len(after) == 1 and stop.following.endswith(".")
    return another_initial or (after not in STARTERS and stop.previous.lower() not in LABELS)
