"""Where sentences end, in English and Bangla, and sensibly in any script. Works on plain text, not on Markdown."""

from __future__ import annotations

import re

from webapp.core.documents.abbreviations import (
    BANGLA_INITIALS,
    BEFORE_NUMBER,
    BINDING,
    CONTINUING,
    IN_NAMES,
    LABELS,
    STARTERS,
)
from webapp.core.documents.model import Span

_CLOSERS = "\"'”’»›)\\]}」』】"
_SPACED = ".!?…"  # need white space after them to end a sentence
_UNSPACED = "।॥。！？｡؟۔"  # end one wherever they stand
_CANDIDATE = re.compile(
    rf"(?P<mark>[{_SPACED}{_UNSPACED}]+)[{_CLOSERS}]*(?:(?P<gap>\s+)|$|(?<=[{_UNSPACED}{_CLOSERS}])(?<![{_SPACED}])(?=\S))"
    r"|\n[^\S\n]*\n\s*"
)
_END = re.compile(rf"[{_SPACED}{_UNSPACED}][{_CLOSERS}*_~`]*\s*$")
_LAST_WORD = re.compile(r"\S+$")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[]*(?P<word>[^\s\"'“”‘’«»()\[\]]+)")
_DOTTED = re.compile(r"(?:[A-Za-z]{1,2}\.)+[A-Za-z]{1,2}")
_CLOCK = frozenset({"a.m", "p.m"})
_LOOK_BACK = 60  # characters are enough for the word before a mark and the one before that
_BENGALI = re.compile(r"[\u0980-\u09ff]")


def sentence_spans(text: str, lang: str = "en") -> list[Span]:
    """Return the sentences in order, trimmed of white space; together they hold every other character.

    `lang` is taken for symmetry with the other language functions: the rules go by the script of the words at hand,
    so that an English name in a Bangla page is judged as English.
    """
    spans: list[Span] = []
    start = _skip_space(text, 0)
    for candidate in _CANDIDATE.finditer(text):
        end = candidate.end() - len(candidate["gap"] or "") if candidate["mark"] else candidate.start()
        if end <= start or (candidate["mark"] and not _ends_here(text, start, candidate)):
            continue
        spans.append(Span(start, end))
        start = candidate.end()
    end = len(text.rstrip())
    if end > start:
        spans.append(Span(start, end))
    return spans


def ends_sentence(text: str) -> bool:
    """Say whether the text ends in an end mark; quotes, brackets and emphasis may close after it."""
    return _END.search(text[-_LOOK_BACK:]) is not None


def _skip_space(text: str, start: int) -> int:
    return start + len(text[start:]) - len(text[start:].lstrip())


def _ends_here(text: str, start: int, candidate: re.Match[str]) -> bool:
    """Say whether the mark found ends the sentence that began at `start`."""
    mark = candidate["mark"]
    if mark[-1] in _UNSPACED or candidate.end() == len(text):
        return True
    following = _NEXT_WORD.match(text, candidate.end())
    if following is None:
        return False  # nothing but closing marks follow: they belong to this sentence
    word = following["word"]
    if word[0].islower() and not _is_address(word):
        return False
    if mark != "." or candidate.end("mark") != candidate.end() - len(candidate["gap"] or ""):
        return True
    return _stop_ends(text[max(start, candidate.start() - _LOOK_BACK) : candidate.start()], start, candidate, word)


def _stop_ends(before: str, start: int, candidate: re.Match[str], following: str) -> bool:
    """Say whether a single full stop ends a sentence, from the words on both sides of it."""
    last = _LAST_WORD.search(before)
    word = last[0].lstrip("\"'“‘«([") if last else ""
    lower, after = word.lower(), following.rstrip(".,;:!?").lower()
    if lower in BINDING:
        return False
    if lower in BEFORE_NUMBER and following[0].isdigit():
        return False
    if lower in IN_NAMES:
        return after in STARTERS
    if word.isdigit() and last is not None and candidate.start() - len(last[0]) == start:
        return False  # the number of a step: "1. Open the box"
    if lower in _CLOCK or _DOTTED.fullmatch(word):
        return after not in CONTINUING and not following[0].isdigit()
    if _BENGALI.search(word):
        return word not in BANGLA_INITIALS and not all(len(part) <= 3 for part in word.split(".")) or "." not in word
    return not _is_initial(word, before[: last.start()] if last else "", after)


def _is_initial(word: str, before: str, after: str) -> bool:
    """Say whether a single capital stands for a name: not after "size", nor before a word that begins sentences."""
    if len(word) != 1 or not word.isupper() or after in STARTERS:
        return False
    previous = before.split()
    return not previous or previous[-1].lower() not in LABELS


def _is_address(word: str) -> bool:
    return "://" in word or word.startswith("www.")
