"""Text of people and files as a page or a terminal may hold it."""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # all but tab and line ends; ESC speaks to terminals
_REORDERING = "\u202a-\u202e\u2066-\u2069"  # would turn round the words beside them
_NO_CHARACTERS = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
_NEVER = re.compile(f"[{_CONTROLS}{_REORDERING}{_NO_CHARACTERS}]")
# Apart from the others: beside them every character would take twenty times as long.
_LAST_OF_PLANES = "".join(chr(plane * 0x10000 + last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
_NEVER_BEYOND = re.compile(f"[{_LAST_OF_PLANES}]")
_SIGN = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Return the text with a sign in place of each character that HTML forbids, and of those that reorder what is
    around them; as many characters as before. Joiners and marks of direction, which scripts need, stay."""
    return _NEVER_BEYOND.sub(_SIGN, _NEVER.sub(_SIGN, text))
