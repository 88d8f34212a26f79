"""Whether a statement says the opposite of its source: "not" added or lost, "can" for "cannot", "must" for "may",
"opened" for "unopened". Judged clause by clause, each against the source's clauses that speak of the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain

from webapp.core.answering.matching import content_terms, share_held
from webapp.core.retrieval.words import normalise, terms


class Modality(Enum):
    """What a clause allows or demands."""

    NONE = "says nothing of it"
    OBLIGED = "must"
    NOT_OBLIGED = "need not"
    ALLOWED = "can"
    FORBIDDEN = "cannot"


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause's content terms, all its terms, whether it is negated, and its modality."""

    terms: frozenset[str]
    words: frozenset[str]
    negated: bool
    modality: Modality


_SAME_THING = 0.5  # share of a clause's terms that a source clause holds to speak of the same thing
_SHORT = 3  # terms
_NEAR_BEST = 0.2  # source clauses this little worse than the best count too
_OPPOSED = {
    (Modality.OBLIGED, Modality.NOT_OBLIGED),
    (Modality.NOT_OBLIGED, Modality.OBLIGED),
    (Modality.OBLIGED, Modality.FORBIDDEN),
    (Modality.FORBIDDEN, Modality.OBLIGED),
    (Modality.ALLOWED, Modality.FORBIDDEN),
    (Modality.FORBIDDEN, Modality.ALLOWED),
    (Modality.OBLIGED, Modality.ALLOWED),  # harder than its source; the other way round is a paraphrase
}


def _words(english: str, bangla: str = "") -> re.Pattern[str]:
    """Whole words; `\\b` would cut Bangla words at their vowel signs."""
    both = f"{english}|{normalise(bangla)}" if bangla else english
    return re.compile(rf"(?<![\w\u0980-\u09ff])(?:{both})(?![\w\u0980-\u09ff])")


_NOT_A_NEGATION = _words(
    r"(?:no|not) (?:more|less|later|fewer|sooner) than|no matter|not only|not to exceed|not exceed(?:ing)?"
)
_MODALITIES = (
    (
        Modality.NOT_OBLIGED,
        _words(
            r"need not|needn't|(?:do|does|did|will|would)(?: not|n't) (?:have|need) to|(?:is|are)(?: not|n't) "
            r"(?:required|necessary|needed|mandatory|obliged)|no need|not (?:required|necessary|needed)|optional"
            r"|no (?:\w+ ){1,3}(?:required|necessary|needed)",
            "দরকার নেই|প্রয়োজন নেই|লাগবে না|লাগে না|ঐচ্ছিক|বাধ্যতামূলক নয়|[\u0980-\u09ff]+তে হবে না",
        ),
    ),
    (
        Modality.FORBIDDEN,
        _words(
            r"cannot|can't|can not|can no longer|can never|may not|must not|mustn't|shall not|should not|shouldn't"
            r"|not (?:be )?(?:allowed|permitted|able|eligible|entitled)|prohibited|forbidden|ineligible",
            "(?:পারবেন|পারেন|পারবে|পারে|পারি|যাবে|যায়|চলবে) না|নিষিদ্ধ|নিষেধ",
        ),
    ),
    (
        Modality.OBLIGED,
        _words(
            r"must|ha(?:ve|s) to|required|needs? to|shall|mandatory|obligatory|compulsory",
            "অবশ্যই|বাধ্যতামূলক|[\u0980-\u09ff]+তে হবে",
        ),
    ),
    (
        Modality.ALLOWED,
        _words(
            r"can|may|could|allowed|able|permitted|eligible|entitled",
            "পারবেন|পারেন|পারবে|পারে|পারি|যাবে|যায়",
        ),
    ),
)
# What only says whether a thing must or may be: no part of what it is about.
MODAL_TERMS = frozenset(
    terms(
        "required mandatory obligatory compulsory necessary needed optional allowed able permitted eligible entitled "
        "prohibited forbidden ineligible obliged অবশ্যই বাধ্যতামূলক ঐচ্ছিক দরকার প্রয়োজন নিষিদ্ধ নিষেধ",
        "en",
    )
)
_NEGATION = _words(
    r"not|no|never|neither|nor|none|nobody|nothing|cannot|excluded|excludes|excluding|refuse[sd]?|\w+n't"
    r"|hardly|scarcely|barely|rarely|seldom",
    "না|নয়|নেই|নাই|নহে|[\u0980-\u09ff]+(?:েনি|েননি|য়নি|িনি)",
)
_WITHOUT = _words("without", "ছাড়া|বিনা")  # turns a negation back: "not without" is "only with"
_UNLESS = _words("unless")  # "unless it is" is "if it is not"
_IF = _words("if|provided", "যদি")
_CONDITION = frozenset(terms("if provided যদি", "en"))
_SENTENCE_END = re.compile(r"[;!?।]|\.(?:\s|$)")
_CLAUSE_END = re.compile(
    rf"[:,](?!\d)|[()—–|]|\s-\s|(?={_IF.pattern})|"
    + _words("and|but|while|whereas|although|except", "এবং|কিন্তু|তবে|আর").pattern
)
_OPPOSING_PREFIXES = ("un", "non", "in", "im", "dis", "ir", "il")
_OPPOSITES = tuple(
    (frozenset(terms(one, "en")), frozenset(terms(other, "en")))
    for one, other in (
        ("increase increases raise rise rises", "reduce reduced decrease decreases lower fall falls"),
        ("before", "after"),
        ("minimum", "maximum"),
        ("earlier", "later"),
        ("accept accepted", "reject rejected refuse refused"),
        ("include included", "exclude excluded"),
        ("open opens", "closed close closes"),
        ("full", "half"),
        ("over above", "under below"),
        ("বেশি", "কম"),
        ("খোলা", "বন্ধ"),
        ("আগে", "পরে"),
        ("বাড়ে বাড়বে", "কমে কমবে"),
    )
)


