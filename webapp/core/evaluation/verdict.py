"""What a comparison allows to be said: a winner only where chance does not explain the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb
from typing import Any

from webapp.core.evaluation.facts import LostFact

DECIDING = (3, 1)  # what may become evidence first, then what is found first
CHANCE = 0.05  # of naming a difference where there is none, over all the pairs looked at
NAMED_FACTS = 3  # lost facts that are named for a setting; further ones are counted

Ranks = Sequence[int | None]  # for each question, the rank of the first right chunk; None: not among those looked at


class VerdictCode(StrEnum):
    """What kind of verdict it is; pages word it in the reader's language."""

    NO_TEXT = "no_text"
    NO_QUESTIONS = "no_questions"
    TOO_CLOSE = "too_close"
    SOME_WORSE = "some_worse"  # no single winner, but some are clearly worse than the best
    WINNER = "winner"


@dataclass(frozen=True, slots=True)
class Breakage:
    """The key facts that one setting breaks."""

    setting: str
    lost: tuple[LostFact, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict in structure; `text` is its English wording."""

    code: VerdictCode
    questions: int
    facts: int
    breaking: tuple[Breakage, ...] = ()
    k: int | None = None  # recall@k decided it
    best: str | None = None
    worse: tuple[str, ...] = ()  # clearly worse than the best

    @property
    def step(self) -> float | None:
        """What one miss moves recall by."""
        return 1 / self.questions if self.questions else None

    @property
    def text(self) -> str:
        """The verdict in words."""
        return " ".join(part for part in (self._on_recall(), self._on_facts()) if part)

    def as_dict(self) -> dict[str, Any]:
        """Return the structure as the commands print it; the facts broken stand with the settings."""
        return {
            "code": self.code.value,
            "questions": self.questions,
            "step": None if self.step is None else round(self.step, 4),
            "k": self.k,
            "best": self.best,
            "worse": list(self.worse),
            "breaking": [one.setting for one in self.breaking],
        }

    def _on_recall(self) -> str:
        asked = "1 question" if self.questions == 1 else f"{self.questions} questions"
        worse = " and ".join(self.worse)
        match self.code:
            case VerdictCode.NO_TEXT:
                return "There is no text to cut."
            case VerdictCode.NO_QUESTIONS:
                return "No labelled questions, so recall can't be compared."
            case VerdictCode.TOO_CLOSE:
                return f"Too close to call on {asked}: one miss moves recall by {self.step:.3f}."
            case VerdictCode.SOME_WORSE:
                lower = f"recall@{self.k} is clearly lower for {worse} than for {self.best}"
                return f"No clear winner on {asked}, but {lower}."
            case VerdictCode.WINNER:
                return f"{self.best} has clearly the highest recall@{self.k} on {asked}."

    def _on_facts(self) -> str:
        if not self.facts:
            return ""
        if not self.breaking:
            return f"Every setting keeps every key fact whole ({self.facts})."
        return " ".join(f"{one.setting} breaks {self._lost(one)}." for one in self.breaking)

    def _lost(self, breakage: Breakage) -> str:
        named = [f"“{lost.fact.fact}” ({' and '.join(lost.halves)})" for lost in breakage.lost[:NAMED_FACTS]]
        more = len(breakage.lost) - len(named)
        listed = ", ".join(named) + (f" and {more} more" if more else "")
        return f"{len(breakage.lost)} of {self.facts} key facts: {listed}"


def chance(wins: int, losses: int) -> float:
    """Return the exact two-sided sign test (McNemar's on pairs): how often chance alone gives so uneven a split."""
    differing = wins + losses
    tail = sum(comb(differing, i) for i in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << differing))


def found(ranks: Ranks, k: int) -> list[bool]:
    """Tell for each question whether a right chunk is among the first k. Raises ValueError for a k below 1."""
    if k < 1:
        raise ValueError(f"k is {k}, but recall looks at the first 1 or more chunks; give a k of at least 1")
    return [rank is not None and rank <= k for rank in ranks]


def judge_recall(ranks: Sequence[Ranks]) -> tuple[VerdictCode, int | None, int | None, tuple[int, ...]]:
    """Compare settings on the same questions, pair by pair with the best one.

    Returns the code, the k that decided, the number of the best setting and those of the clearly worse ones.
    """
    if not ranks[0]:
        return VerdictCode.NO_QUESTIONS, None, None, ()
    allowed = CHANCE / (max(1, len(ranks) - 1) * len(DECIDING))
    for k in DECIDING:
        hits = [found(one, k) for one in ranks]
        best = max(range(len(hits)), key=lambda i: sum(hits[i]))
        worse = tuple(i for i in range(len(hits)) if i != best and _chance_of_pair(hits[best], hits[i]) < allowed)
        if worse:
            code = VerdictCode.WINNER if len(worse) == len(hits) - 1 else VerdictCode.SOME_WORSE
            return code, k, best, worse
    return VerdictCode.TOO_CLOSE, None, None, ()


def _chance_of_pair(first: Sequence[bool], second: Sequence[bool]) -> float:
    pairs = list(zip(first, second, strict=True))
    return chance(sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs))
