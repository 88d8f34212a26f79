"""What HTML forbids is replaced, character by character; everything else stays."""

from __future__ import annotations

import html5lib
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.web.printable import printable


@given(st.text(st.characters(), max_size=60))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_any_text_can_stand_in_a_page(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    escaped = shown.replace("&", "&amp;").replace("<", "&lt;")
    html5lib.HTMLParser(strict=True).parseFragment(f"<p>{escaped}</p>")


def test_words_and_white_space_stay() -> None:
    text = "a\tb\r\nc \u00a0 আমার \u200d 😀"
    assert printable(text) == text


def test_signs_that_turn_round_what_is_around_them_are_replaced_and_those_that_scripts_need_stay() -> None:
    assert printable("a\u202eb\u2066c\u2069") == "a\ufffdb\ufffdc\ufffd"
    assert printable("ক\u09cd\u200dষ \u200c \u200f") == "ক\u09cd\u200dষ \u200c \u200f"


def test_controls_are_replaced() -> None:
    assert printable("a\x00\x0c\x9f\ufffe\ud800b") == "a" + "\ufffd" * 5 + "b"
