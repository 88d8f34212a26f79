"""Whether the chunks that a statement cites bear it out. A statement may paraphrase, and may draw on several chunks;
what must be there are its numbers, its names and its sense. What fails is withheld, never mended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from webapp.core.answering.dates import borne_out, without_dates
from webapp.core.answering.matching import content_terms, folded, share_held
from webapp.core.answering.model import Reason, Withheld
from webapp.core.answering.pairing import FIGURE_WORDS, mixed_up
from webapp.core.answering.polarity import MODAL_TERMS, turned_around
from webapp.core.answering.quantities import Measures, Quantity, measures, same
from webapp.core.answering.quantity_words import ADVERBS, RATE
from webapp.core.answering.wording import spoken
from webapp.core.documents.model import Chunk, Sentence
from webapp.core.retrieval.words import normalise, terms


class Scorer(Protocol):
    """Nearness in meaning, across wordings and languages."""

    @property
    def floor(self) -> float:
        """Below it two texts are not said to mean the same."""
        ...

    def similarity(self, statement: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score for each text."""
        ...


_WORDS_ALONE = 0.6  # share of a statement's terms in its sources that is enough without a scorer
_WITH_MEANING = 0.2  # with a scorer that finds it near, in the same language
# Claims so strong that the source must make them itself.
_STRONG = frozenset(
    terms(
        "guarantee guaranteed always unlimited immediately instantly free everyone নিশ্চিত সর্বদা "
        "half double twice triple dozen",  # amounts that aren't numbers
        "en",
    )
)
# Numbers, units, and whether a thing must or may be, are looked at on their own, and said in many ways.
_CHECKED_APART = MODAL_TERMS | FIGURE_WORDS
_ADDRESS = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w.-]+|(?<!\w)(?:https?://|www\.)\S+|(?<![\w-])[^\W\d_][\w-]+(?:\.[\w-]{2,})+",
    re.IGNORECASE,
)
_AROUND = ".,;:!?()[]{}<>\"'“”‘’।*_"


def check_support(statement: str, cited: Sequence[Chunk], lang: str, scorer: Scorer | None = None) -> None:
    """Raise Withheld when the cited chunks don't bear the statement out. `lang`: what the statement is written in."""
    if any(_word_for_word(statement, chunk) for chunk in cited):
        return
    text = "\n".join(map(source_text, cited))
    _check_numbers(statement, text)
    _check_cases(statement, cited, lang)
    undated = without_dates(statement)  # a date that is borne out may be written in other words
    _check_names(undated, text, lang)
    _check_sense(undated, cited, lang)
    _check_meaning(undated, cited, lang, scorer)


def source_text(chunk: Chunk) -> str:
    """Return all that a citation of this chunk shows: where it stands, what leads into it, its text."""
    leads = dict.fromkeys((chunk.context, chunk.lead, *(one.lead for one in chunk.sentences)))
    return "\n".join(part for part in (*leads, chunk.plain) if part)


def _word_for_word(statement: str, chunk: Chunk) -> bool:
    """Tell whether a statement is one or more whole sentences of a chunk, with or without their lead-in."""
    said = folded(statement)
    for first in range(len(chunk.sentences)):
        for text in _runs(chunk.sentences[first:]):
            if text == said:
                return True
            if len(text) > len(said) + len(chunk.sentences[first].lead):
                break
    return False


def _runs(sentences: Sequence[Sentence]) -> Iterator[str]:
    """Yield the first sentence, then it and each one after it: as they are, and as they are said on their own."""
    for n in range(1, len(sentences) + 1):
        rest = [one.text for one in sentences[1:n]]
        yield folded(" ".join([sentences[0].text, *rest]))
        if sentences[0].lead:
            yield folded(" ".join([spoken(sentences[0]), *rest]))


def _check_numbers(statement: str, text: str) -> None:
    said, source = measures(statement), measures(text)
    if missing := unsaid(said, source):
        raise Withheld(Reason.UNSUPPORTED_NUMBER, f"not in the cited text: {', '.join(missing)}")
    if rates := _unsaid_rates(statement, text, source):
        raise Withheld(Reason.UNSUPPORTED_NUMBER, f"not in the cited text: a {', a '.join(rates)}")
    for one in said.quantities:
        bounds = {other.bound for other in source.quantities if same(one, other, source.units)}
        if one.bound and bounds and bounds == {"max" if one.bound == "min" else "min"}:
            raise Withheld(Reason.UNSUPPORTED_STATEMENT, f"{one} is a limit the other way round in the cited text")


def _check_cases(statement: str, cited: Sequence[Chunk], lang: str) -> None:
    sentences = [one.text for chunk in cited if chunk.lang == lang for one in chunk.sentences]
    if other := mixed_up(statement, sentences, lang):
        raise Withheld(Reason.UNSUPPORTED_NUMBER, f"the cited text has another figure for: {other}")


