"""Text of people and files as a page or a terminal may hold it."""

from __future__ import annotations

import json
import re

_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # all but tab and line ends; ESC speaks to terminals
_REORDERING = "\u202a-\u202e\u2066-\u2069"  # would turn round the words beside them
_NO_CHARACTERS = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
_RARE = "\U0001fffe-\U0010ffff"  # the last two of each plane are no characters either; naming each takes far longer
_SUSPECT = re.compile(f"[{_CONTROLS}{_REORDERING}{_NO_CHARACTERS}{_RARE}]")


def printable(text: str) -> str:
    """Return the text with a sign in place of each character that HTML forbids, and of those that reorder what is
    around them; as many characters as before. Joiners and marks of direction, which scripts need, stay."""
    return _SUSPECT.sub(_shown, text)


def printable_json(text: str) -> str:
    """Return JSON that says the same, in which such characters are written as escapes."""
    return _SUSPECT.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    return found[0] if code > 0xFFFF and code & 0xFFFF < 0xFFFE else "\N{REPLACEMENT CHARACTER}"
