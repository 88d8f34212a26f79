"""Languages told by script."""

from __future__ import annotations

import pytest

from webapp.core.documents.language import detect_language, named_first


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


@pytest.mark.parametrize(
    ("path", "languages", "found"),
    [
        ("content/de/fees.md", ("en", "de"), ("de", "en")),
        ("fees.de.md", ("en", "de", "fr"), ("de", "en", "fr")),
        ("it/fees.md", ("en", "de"), ("en", "de")),  # a folder of the IT department, where no page is Italian
        ("guide.md", ("en", "de"), ("en", "de")),
        ("content/fees.fr.md", ("en", "bn"), ("fr", "en", "bn")),
        ("fr/de.md", ("en", "bn"), ("en", "bn")),
    ],
)
def test_a_path_may_name_one_of_the_collections_languages(
    path: str, languages: tuple[str, ...], found: tuple[str, ...]
) -> None:
    assert named_first(path, languages) == found


def test_the_script_of_a_text_weighs_more_than_its_path() -> None:
    assert detect_language("ফেরত দিন।", named_first("en/ferot.md", ("bn", "en"))) == "bn"
    assert detect_language("Bitte zahlen.", named_first("de/fees.md", ("en", "de"))) == "de"
