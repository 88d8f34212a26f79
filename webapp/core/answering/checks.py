"""The checks that a reply goes through, in order, and which of them an outcome says were passed."""

from __future__ import annotations

from webapp.core.answering.model import Check, Reason

# Each with the reasons that it withholds an answer for.
_CHECKS: tuple[tuple[str, frozenset[Reason]], ...] = (
    ("complete", frozenset({Reason.TRUNCATED})),
    ("json", frozenset({Reason.INVALID_JSON})),
    ("schema", frozenset({Reason.INVALID_SCHEMA})),
    ("answers", frozenset({Reason.MODEL_ABSTAINED})),
    ("known_ids", frozenset({Reason.UNKNOWN_CITATION})),
    ("cited", frozenset({Reason.UNCITED_STATEMENT})),
    ("supported", frozenset({Reason.UNSUPPORTED_NUMBER, Reason.UNSUPPORTED_STATEMENT})),
    ("no_conflict", frozenset({Reason.CONFLICTING_SOURCES})),
    ("on_subject", frozenset({Reason.WEAK_EVIDENCE})),
)
CHECKS = tuple(name for name, _ in _CHECKS)


def checks_of(reason: Reason, detail: str, replied: bool, refused: bool = False) -> tuple[Check, ...]:
    """Return how each check of a reply came out: those before the one that failed passed, those after it were not
    made. `replied`: there was a reply to check; `refused`: the provider declined, which is seen before all else."""
    if reason is Reason.OK:
        return tuple(Check(name, "passed") for name in CHECKS)
    failing = [reason in withheld for _, withheld in _CHECKS]
    if not replied or not any(failing):
        return tuple(Check(name, "not_reached") for name in CHECKS)
    failed = 0 if refused else failing.index(True)
    return (
        *(Check(name, "passed") for name in CHECKS[:failed]),
        Check(CHECKS[failed], "failed", detail),
        *(Check(name, "not_reached") for name in CHECKS[failed + 1 :]),
    )
