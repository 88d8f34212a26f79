"""What `evaluate` found, for people: figures, languages, the curve of risk and coverage, and each failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_STEPS = 10  # lines of the curve


def evaluation_words(data: Mapping[str, Any]) -> str:
    """Return the report; `data` is the evaluation as JSON has it."""
    parts = (
        _summary(data),
        _languages(data["languages"]),
        _against(data.get("against")),
        _curve(data["risk_coverage"]),
        _failures(data["failures"]),
    )
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


def _summary(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"{data['questions']} questions: {data['answerable']} answerable, {data['unanswerable']} not"
    if data["label_broken"]:
        yield f"{data['label_broken']} labels no longer hold"
    retrieval, abstention = data["retrieval"], data["abstention"]
    for k, one in retrieval["section_recall"].items():
        yield _figure(f"right section among the first {k}", one)
    for k, one in retrieval["document_recall"].items():
        yield _figure(f"right document among the first {k}", one)
    yield _figure("mean reciprocal rank", retrieval["mrr10"])
    yield _figure("answerable against not (AUC)", abstention["auc"])
    yield _figure("answered when answerable", abstention["answered_when_answerable"])
    yield _figure("abstained when not", abstention["abstained_when_unanswerable"])
    yield _figure("answered from a wrong place", abstention["wrong_source"])
    yield f"Judged by {data['judged_by']}."
    yield f"{data['seconds']:.1f} s"


def _figure(name: str, one: Mapping[str, float | None]) -> str:
    if one["value"] is None:
        return f"{name:<34}    –"
    return f"{name:<34}{one['value']:.3f}  [{one['low']:.3f}–{one['high']:.3f}]"


def _languages(languages: Mapping[str, Any]) -> Iterator[str]:
    for lang, of in languages.items():
        yield f"In {lang}: {of['questions']} questions"
        yield _figure("  right section first", of["retrieval"]["section_recall"]["1"])
        yield _figure("  answered when answerable", of["abstention"]["answered_when_answerable"])
        yield _figure("  abstained when not", of["abstention"]["abstained_when_unanswerable"])


_MEASURES = {
    "good": "right, or rightly refused",
    "found_first": "right section first",
    "found": "right section among the first 5",
    "answered": "answered when answerable",
    "refused": "abstained when not",
}


def _against(compared: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield a line for each measure: before, now, and whether chance explains the difference."""
    if not compared:
        return
    yield f"Against the earlier run, on the {compared['shared']} questions of both:"
    for name, one in compared["measures"].items():
        if one["difference"]:
            yield f"  {_MEASURES[name]:<34}{one['first']['value']:.3f} → {one['second']['value']:.3f}{_verdict(one)}"
    for change in compared["changes"]:
        yield f"  {change['id']}: {change['first']} → {change['second']}"


def _verdict(one: Mapping[str, Any]) -> str:
    gain = one["difference"]
    words = "too close to call" if one["too_close"] else "more than chance"
    return f"  {gain['value']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}], {words}"


def _curve(points: list[Mapping[str, float]]) -> Iterator[str]:
    """Yield about one line for each tenth of the questions answered."""
    if points:
        yield "If the limit stood there: share answered, and share of those that nothing answers"
    shown = 0
    for point in points:
        if (tenth := int(point["answered"] * _STEPS)) > shown:
            shown = tenth
            yield f"  {point['threshold']:.2f}  {point['answered']:.2f}  {point['wrong']:.2f}"


def _failures(failures: list[Mapping[str, Any]]) -> Iterator[str]:
    if failures:
        yield f"{len(failures)} failures"
    for one in failures:
        yield f"  {one['id']}: {one['question']}"
        yield f"    {one['why']}{_first(one['first'])}"


def _first(found: Mapping[str, Any] | None) -> str:
    if not found:
        return "; nothing was found"
    return f"; first came {found['document_id']}, lines {found['first_line']}-{found['last_line']}"
