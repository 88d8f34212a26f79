"""Bytes to text, or a refusal."""

from __future__ import annotations

import codecs

import pytest

from webapp.core.documents.encoding import decode
from webapp.core.documents.errors import DocumentError

BANGLA = "আপনি ৩০ দিনের মধ্যে ফেরত দিতে পারেন।\r\nHello.\n"
QUOTED = "You can’t return a “helmet” once it is open – for your safety. Bring box and receipt to our shop. " * 6
FRENCH = "Le vélo peut être retourné dans les trente jours suivant la réception, à condition d'être complet. " * 5


@pytest.mark.parametrize(
    "data",
    [
        BANGLA.encode(),
        codecs.BOM_UTF8 + BANGLA.encode(),
        codecs.BOM_UTF16_LE + BANGLA.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + BANGLA.encode("utf-16-be"),
    ],
)
def test_unicode_is_read_by_its_mark(data: bytes) -> None:
    assert decode(data) == BANGLA


def test_another_encoding_is_read_when_it_is_certain() -> None:
    assert decode(QUOTED.encode("cp1252")) == QUOTED
    assert decode("自転車は三十日以内に返品できます。".encode("shift_jis")) == "自転車は三十日以内に返品できます。"


def test_two_readings_that_differ_are_not_certain() -> None:
    with pytest.raises(DocumentError, match="can't be told for certain"):
        decode(FRENCH.encode("cp1252"))


def test_uncertain_encoding_is_refused_with_its_line() -> None:
    with pytest.raises(DocumentError, match="save it as UTF-8") as caught:
        decode(b"one\r\ntwo\rth\xe9\xff\x81ee\n")
    assert caught.value.line == 3


def test_broken_utf_16_is_refused() -> None:
    with pytest.raises(DocumentError, match="marked as utf-16-le"):
        decode(codecs.BOM_UTF16_LE + b"\x00\xd8\x20")


def test_binary_is_refused_and_a_stray_nul_is_not() -> None:
    with pytest.raises(DocumentError, match="not a text file"):
        decode("text".encode("utf-16-le"))
    assert decode(b"A stray \0 in a text.") == "A stray \0 in a text."


def test_empty_file() -> None:
    assert decode(b"") == ""


def test_second_mark_is_no_text() -> None:
    assert decode(b"\xef\xbb\xbf\xef\xbb\xbfa\xef\xbb\xbf") == "a\ufeff"


def test_utf_32_is_refused() -> None:
    with pytest.raises(DocumentError, match="not a text file"):
        decode("---\nid: a\n---\nText.\n".encode("utf-32"))
