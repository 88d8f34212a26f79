"""Names of several words in a question, and whether the pages know the whole of each.

Who knows the Comet Plus has never heard of the Comet Max: a name of which one word is known and another is not is
that of something else. A name that is unknown as a whole says less, it is often the asker's own. Things that have no
name of their own are told apart by the word before theirs: a page about the small plan says nothing of a medium plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import pairwise

from webapp.core.documents.model import Chunk
from webapp.core.retrieval.function_words import function_terms
from webapp.core.retrieval.query_terms import QueryTerms
from webapp.core.retrieval.words import normalise, terms

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
# What a Title of This Kind leaves small.
_SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})
_CLAUSE_END = re.compile(r"[.?!:;,()।|/\n]+")
_NO_KIND = re.compile("(?:তে|লে|কে|য়)$")  # Bangla verbs and cases tell nothing of the word after them
_SENTENCE_END = re.compile(r"(?:^|[.?!:…])[\s\"'“‘(]*$")


def half_known_name(text: str, lang: str, question: QueryTerms) -> bool:
    """Tell whether the text gives a capitalised name of which one word stands in the visible chunks and another does
    not. Where every word is capitalised, nothing tells which of them are names."""
    if not any(word[0].islower() and word not in _SMALL for word in _WORD.findall(text)):
        return False
    known = {term.term for term in question.terms if term.known}
    words = [match for match in _WORD.finditer(text) if not set(terms(match[0], lang)) <= function_terms()]
    return any(len(set(name)) > 1 for name in _names(text, words, lang, known))


def _names(text: str, words: list[re.Match[str]], lang: str, known: Set[str]) -> Iterator[list[bool]]:
    """Yield, for each run of capitalised words, which of them are known."""
    name: list[bool] = []
    end = -1
    for word in words:
        if not (name and text[end : word.start()] == " " and word[0][0].isupper()):
            yield name
            name = []
        is_known = not known.isdisjoint(terms(word[0], lang))
        if word[0][0].isupper() and (is_known or not _SENTENCE_END.search(text[: word.start()])):
            name.append(is_known)
        end = word.end()
    yield name


def asks_for_another_kind(text: str, question: QueryTerms, held: Set[str], chunk: Chunk) -> bool:
    """Tell whether the text has but one word that a chunk of its language lacks, and that stands right before a word
    that the chunk's title or headings give with another one before it. `held` is what it holds of the terms looked for.
    """
    lacking = [term for term in question.terms if not term.part and held.isdisjoint(term.stand_ins)]
    if len(lacking) != 1 or lacking[0].exact:
        return False
    things = set(_told_apart_by(lacking[0].term, text, chunk.lang))
    same = {other for term in question.terms if term.term in things for other in term.stand_ins}
    asked = {other for term in question.terms for other in term.stand_ins} | function_terms()
    return any(
        not same.isdisjoint(terms(thing, chunk.lang)) and asked.isdisjoint(terms(kind, chunk.lang))
        for kind, thing in _pairs(chunk.context)
    )


def _told_apart_by(term: str, text: str, lang: str) -> Iterator[str]:
    """Yield the terms of the words right after that one."""
    for kind, thing in _pairs(text):
        if terms(kind, lang) == [term] and not _NO_KIND.search(normalise(kind)):
            yield from terms(thing, lang)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the neighbouring words of each clause."""
    for clause in _CLAUSE_END.split(text):
        words = clause.split()
        yield from pairwise(words)
