"""How each check of a reply came out, told from the outcome."""

from __future__ import annotations

import pytest

from webapp.core.answering.checks import CHECKS, checks_of
from webapp.core.answering.model import Check, Reason


def verdicts(checks: tuple[Check, ...]) -> str:
    """One letter each: passed, failed, not reached."""
    return "".join(one.verdict[0] for one in checks)


def test_an_answer_passed_them_all() -> None:
    assert verdicts(checks_of(Reason.OK, "", replied=True)) == "p" * len(CHECKS)


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        (Reason.TRUNCATED, "complete"),
        (Reason.INVALID_JSON, "json"),
        (Reason.INVALID_SCHEMA, "schema"),
        (Reason.MODEL_ABSTAINED, "answers"),
        (Reason.UNKNOWN_CITATION, "known_ids"),
        (Reason.UNCITED_STATEMENT, "cited"),
        (Reason.UNSUPPORTED_NUMBER, "supported"),
        (Reason.UNSUPPORTED_STATEMENT, "supported"),
        (Reason.CONFLICTING_SOURCES, "no_conflict"),
        (Reason.WEAK_EVIDENCE, "on_subject"),
    ],
)
def test_those_before_the_failed_one_passed_and_those_after_were_not_made(reason: Reason, name: str) -> None:
    checks = checks_of(reason, "why", replied=True)
    at = CHECKS.index(name)
    assert verdicts(checks) == "p" * at + "f" + "n" * (len(CHECKS) - at - 1)
    assert checks[at].detail == "why"


@pytest.mark.parametrize("reason", [Reason.NO_EVIDENCE, Reason.WEAK_EVIDENCE, Reason.MODEL_UNAVAILABLE])
def test_without_a_reply_none_was_made(reason: Reason) -> None:
    assert verdicts(checks_of(reason, "why", replied=False)) == "n" * len(CHECKS)


def test_a_refusal_is_seen_before_all_else() -> None:
    assert verdicts(checks_of(Reason.MODEL_ABSTAINED, "why", replied=True, refused=True))[0] == "f"


def test_every_reason_that_a_reply_is_withheld_for_has_its_check() -> None:
    before_a_reply = {Reason.OK, Reason.NO_EVIDENCE, Reason.MODEL_UNAVAILABLE}
    for reason in set(Reason) - before_a_reply:
        assert "f" in verdicts(checks_of(reason, "", replied=True))
