"""One-edit typos: which known word a reader may have meant."""

from __future__ import annotations

from collections.abc import Iterator

SHORTEST = 5  # in shorter words one edit too often makes another word
LONGEST = 40  # spellings grow with the square of the length: a wall of letters would take seconds


def may_be_typo(word: str) -> bool:
    """Tell whether a word that the index doesn't know may be forgiven a typo: of a word's length, without a digit."""
    return SHORTEST <= len(word) <= LONGEST and not any(character.isdigit() for character in word)


def one_edit(word: str, letters: str) -> Iterator[str]:
    """Yield every spelling one edit from `word`: two neighbours swapped, one letter left out, put in or replaced.

    `letters` are tried where they belong to the script of the word.
    """
    block = ord(word[0]) >> 7
    own = [letter for letter in letters if ord(letter) >> 7 == block]
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        if len(tail) > 1 and tail[0] != tail[1]:
            yield head + tail[1] + tail[0] + tail[2:]
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in own if letter != tail[0])
        yield from (head + letter + tail for letter in own)
