"""How an answer was made, in the reader's words: stages, checks, verdicts, why something was left out."""

from __future__ import annotations

import math

from flask_babel import format_percent

from webapp.services.again import Difference
from webapp.web.i18n import gettext, lines_words, number


def share(value: float) -> str:
    """Write a share of one as a percentage with one decimal, rounded down: what is less than all never reads 100%."""
    return number(format_percent(math.floor(value * 1000 + 1e-9) / 1000, "0.0%"))


def lines_digits(first: int, last: int) -> str:
    """Name lines of a file: `15`, `15-17`, or a dash where they are unknown."""
    if not first:
        return "–"
    return number(first) if first == last else f"{number(first)}-{number(last)}"


def place_words(first: int, last: int) -> str:
    """Name lines of a file in words: `line 15`, `lines 11-12`; "" where they are unknown."""
    return lines_words(first, last) if first else ""


def check_words(name: str) -> str:
    """Say what a check looks at."""
    return {
        "complete": gettext("The reply came whole"),
        "json": gettext("It is one JSON object"),
        "schema": gettext("It has the agreed shape"),
        "answers": gettext("It answers, and doesn't decline"),
        "known_ids": gettext("It cites only passages that were sent"),
        "cited": gettext("Every statement has a citation"),
        "supported": gettext("Numbers, names and sense of every statement stand in what it cites"),
        "no_conflict": gettext("No other page that was sent contradicts it"),
        "on_subject": gettext("It says something of what the question asks"),
    }.get(name, name)


def signal_words(name: str) -> str:
    """Name what the probability was judged from."""
    return {
        "score": gettext("Score of the best passage"),
        "meaning": gettext("How near its meaning is"),
        "rival": gettext("How near another page's is"),
        "length": gettext("Length of the question (logarithm)"),
        "other_language": gettext("It is in another language"),
        "code_missing": gettext("A code stands nowhere"),
        "code_held": gettext("A code stands with all the words"),
        "name_missing": gettext("A name is known only in part"),
        "other_kind": gettext("The page is about another kind of it"),
        "coverage": gettext("Share of the question's words in it"),
        "unknown": gettext("Share of words that stand nowhere"),
        "held": gettext("Words held by the first passages"),
    }.get(name, name)


def verdict_words(verdict: str) -> str:
    """Say how a check came out."""
    return {
        "passed": gettext("passed"),
        "failed": gettext("failed"),
        "not_reached": gettext("not made"),
    }.get(verdict, verdict)


def left_out_words(why: str) -> str:
    """Say why a passage that was found was not sent."""
    return {
        "below_limit": gettext("below the limit"),
        "near_duplicate": gettext("says the same as another"),
        "budget": gettext("enough was sent before it"),
        "off_subject": gettext("not about both questions"),
        "leans": gettext("the question can't stand alone"),
    }.get(why, why)


def passed_over_words(why: str) -> str:
    """Say why a page was not looked at for an asker."""
    return {
        "expired": gettext("its time is over"),
        "audience": gettext("not for the one who asked"),
        "filter": gettext("outside what the question was limited to"),
    }.get(why, why)


def difference_words(differs: Difference) -> str:
    """Say what is different today."""
    return {
        Difference.SAME: gettext("The same today."),
        Difference.WORDS: gettext("Other words today, from the same sources."),
        Difference.SOURCES: gettext("The same words today, from other sources."),
        Difference.ANSWER: gettext("Another answer today, from other sources."),
        Difference.ABSTAINS: gettext("No answer today: the question would be left open."),
        Difference.ANSWERS: gettext("There is an answer today."),
        Difference.REASON: gettext("No answer today either, but for another reason."),
    }[differs]


def role_words(role: str) -> str:
    """Name what kind of reader asked."""
    return {
        "customer": gettext("a customer"),
        "agent": gettext("an agent"),
        "editor": gettext("an editor"),
        "admin": gettext("an administrator"),
    }.get(role, role)
