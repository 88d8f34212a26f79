"""Languages told by script."""

from __future__ import annotations

import pytest

from webapp.core.documents.language import detect_language


@pytest.mark.parametrize(
    ("text", "languages", "found"),
    [
        ("How long do I have?", ("en", "bn"), "en"),
        ("আমি কতদিন সময় পাব?", ("en", "bn"), "bn"),
        ("`sudo apt install`: প্যাকেজ ইনস্টল করুন https://example.org/long/address", ("en",), "bn"),
        ("Open the কিস্তি page and read it", ("en", "bn"), "en"),
        ("Café", ("fr", "en"), "fr"),
        ("Café", ("bn",), "en"),
        ("", ("bn", "en"), "bn"),
        ("123 + 4", ("bn", "en"), "bn"),
        ("😀😀", (), "en"),
        ("これは日本語です", ("en",), "ja"),
        ("Привет", ("en", "bn"), "ru"),
    ],
)
def test_language(text: str, languages: tuple[str, ...], found: str) -> None:
    assert detect_language(text, languages) == found
