"""One-edit typos: which known word a reader may have meant."""

from __future__ import annotations

from collections.abc import Iterator

SHORTEST = 5  # in shorter words one edit too often makes another word
LONG = 7  # in words shorter than this, so does another first letter (car, bar)
LONGEST = 40  # spellings grow with the square of the length: a wall of letters would take seconds


def may_be_typo(word: str) -> bool:
    """Tell whether a word that the index doesn't know may be forgiven a typo: of a word's length, without a digit.

    Vowel signs count for one letter, however many there are: a Bangla word has more signs than letters, and গাড়ি (car)
    is no longer than its two.
    """
    letters = sum(character.isalpha() for character in word)
    has_marks = letters < len(word)
    return letters + has_marks >= SHORTEST and len(word) <= LONGEST and not any(map(str.isdigit, word))


def one_edit(word: str, letters: str) -> Iterator[str]:
    """Yield every spelling one edit from `word`: two neighbours swapped, one letter left out, put in or replaced.

    `letters` are tried where they belong to the script of the word. A short word keeps its first letter, or
    its first two change places.
    """
    block = ord(word[0]) >> 7
    own = [letter for letter in letters if ord(letter) >> 7 == block]
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        if len(tail) > 1 and tail[0] != tail[1]:
            yield head + tail[1] + tail[0] + tail[2:]
        if not head and len(word) < LONG:
            continue
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in own if letter != tail[0])
        yield from (head + letter + tail for letter in own)
