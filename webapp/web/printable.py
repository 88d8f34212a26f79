"""Text of files as HTML can hold it."""

from __future__ import annotations

_ALLOWED = {"\t", "\n", "\r"}
_NEVER = (*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000), *range(0xFDD0, 0xFDF0))
_PLANES = (plane * 0x10000 + last for plane in range(17) for last in (0xFFFE, 0xFFFF))
_TABLE = {code: "\N{REPLACEMENT CHARACTER}" for code in (*_NEVER, *_PLANES) if chr(code) not in _ALLOWED}


def printable(text: str) -> str:
    """Return the text with a sign in place of each character that HTML forbids; as many characters as before."""
    return text.translate(_TABLE)
