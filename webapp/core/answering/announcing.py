"""Sentences that say what a page is about instead of saying it: "Learn how to …", "In this article: …"."""

from __future__ import annotations

import re

from webapp.core.documents.model import Chunk, Sentence
from webapp.core.retrieval.words import normalise

_PAGE = r"(?:article|page|guide|section|tutorial|document|topic|chapter|post|manual|how-to)"
_ENGLISH = re.compile(
    r"\W*(?:(?:learn|find out|discover|read|here you (?:can|will) find|want to know)\b(?: \w+){0,2}? "
    r"(?:how|what|more|why|which|when|where|if|whether|about|everything)\b"
    rf"|(?:in|on) this {_PAGE}\b(?:\W*$|:|,? (?:you|we)\b)"
    rf"|this {_PAGE} (?:\w+ )?(?:explains|describes|shows|covers|outlines|lists|contains|provides|discusses|gives|helps"
    r"|tells|details|introduces|walks|teaches|is (?:about|for|intended))\b"
    r"|for (?:more|further|additional) (?:information|details|help)\b|related (?:articles|topics|pages|links)\b"
    r"|(?:see|read) (?:also|more)\b|table of contents\b)",
    re.IGNORECASE,
)
_BANGLA = re.compile(normalise(r"(?:এই|এ) (?:পাতায়|নিবন্ধে|অংশে|লেখায়|নির্দেশিকায়)(?=[\s:])|(?:জানুন|শিখুন|পড়ুন|দেখুন)[।.! ]*$"))
# Sections of links alone.
_LINKS = re.compile(
    r"\W*(?:further reading|see also|related\b|learn more|more information|additional (?:resources|information)"
    rf"|references|useful links|{normalise('আরও পড়ুন')}|{normalise('আরো পড়ুন')})",
    re.IGNORECASE,
)


def announces(chunk: Chunk, sentence: Sentence) -> bool:
    """Tell whether a sentence of a chunk, or the line that leads into it, only says where something is dealt with."""
    links = _LINKS.match(normalise(chunk.location.heading))
    return bool(links) or any(_announces(text) for text in (sentence.lead, sentence.text) if text)


def _announces(text: str) -> bool:
    return bool(_ENGLISH.match(text) or _BANGLA.search(normalise(text)))