def _unsaid_rates(statement: str, text: str, source: Measures) -> list[str]:
    """Return the units of time that a statement counts by ("$45 a month") and its source doesn't."""
    units = source.units | {one.unit for one in source.quantities}
    rates = sorted(frozenset(RATE.findall(statement.casefold())) - units)
    return [unit for unit in rates if not re.search(rf"\b(?:{ADVERBS[unit].replace(' ', '|')})\b", text.casefold())]


def unsaid(said: Measures, source: Measures) -> list[str]:
    """Return the numbers and dates of a statement that its source doesn't bear out."""
    years = {int(one.value) for one in source.quantities if not one.unit and one.value == int(one.value)}
    dates = [str(one) for one in said.dates if not borne_out(one, source.dates, years)]
    return dates + [str(one) for one in said.quantities if one.certain and not _is_there(one, source)]


def _is_there(said: Quantity, source: Measures) -> bool:
    """Tell whether the source has the number. Not where it counts the same thing with another one, and only other
    things with this."""
    alike = [one for one in source.quantities if same(said, one, source.units)]
    if any(not said.counted or not one.counted or said.counted & one.counted for one in alike):
        return True
    return bool(alike) and not any(said.counted & one.counted for one in source.quantities)


def _check_names(statement: str, text: str, lang: str) -> None:
    for code in measures(statement).codes:
        parts = r"[\W_]*".join(map(re.escape, re.split(r"[\W_]+", code)))
        if not re.search(rf"(?<!\w){parts}(?!\w)", normalise(text)):
            raise Withheld(Reason.UNSUPPORTED_STATEMENT, f"not in the cited text: {code}")
    for address in _ADDRESS.findall(statement):  # one that is made up sends readers, and their data, to anybody
        if address.strip(_AROUND).casefold() not in text.casefold():
            raise Withheld(Reason.UNSUPPORTED_STATEMENT, f"not in the cited text: {address}")
    held = frozenset(terms(text, lang))
    missing = [name for name in _names(statement) if not frozenset(terms(name, lang)) <= held]
    if missing:
        raise Withheld(Reason.UNSUPPORTED_STATEMENT, f"not in the cited text: {', '.join(missing)}")
    strong = (frozenset(terms(statement, lang)) & _STRONG) - held
    if strong:
        raise Withheld(Reason.UNSUPPORTED_STATEMENT, f"the cited text does not say so: {', '.join(sorted(strong))}")


_CAPITAL = re.compile(r"(?<![\w-])(?:[^\W\d_a-zß-öø-ÿ][^\W\d_]+(?:[’'][^\W\d_]+)?|[^\W\d_]*[a-z][A-Z]\w*)(?![\w-]*\d)")
_BEFORE = 20  # characters before a word that tell whether it starts a sentence
_SENTENCE_START = re.compile(r"(?:^|[.!?:;।]\s+|\n\s*|[(\"“‘'\[•*-]\s*)$")


def _names(statement: str) -> Iterator[str]:
    """Yield capitalised words inside a sentence; at its start only acronyms, or where another name follows."""
    for match in _CAPITAL.finditer(statement):
        word = match[0]
        if not word[:1].isupper() and not any(map(str.isupper, word)):
            continue
        before = statement[max(0, match.start() - _BEFORE) : match.start()]
        starts = _SENTENCE_START.search(before)
        another = _CAPITAL.match(statement, match.end() + 1)
        if content_terms(word, "en") and (not starts or word.isupper() or (another and another[0][:1].isupper())):
            yield word


def _check_sense(statement: str, cited: Sequence[Chunk], lang: str) -> None:
    sources = [chunk.plain for chunk in cited if chunk.lang == lang]
    if not sources:
        return
    problem = turned_around(statement, sources, " ".join(chunk.context for chunk in cited), lang)
    if problem:
        raise Withheld(Reason.UNSUPPORTED_STATEMENT, problem)


def _check_meaning(statement: str, cited: Sequence[Chunk], lang: str, scorer: Scorer | None) -> None:
    every = content_terms(statement.replace("-", " "), lang)  # "twenty-four" is a number too
    said = frozenset(filter(_is_worded, every - _CHECKED_APART)) or every
    held = frozenset[str]().union(*(content_terms(source_text(chunk), chunk.lang) for chunk in cited))
    share = share_held(said, held)
    same_language = any(chunk.lang == lang for chunk in cited)
    if share >= _WORDS_ALONE and said:
        return
    if scorer and (share >= _WITH_MEANING or not same_language):
        near = max(scorer.similarity(statement, list(_passages(cited))), default=0.0)
        if near >= scorer.floor:
            return
    raise Withheld(Reason.UNSUPPORTED_STATEMENT, f"the cited text holds {share:.0%} of its words")


def _is_worded(term: str) -> bool:
    return not term[:1].isdigit()


def _passages(cited: Iterable[Chunk]) -> Iterator[str]:
    for chunk in cited:
        yield chunk.plain
        yield from (sentence.text for sentence in chunk.sentences)
