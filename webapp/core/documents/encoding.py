"""Bytes of a file → its text, or a refusal: a wrongly guessed encoding would put wrong words into answers."""

from __future__ import annotations

import codecs

from charset_normalizer import CharsetMatch, from_bytes

from webapp.core.documents.errors import DocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_IN_USE = [  # what text without Unicode is still written in
    *(f"cp125{page}" for page in range(9)),
    *("cp874", "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "koi8_r"),
]
_SURE_MESS = 0.02  # charset-normalizer's share of improbable characters: at most this
_SURE_COHERENCE = 0.5  # and its likeness to a known language: at least this
_MARGIN = 0.03  # of likeness minus mess: a reading that comes so near could be the right one
_HELP = "save it as UTF-8"


def decode(data: bytes) -> str:
    """Return the text without its byte-order mark, line ends untouched. Raises DocumentError when not certain."""
    text = _marked(data).lstrip("\ufeff")  # joined files may have two
    if text.count("\0") * 10 > len(text):
        raise DocumentError(f"this is not a text file, or its encoding is not marked; {_HELP}")
    return text


def _marked(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _guess(data)


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentError(f"the file is marked as {encoding} but is not valid as that; {_HELP}") from error


def _guess(data: bytes) -> str:
    text = _certain(list(from_bytes(data, cp_isolation=_IN_USE)))
    if text is None:
        message = f"the file is not UTF-8 and its encoding can't be told for certain; {_HELP}"
        raise DocumentError(message, _bad_line(data))
    return text


def _certain(readings: list[CharsetMatch]) -> str | None:
    """Return the text that the likeliest reading gives, None when another one that differs is as likely."""
    if not readings:
        return None
    best = min(readings, key=lambda reading: (reading.chaos, -reading.coherence))
    likely = [reading for reading in readings if _score(reading) > _score(best) - _MARGIN]
    sure = best.chaos <= _SURE_MESS and (best.coherence >= _SURE_COHERENCE or len(readings) == 1)
    return str(best) if sure and len({str(reading) for reading in likely}) == 1 else None


def _score(reading: CharsetMatch) -> float:
    return reading.coherence - reading.chaos


def _bad_line(data: bytes) -> int:
    """Return the line of the first byte that is not UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        return 1 + before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
    return 0
