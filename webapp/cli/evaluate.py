"""`evaluate` and `calibrate`: how good the answers are, and when evidence is enough."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webapp.cli.common import Run, command, progress

if TYPE_CHECKING:
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
@click.option("--against", type=click.Path(path_type=Path), help="What an earlier run printed with --json, to compare")
@command
def evaluate(run: Run, docs: Path | None, questions: Path | None, against: Path | None) -> None:
    """Ask labelled questions and score what comes back."""
    from webapp.cli.evaluation_words import evaluation_words
    from webapp.core.evaluation.evaluate import evaluate as score
    from webapp.core.evaluation.runs import compare_runs, comparison_as_dict
    from webapp.services.measuring import asker

    earlier = _earlier_rows(against) if against else None
    with progress() as report, _desk(run, docs) as desk:
        asked = _questions(desk, questions)
        desk.ensure_index(report)
        judged_by = _JUDGED_BY[bool(desk.live().manifest.calibration)]
        result = score(asked, desk.files().documents, asker(desk), lambda done, of: report("asking", done, of))
    data = result.as_dict() | {"judged_by": judged_by}
    if earlier is not None:
        data["against"] = comparison_as_dict(compare_runs(earlier, data["rows"]))
    run.say(data, evaluation_words(data))


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


def _earlier_rows(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a run that was printed with --json, each with what a comparison looks at."""
    wanted = {"id", "question", "answerable", "label_broken", "abstained", "right_source", "section_rank"}
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
        if not all(wanted <= row.keys() for row in rows):
            raise KeyError("rows")
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise click.UsageError(
            f"{file} is not what `evaluate --json` prints; give the file that it was kept in"
        ) from None
    return list(rows)


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
