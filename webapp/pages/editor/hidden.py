"""Golden questions about pages that are closed to whoever reads: they are named nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from webapp.services.desk import Desk
from webapp.services.golden import GoldenProblem
from webapp.web.access import current_reader
from webapp.web.context import services


def hidden_questions(desk: Desk) -> frozenset[str]:
    """Return the golden questions, in their words, that the current reader may not know of."""
    try:
        return frozenset(one.question for one in services().golden.kept_from(desk.name, current_reader()))
    except GoldenProblem:
        return frozenset()


def without(figures: Iterable[Mapping[str, Any]], hidden: Set[str]) -> list[Mapping[str, Any]]:
    """Return compared figures, as jobs keep them, less the `hidden` questions that they name."""
    named = ("lost", "gained")
    return [{**one, **{name: [each for each in one[name] if each not in hidden] for name in named}} for one in figures]
