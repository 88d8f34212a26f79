"""Words as they are searched: the same analysis for documents and questions, in every script.

A word keeps its combining marks (Bangla vowel signs are marks), loses its joiners and its case, and is stemmed where
a stemmer exists. Codes, numbers, amounts and dates are kept whole, and their parts stand beside them. Scripts
written without spaces give pairs of neighbouring characters.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import Stemmer

# ISO 639-1 code → Snowball algorithm.
STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
NOT_LATIN = frozenset({"ar", "el", "fa", "hi", "hy", "ne", "ru", "ta", "yi"})

IRREGULAR_PLURALS = {
    "children": "child",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
}

JOINERS = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD))
APOSTROPHES = {0x2019: "'", 0x2018: "'", 0x02BC: "'", 0xFF07: "'"}
OLD_KHANDA_TA = "\u09a4\u09cd\u200d"  # how U+09CE was written before it had a character of its own

CURRENCY = "$€£¥₹৳"
SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?")
NUMBER_AND_UNIT = re.compile(r"(\d+)([^\d]+)")

# Longest first, so that the plural is taken before the case ending inside it. A word keeps three characters, or two
# where the ending is so long that it can't be part of the word.
_ENDINGS = """গুলোর গুলোতে গুলোকে গুলো গুলির গুলিতে গুলিকে গুলি দেরকে দের টির টিতে টিকে টি টার টাতে টাকে টা য়ের ের য়ে য়
তে কে রা র েও েই ে ও ই"""
BANGLA_ENDINGS = frozenset(_ENDINGS.split())
_ANY_ENDING = tuple(BANGLA_ENDINGS)
_LENGTHS = sorted(set(map(len, BANGLA_ENDINGS)), reverse=True)


@dataclass(frozen=True, slots=True)
class Token:
    """One searched term. `exact` terms (codes, numbers, amounts, dates) are never stemmed nor forgiven a typo."""

    term: str
    word: str  # before stemming
    exact: bool = False
    part: bool = False  # of a term that stands before it whole


def terms(text: str, lang: str) -> list[str]:
    """Return the searched terms of a text, in its order. None of them holds a blank."""
    return [term for run in _runs_of(text) for term in _run_terms(run, lang)]


def tokens(text: str, lang: str) -> Iterator[Token]:
    """Yield the tokens of a text, in its order: a joined run first whole (where it counts as one), then its parts."""
    for run in _runs_of(text):
        yield from _run_tokens(run, lang)


def _runs_of(text: str) -> list[str]:
    text = normalise(text)
    return (_ASCII_RUNS if text.isascii() else _runs()).findall(text)


def normalise(text: str) -> str:
    """Return the text in the form that words are compared in: NFC, joiners gone, one kind of digit, no case."""
    text = unicodedata.normalize("NFC", text)
    if not text.isascii():
        text = text.replace(OLD_KHANDA_TA, "\u09ce").translate(JOINERS).translate(APOSTROPHES)
        text = "".join(map(_latin_digit, text))
    return text.casefold()


@lru_cache(maxsize=4096)
def _latin_digit(character: str) -> str:
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


def _run_pattern(word: str) -> re.Pattern[str]:
    """Words held together by single joining characters; a currency or per cent sign stays on."""
    return re.compile(f"[{CURRENCY}]?{word}(?:[-–'.,:/_&+@]{word})*%?")


_ASCII_RUNS = _run_pattern("[^\\W_]+")


@lru_cache(maxsize=1)
def _runs() -> re.Pattern[str]:
    return _run_pattern(f"(?:[^\\W_]|[{_marks()}])+")


def _marks() -> str:
    """Return the combining marks of all scripts as ranges for a character class (Python's \\w leaves them out)."""
    ranges: list[list[int]] = []
    for code, category in enumerate(map(unicodedata.category, map(chr, range(0x300, 0x20000))), 0x300):
        if category[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@lru_cache(maxsize=1 << 16)  # words repeat: all but the first few thousand of a collection are found here
def _run_tokens(run: str, lang: str) -> tuple[Token, ...]:
    return tuple(_analysed(run, lang))


@lru_cache(maxsize=1 << 16)
def _run_terms(run: str, lang: str) -> tuple[str, ...]:
    return tuple(token.term for token in _run_tokens(run, lang))


def _analysed(run: str, lang: str) -> Iterator[Token]:
    parts = [part for part in re.split(r"[-–.,:/_&+@%" + CURRENCY + "]", run) if part]
    if any(character.isdigit() for character in run):
        yield from _exact_tokens(run, parts, lang)
        return
    if len(parts) > 1 and all(mark in "-–" for mark in re.findall(r"[-–.,:/_&+@]", run)):
        joined = "".join(parts)  # e-mail also finds email
        yield Token(stem(joined, lang), joined)
        yield from (replace(token, part=True) for part in parts for token in _word_tokens(part, lang))
        return
    for part in parts:
        yield from _word_tokens(part, lang)


def _exact_tokens(run: str, parts: list[str], lang: str) -> Iterator[Token]:
    """Yield a code, number, amount or date whole, then its parts; 1,500 and 1500 are one number."""
    number = run.strip(CURRENCY + "%")
    if THOUSANDS.fullmatch(number):
        plain = number.replace(",", "")
        run, parts = run.replace(",", ""), [plain]
    if parts == [run] and not NUMBER_AND_UNIT.fullmatch(run):
        yield Token(run, run, exact=True)
        return
    yield Token(run, run, exact=True)
    for part in parts:
        unit = NUMBER_AND_UNIT.fullmatch(part)
        pieces = (unit[1], unit[2]) if unit else (part,)
        if unit and part != run:
            yield Token(part, part, exact=True, part=True)
        for piece in pieces:
            yield from (replace(token, part=True) for token in _word_tokens(piece, lang))


def _word_tokens(word: str, lang: str) -> Iterator[Token]:
    if SPACELESS.search(word):
        pairs = [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        yield from (Token(pair, pair) for pair in pairs)
    elif any(character.isdigit() for character in word):
        yield Token(word, word, exact=True)
    else:
        yield Token(stem(word, lang), word)


def stem(word: str, lang: str) -> str:
    """Return the stem of a normalised word.

    The script decides as well as the language: Bangla words are always stemmed as Bangla; Latin words in a text
    whose language has no stemmer for Latin letters are taken for English, as they mostly are.
    """
    if "\u0980" <= word[0] <= "\u09ff":
        return _bangla_stem(word)
    if word[0] < "\u0250":
        stemmed = _fold_accents(_snowball(word, "en" if lang in NOT_LATIN or lang not in STEMMERS else lang))
        return IRREGULAR_PLURALS.get(stemmed, stemmed)
    return _snowball(word, lang) if lang in NOT_LATIN else word


def _bangla_stem(word: str) -> str:
    if not word.endswith(_ANY_ENDING):  # one look at all of them: of the spellings that are tried, most end in none
        return word
    for length in _LENGTHS:
        if word[-length:] in BANGLA_ENDINGS and len(word) - length >= (2 if length > 3 else 3):
            return word[:-length]
    return word


def _fold_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not "\u0300" <= c <= "\u036f")


_local = threading.local()  # a stemmer must not be used by two threads at once


def _snowball(word: str, lang: str) -> str:
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__
    if lang not in stemmers:
        stemmers[lang] = Stemmer.Stemmer(STEMMERS[lang], 0)  # its own cache costs more than stemming a new word
    stemmed: str = stemmers[lang].stemWord(word)
    return stemmed
