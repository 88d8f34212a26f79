"""The language of a text, told by its script; good enough to choose sentence rules and to prefer documents by."""

from __future__ import annotations

import re

# Language → the characters that only its script has. Several languages of one script: the collection's own wins.
_SCRIPTS: dict[str, str] = {
    "latin": "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
    "bengali": "\u0980-\u09ff",
    "devanagari": "\u0900-\u097f",
    "arabic": "\u0600-\u06ff",
    "cyrillic": "\u0400-\u052f",
    "greek": "\u0370-\u03ff",
    "hebrew": "\u0590-\u05ff",
    "thai": "\u0e00-\u0e7f",
    "tamil": "\u0b80-\u0bff",
    "kana": "\u3040-\u30ff",
    "hangul": "\uac00-\ud7af",
    "han": "\u4e00-\u9fff",
}
_LANGUAGES: dict[str, tuple[str, ...]] = {
    "latin": ("en", "de", "es", "fr", "id", "it", "nl", "pl", "pt", "sv", "tr", "vi"),
    "bengali": ("bn", "as"),
    "devanagari": ("hi", "mr", "ne"),
    "arabic": ("ar", "fa", "ur"),
    "cyrillic": ("ru", "uk", "bg", "sr"),
    "greek": ("el",),
    "hebrew": ("he",),
    "thai": ("th",),
    "tamil": ("ta",),
    "kana": ("ja",),
    "hangul": ("ko",),
    "han": ("zh", "ja"),
}
KNOWN_LANGUAGES = frozenset(code for codes in _LANGUAGES.values() for code in codes)
_LETTERS = {script: re.compile(f"[{characters}]") for script, characters in _SCRIPTS.items()}
_CODE = re.compile(r"`[^`\n]*`|<[^<>\n]*>|https?://\S+|\]\([^)\s]*")
SAMPLE = 4000  # characters are enough to tell a script
_WEIGHT = {"latin": 0.5}  # names, commands and addresses are Latin in every language


def detect_language(text: str, languages: tuple[str, ...] = ("en", "bn")) -> str:
    """Return the language code of the text; the collection's main one when it holds no letters."""
    sample = _CODE.sub(" ", text[:SAMPLE])
    if sample.isascii():
        known = _LANGUAGES["latin"] if any(map(str.isalpha, sample)) else ()
        return next((code for code in languages if code in known or not known), known[0] if known else "en")
    counts = {script: len(letters.findall(sample)) * _WEIGHT.get(script, 1) for script, letters in _LETTERS.items()}
    if counts["kana"]:
        counts["kana"] += counts.pop("han")
    script = max(counts, key=lambda name: counts[name])
    if not counts[script]:
        return languages[0] if languages else "en"
    known = _LANGUAGES[script]
    return next((code for code in languages if code in known), known[0])


def named_first(path: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the collection's languages with those first that a folder or the file's name gives: `de/fees.md`,
    `fees.de.md`. They decide between languages of one script, which a text alone does not. An ending may also name a
    language that is none of the collection's; a folder may not (`it/`)."""
    parts = re.split(r"[/.]", path.lower())
    ending = [code for code in parts[-2:-1] if code in KNOWN_LANGUAGES and path.rpartition("/")[2].count(".") > 1]
    return tuple(dict.fromkeys([*ending, *(code for code in languages if code in parts), *languages]))
