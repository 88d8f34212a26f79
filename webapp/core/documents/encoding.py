"""Bytes of a file → its text, or a refusal: a wrongly guessed encoding would put wrong words into answers."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

from webapp.core.documents.errors import DocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SURE_MESS = 0.02  # charset-normalizer's share of improbable characters: at most this
_SURE_COHERENCE = 0.5  # and its likeness to a known language: at least this
_HELP = "save it as UTF-8"


def decode(data: bytes) -> str:
    """Return the text without its byte-order mark, line ends untouched. Raises DocumentError when not certain."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _guess(data)
    if text.count("\0") * 10 > len(text):
        raise DocumentError(f"this is not a text file, or its encoding is not marked; {_HELP}")
    return text


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentError(f"the file is marked as {encoding} but is not valid as that; {_HELP}") from error


def _guess(data: bytes) -> str:
    best = from_bytes(data).best()
    if best is None or best.chaos > _SURE_MESS or best.coherence < _SURE_COHERENCE:
        message = f"the file is not UTF-8 and its encoding can't be told for certain; {_HELP}"
        raise DocumentError(message, _bad_line(data))
    return str(best)


def _bad_line(data: bytes) -> int:
    """Return the line of the first byte that is not UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        return 1 + before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
    return 0
