from __future__ import annotations

from webapp.web.kept_pages import KeptPages


class Writer:
    """Writes pages that name the words of their request, and counts them."""

    def __init__(self) -> None:
        self.pages = KeptPages(most=2)
        self.written: list[str] = []

    def read(self, key: str, *words: str) -> str:
        def make() -> str:
            self.written.append(key)
            return f"{key}: {words[0]} and {words[1]}, {words[0]}"

        return self.pages.get(key, words, make)


def test_a_page_is_made_once_and_everyone_gets_words_of_their_own() -> None:
    writer = Writer()
    assert writer.read("a", "nonce-1", "token-1") == "a: nonce-1 and token-1, nonce-1"
    assert writer.read("a", "nonce-2", "token-2") == "a: nonce-2 and token-2, nonce-2"
    assert writer.read("a", "nonce-3", "token-3") == "a: nonce-3 and token-3, nonce-3"
    assert writer.written == ["a"]


def test_of_three_the_one_that_was_read_longest_ago_is_let_go_of() -> None:
    writer = Writer()
    for key in ("a", "b", "a", "c", "a", "b"):
        writer.read(key, "nonce", "token")
    assert writer.written == ["a", "b", "c", "b"]
