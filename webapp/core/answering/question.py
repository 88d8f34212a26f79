"""Which questions can be asked at all, and which can't stand on their own."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

from webapp.core.answering.matching import content_terms
from webapp.core.answering.model import Answer, Followed

MAX_CHARACTERS = 2000


class QuestionProblem(StrEnum):
    """Why a question can't be asked: pages word it in the reader's language."""

    EMPTY = "empty"
    NO_WORDS = "no_words"
    TOO_LONG = "too_long"


_MESSAGES = {
    QuestionProblem.EMPTY: "Please type a question.",
    QuestionProblem.NO_WORDS: "Please ask in words: there is no letter or digit in what you typed.",
    QuestionProblem.TOO_LONG: f"Please shorten the question to {MAX_CHARACTERS:,} characters.",
}


class InvalidQuestion(ValueError):
    """The question can't be asked; `message` says in one English sentence what to do, `code` says it to programs."""

    def __init__(self, code: QuestionProblem) -> None:
        self.code = code
        self.message = _MESSAGES[code]
        super().__init__(self.message)


def checked(question: str) -> str:
    """Return the question with white space folded and control characters gone. Raises InvalidQuestion."""
    text = " ".join("".join(map(_printable, question)).split())
    if not text:
        raise InvalidQuestion(QuestionProblem.EMPTY)
    if len(text) > MAX_CHARACTERS:
        raise InvalidQuestion(QuestionProblem.TOO_LONG)
    if not any(unicodedata.category(char)[0] in "LN" for char in text):
        raise InvalidQuestion(QuestionProblem.NO_WORDS)
    return text


def _printable(char: str) -> str:
    """Control characters become blanks; lone surrogates, which no file or page can hold, go."""
    category = unicodedata.category(char)
    return "" if category == "Cs" else " " if category == "Cc" else char


# A question that opens like these, or points with one of those, and says little more, leans on the one before it.
_OPENERS = re.compile(
    r"^\W*(?:(?:and|but|or|also|plus|what about|how about)\b|(?:আর|এবং|কিন্তু|তাহলে|তবে|আচ্ছা)\s)", re.IGNORECASE
)
_POINTERS = re.compile(
    r"\b(?:it|they|them)\b|(?:^|\s)(?:এটা|ওটা|সেটা|এটি|সেটি|ওগুলো|এগুলো|সেগুলো)(?=\s|$)",
    re.IGNORECASE,
)
# "How long does it take to get a refund?", "Is it possible to pay later?": this one points at nothing.
_EMPTY_IT = re.compile(
    r"\bit (?:takes?|took|costs?|needs?|happens?) (?:\w+ ){0,3}?(?:to|for|until|before|that)\b"
    r"|\b(?:is|was|will|would) it (?:be )?(?:\w+ ){1,3}?(?:to|that|for|if)\b",
    re.IGNORECASE,
)
_LITTLE_OPENED, _LITTLE_POINTED = 2, 1  # terms that carry meaning; "Is it safe to ride?" has a subject of its own


def in_context(question: str, follows: Followed | None) -> str:
    """Return the question as it is asked of pages and models: after the one that it follows."""
    return f"{follows.question} {question}" if follows else question


def halves(question: str, follows: Followed, lang: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms of the earlier question, and what this one adds: a page that holds nothing of either half
    doesn't deal with it."""
    earlier = content_terms(follows.question, lang)
    return earlier, content_terms(question, lang) - earlier


def standing(answer: Answer) -> Followed:
    """Return the question that one after this answer may lean on: the nearest that stands on its own."""
    if answer.follows and needs_context(answer.question, answer.lang):
        return answer.follows
    return Followed(answer_id=answer.id, question=answer.question)


def needs_context(question: str, lang: str) -> bool:
    """Tell whether a question seems to lean on an earlier one ("And for accessories?")."""
    said = len(content_terms(question, lang))
    opened = bool(_OPENERS.search(question)) and said <= _LITTLE_OPENED
    pointed = bool(_POINTERS.search(_EMPTY_IT.sub(" ", question))) and said <= _LITTLE_POINTED
    return opened or pointed
