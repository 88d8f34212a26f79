"""Which words of its sources a statement rests on, exact to the character of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.answering.matching import content_terms, folded, holds, share_held
from webapp.core.answering.model import Quote
from webapp.core.documents.model import Chunk, Sentence

FLOOR = 0.5  # of a paraphrase's terms and the sentence's: below it no sentence is said to bear it out
_FEW_WORDS = 3  # a shorter fragment stands in a statement by chance


@dataclass(frozen=True, slots=True)
class _Found:
    marker: int
    document_id: str
    sentence: Sentence


def find_quotes(statement: str, cited: Sequence[tuple[int, Chunk]]) -> tuple[Quote, ...]:
    """Return the quotes of a statement from its cited chunks, given with their markers; none where none fits.

    From each chunk the sentences that stand in the statement word for word, else its one best sentence.
    """
    found = [_Found(n, chunk.document_id, one) for n, chunk in cited for one in _supporting(statement, chunk)]
    quotes: list[Quote] = []
    document_id = ""
    for one in sorted(found, key=lambda one: (one.document_id, one.sentence.start, -one.sentence.end)):
        before = quotes[-1] if quotes and one.document_id == document_id else None
        if quote := _quote(one, before):
            quotes.append(quote)
            document_id = one.document_id
    return tuple(sorted(quotes, key=lambda quote: (quote.marker, quote.start)))


def _supporting(statement: str, chunk: Chunk) -> list[Sentence]:
    said = folded(statement)
    exact = [one for one in chunk.sentences if _stands_in(said, folded(one.text))]
    best = None if exact else _best(statement, chunk)
    return [best] if best else exact


def _stands_in(said: str, sentence: str) -> bool:
    return said == sentence or (len(sentence.split()) >= _FEW_WORDS and holds(said, sentence))


def _best(statement: str, chunk: Chunk) -> Sentence | None:
    said = content_terms(statement, chunk.lang)
    scored = [(_likeness(said, one, chunk.lang), one) for one in chunk.sentences]
    score, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best if score >= FLOOR else None


def _likeness(said: frozenset[str], sentence: Sentence, lang: str) -> float:
    """Mostly how much of the statement the sentence holds; a little how much of the sentence was said."""
    held = content_terms(sentence.text, lang)
    return 0.75 * share_held(said, held) + 0.25 * share_held(held, said)


def _quote(found: _Found, before: Quote | None) -> Quote | None:
    """Return the quote, less what the one before it in the same document already marks (chunks may overlap)."""
    sentence = found.sentence
    text, start, first_line = sentence.text, sentence.start, sentence.first_line
    if before and start < before.end:
        text = text[_shared(before.text, text) :].lstrip()
        start, first_line = before.end, before.last_line
        if sentence.end <= before.end or text == sentence.text:
            return None
    return Quote(
        marker=found.marker,
        text=text,
        first_line=first_line,
        last_line=sentence.last_line,
        start=start,
        end=sentence.end,
    )


def _shared(before: str, after: str) -> int:
    """Return how many characters at the end of one text are those at the start of the other."""
    for length in range(min(len(before), len(after)), 0, -1):
        if before.endswith(after[:length]):
            return length
    return 0
