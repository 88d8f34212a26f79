"""`evaluate` and `calibrate`: how good the answers are, and when evidence is enough."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webapp.cli.common import Run, command, progress

if TYPE_CHECKING:
    from webapp.core.answering.model import Answer
    from webapp.core.evaluation.questions import Question
    from webapp.services.desk import Desk

_JUDGED_BY = {
    True: "the collection's own calibration; each question of its golden set by one that has not seen it, nor others "
    "about the same document",
    False: "the default calibration",
}


def _measured(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is measured."""
    file, folder = click.Path(path_type=Path), click.Path(path_type=Path, file_okay=False)
    function = click.option("--questions", type=file, help="Labelled questions; default: those of the collection")(
        function
    )
    return click.option("--docs", type=folder, help="Any folder, in an index that is gone afterwards")(function)


@click.command()
@_measured
@command
def evaluate(run: Run, docs: Path | None, questions: Path | None) -> None:
    """Ask labelled questions and score what comes back."""
    from webapp.core.evaluation.evaluate import evaluate as score

    with progress() as report, _desk(run, docs) as desk:
        asked = _questions(desk, questions)
        desk.ensure_index(report)
        judged_by = _JUDGED_BY[bool(desk.live().manifest.calibration)]
        result = score(asked, desk.files().documents, _asker(desk), lambda done, of: report("asking", done, of))
    data = result.as_dict() | {"judged_by": judged_by}
    run.say(data, _words(data))


@click.command()
@_measured
@command
def calibrate(run: Run, docs: Path | None, questions: Path | None) -> None:
    """Choose when evidence is enough, from labelled questions; every index version of a collection does so itself."""
    from webapp.services.measuring import learn

    with progress() as report, _desk(run, docs) as desk:
        asked = _questions(desk, questions)
        desk.ensure_index(report)
        fit = learn(desk.live(), desk.files(), asked, desk.vectors)
    found = fit.calibration
    words = (
        f"threshold {found.threshold:.3f}: {fit.answered:.0%} of the answerable answered, {fit.wrong:.1%} of the others"
    )
    run.say(fit.as_dict(), words)


@contextmanager
def _desk(run: Run, docs: Path | None) -> Iterator[Desk]:
    """The collection, or a folder served from a place that is gone afterwards."""
    if docs is None:
        yield run.desk()
        return
    from webapp.services.root import Services

    with tempfile.TemporaryDirectory(prefix="evidencedesk-") as place:
        folder = str(docs.resolve())
        settings = run.settings.model_copy(update={"instance": Path(place), "collection": folder})
        yield Services.open_for_trial(settings).desk()


def _questions(desk: Desk, file: Path | None) -> tuple[Question, ...]:
    from webapp.core.evaluation.questions import read_questions
    from webapp.services.measuring import golden_questions

    return read_questions(file) if file else golden_questions(desk.folder)


def _asker(desk: Desk) -> Callable[[Question], Answer]:
    """Ask as a customer would."""
    from webapp.core.retrieval.model import Reader
    from webapp.services.measuring import fair_judges
    from webapp.services.model import AskOptions

    judge_of = fair_judges(desk.live(), desk.files(), desk.vectors)

    def ask(question: Question) -> Answer:
        return desk.try_out(question.question, Reader(), AskOptions(lang=question.lang), judge_of(question))[0]

    return ask


def _words(data: dict[str, Any]) -> str:
    head = f"{data['questions']} questions: {data['answerable']} answerable, {data['unanswerable']} not"
    broken = [f"{data['label_broken']} labels no longer hold"] if data["label_broken"] else []
    retrieval, abstention = data["retrieval"], data["abstention"]
    figures = {
        **{f"right section among the first {k}": one for k, one in retrieval["section_recall"].items()},
        **{f"right document among the first {k}": one for k, one in retrieval["document_recall"].items()},
        "mean reciprocal rank": retrieval["mrr10"],
        "answerable against not (AUC)": abstention["auc"],
        "answered when answerable": abstention["answered_when_answerable"],
        "abstained when not": abstention["abstained_when_unanswerable"],
        "answered from a wrong place": abstention["wrong_source"],
    }
    return "\n".join(
        [
            head,
            *broken,
            *(_figure(name, one) for name, one in figures.items()),
            f"Judged by {data['judged_by']}.",
            f"{data['seconds']:.1f} s",
        ]
    )


def _figure(name: str, one: dict[str, float | None]) -> str:
    if one["value"] is None:
        return f"{name:<34}    –"
    return f"{name:<34}{one['value']:.3f}  [{one['low']:.3f}–{one['high']:.3f}]"