def clauses(text: str, lang: str) -> list[Clause]:
    """Return the clauses of a text that say something."""
    found: list[Clause] = []
    for sentence in _SENTENCE_END.split(_UNLESS.sub(" if not ", _NOT_A_NEGATION.sub(" ", normalise(text)))):
        first = len(found)
        for piece in _CLAUSE_END.split(sentence):
            clause = _clause(piece, lang)
            if len(found) > first and _belongs_to(clause, found[-1]):
                before = found.pop()
                found.append(replace(before, terms=before.terms | clause.terms, words=before.words | clause.words))
            elif clause.terms or clause.negated:
                found.append(clause)
    return found


def _clause(text: str, lang: str) -> Clause:
    modality = next((kind for kind, words in _MODALITIES if words.search(text)), Modality.NONE)
    negated = modality is Modality.FORBIDDEN or (modality is not Modality.NOT_OBLIGED and bool(_NEGATION.search(text)))
    if _WITHOUT.search(text):
        negated, modality = not negated, Modality.NONE
    return Clause(content_terms(text, lang) - MODAL_TERMS, frozenset(terms(text, lang)), negated, modality)


def _belongs_to(clause: Clause, before: Clause) -> bool:
    """Commas also part lists ("a new, unridden bike"): a piece that is short, or follows one, has no sense of its own
    unless it says "not" or "can" itself."""
    neutral = not clause.negated and clause.modality is Modality.NONE
    if _CONDITION & clause.words:
        return neutral and len(clause.terms) < 2
    return neutral and min(len(clause.terms), len(before.terms)) < _SHORT


def turned_around(statement: str, sources: Sequence[str], context: str, lang: str) -> str:
    """Return what a statement turns around against its source texts, in words for staff; "" when nothing.

    `context` (titles and headings) names the subject that the source's own sentences leave out.
    """
    subject = content_terms(context, lang)
    stated = list(chain.from_iterable(clauses(source, lang) for source in sources))
    for clause in clauses(statement, lang):
        if problem := _clause_problem(clause, stated, subject):
            return problem
    return ""


def _clause_problem(said: Clause, stated: Sequence[Clause], subject: frozenset[str]) -> str:
    about = _same_thing(said, stated, subject)
    if not about:
        unheard = said.negated and not any(clause.negated for clause in stated)
        return "it negates what the source does not" if unheard else ""
    telling = _telling(said.terms - subject, about, stated)
    if all(clause.negated != said.negated for clause in telling) and not _compatible(said, telling):
        return f"the source {'does not negate' if said.negated else 'negates'} this"
    if all((said.modality, clause.modality) in _OPPOSED for clause in about):
        return f"it says {said.modality.value!r} where the source says {about[0].modality.value!r}"
    # "not opened" says the same as "unopened": words are opposed only where both clauses are negated, or neither is.
    return _opposite_word(said, [clause for clause in about if clause.negated == said.negated])


def _telling(said: Set[str], about: Sequence[Clause], stated: Sequence[Clause]) -> Sequence[Clause]:
    """Return the clauses that tell whether it is so: of "The fee is 500, which is not refundable", for "A fee of 500 is
    refundable" the one that holds what the other lacks."""
    rest = said - frozenset[str]().union(*(clause.terms for clause in about))
    return [clause for clause in stated if rest & clause.terms] or about


def _compatible(said: Clause, about: Iterable[Clause]) -> bool:
    """A clause with "need not" is no negation of its own, so it agrees with a negated source of no modality."""
    return any(Modality.NOT_OBLIGED in (said.modality, clause.modality) for clause in about)


def _same_thing(said: Clause, stated: Sequence[Clause], subject: frozenset[str]) -> list[Clause]:
    wanted = said.terms - subject or said.terms
    shares = [(share_held(wanted, clause.terms), clause) for clause in stated]
    best = max((share for share, _ in shares), default=0.0)
    return [clause for share, clause in shares if share >= max(_SAME_THING, best - _NEAR_BEST)]


def _opposite_word(said: Clause, about: Iterable[Clause]) -> str:
    """Find "opened" where the source has "unopened", "before" where it has "after", or the other way round."""
    held = frozenset[str]().union(*(clause.words for clause in about))
    for word in sorted(said.words - held):
        prefixed = {prefix + word for prefix in _OPPOSING_PREFIXES}
        bare = {word.removeprefix(prefix) for prefix in _OPPOSING_PREFIXES} - {word, ""}
        pairs = {other for pair in _OPPOSITES for one, others in (pair, pair[::-1]) if word in one for other in others}
        if held & (prefixed | bare | pairs) and not _says_both(word, held):
            return f"{word!r} is the opposite of what the source says"
    return ""


def _says_both(word: str, held: Set[str]) -> bool:
    """A source that has a word of the same side too is not turned around by it."""
    return any(word in side and held & side for pair in _OPPOSITES for side in pair)
