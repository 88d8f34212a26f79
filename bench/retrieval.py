"""What ships as learnt is learnt here, from labelled folders: fusion weights and the default calibration.

Each FOLDER is a collection with its golden.jsonl, or holds docs/ and questions.jsonl. The figures printed are
cross-validated: every question is scored by weights and calibration learnt without it, and without any question about
the same document. Vectors of passages and questions are kept in --cache between runs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from bench.fusion_fit import learn
from bench.labelled import Asked, Kind, Place, ask_all
from bench.labelled_options import labelled_folders
from bench.retrieval_time import time_command
from webapp.core.answering.sufficiency import Calibration, default_calibration
from webapp.core.evaluation.calibrate import Example, Fit, fit
from webapp.core.evaluation.metrics import Figure, auc, rate
from webapp.core.retrieval.embedders.base import Embedder
from webapp.core.retrieval.fusion import FEATURES, rank
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import ordered
from webapp.core.retrieval.signals import signals

CORE = Path(__file__).parents[1] / "webapp" / "core" / "retrieval"
PARTS = 5  # of cross-validation
DEPTH = 10
PULL = 2.0  # of the default calibration towards nothing: a light hand against chance
MAX_WRONG = 0.03  # tighter than the promised 5%: the default serves collections that taught it nothing
START = dict.fromkeys(("score", "meaning", "rival", "length", "other_language", "held"), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A question as some fusion weights rank it: what sufficiency learns from, and the ranks of what is right."""

    asked: Asked
    example: Example
    section_rank: int  # 0: not found
    document_rank: int


@click.group(help=__doc__)
def main() -> None:
    """Group the commands."""


main.add_command(time_command)


@main.command(name="fit")
@labelled_folders
@click.option("--keep", is_flag=True, help="Write what was learnt into the package")
def fit_command(folders: Sequence[Path], cache: Path, embedder: Embedder, keep: bool) -> None:
    """Learn from FOLDERS, and print what it is worth."""
    asked = [one for folder in folders for one in ask_all(folder, folders, cache, embedder)]
    tested = cross_validated(asked)
    trial = calibrated(tested)
    for folder in folders:
        report(folder.name, [row for row in tested if row.asked.folder == folder.name], trial.calibration)
    click.echo(f"all: AUC {_shown(trial.auc)}, answered {trial.answered:.3f}, wrong answers {trial.wrong:.3f}")
    weights = learn([one.lesson() for one in asked if one.answerable])
    final = calibrated([scored(one, weights) for one in asked]).calibration
    click.echo(json.dumps(weights, indent=1))
    click.echo(final.model_dump_json(indent=1))
    if keep:
        write(embedder.name, weights, final)


def cross_validated(asked: Sequence[Asked]) -> list[Scored]:
    """Score every question by fusion weights that were learnt without any question about its document."""
    groups = sorted({one.group for one in asked})
    part = {group: int(number) for group, number in zip(groups, _shuffled(len(groups)), strict=True)}
    tested = []
    for number in range(PARTS):
        weights = learn([one.lesson() for one in asked if part[one.group] != number and one.answerable])
        tested += [scored(one, weights) for one in asked if part[one.group] == number]
    return tested


def calibrated(rows: Sequence[Scored]) -> Fit:
    """Fit the default calibration. In each folder both kinds weigh the same, so that no folder's easy ones rule."""
    given = []
    for folder in sorted({row.asked.folder for row in rows}):
        own = [row.example for row in rows if row.asked.folder == folder and row.asked.search.candidates]
        yes = sum(one.weight for one in own if one.answerable)
        no = sum(one.weight for one in own if not one.answerable)
        given += [one if one.answerable else replace(one, weight=one.weight * yes / no) for one in own]
    start = Calibration(weights=START, bias=0.0, threshold=0.5, sure=0.5, floor=0.1)
    return fit(given, start, "several collections", pull=PULL, max_wrong=MAX_WRONG)


def scored(one: Asked, weights: dict[str, float]) -> Scored:
    """Rank the question's candidates by those weights."""
    array = np.array([weights[name] for name in FEATURES])
    ranked = rank(one.search.candidates, one.search.question, one.lang, array)
    query = Query(one.question.question, one.lang)
    kept, _ = ordered(ranked, DEPTH)
    hits = ranked.candidates.take(np.array(kept, dtype=np.int64))
    chunks = one.retriever.chunks(hits)
    given = signals(ranked, one.search.question, query, one.search.background, next(iter(chunks), None))
    sections = dict.fromkeys(place for row in hits.rows.tolist() for place in one.regions.get(row, ()))
    documents = dict.fromkeys(chunk.document_id for chunk in chunks)
    example = Example(given, one.answerable, one.group, one.kind.value, one.kind is Kind.FOREIGN)
    return Scored(one, example, _rank(sections, one.right), _rank(documents, one.right_documents))


def _rank(found: dict[Place, None] | dict[str, None], right: frozenset[Place] | frozenset[str]) -> int:
    return next((place for place, one in enumerate(found, 1) if one in right), 0)


def report(name: str, rows: Sequence[Scored], calibration: Calibration) -> None:
    """Print the figures of one folder."""
    yes = [row for row in rows if row.asked.answerable]
    chance = [_chance(row, calibration) for row in yes]
    no = [_chance(row, calibration) for row in rows if row.asked.kind is Kind.OWN and not row.asked.answerable]
    strange = [_chance(row, calibration) for row in rows if row.asked.kind is Kind.FOREIGN]
    limit = calibration.threshold
    figures = {
        "sections at 1": _share([row.section_rank == 1 for row in yes]),
        "at 5": _share([0 < row.section_rank <= 5 for row in yes]),
        "documents at 5": _share([0 < row.document_rank <= 5 for row in yes]),
        "AUC": _shown(auc(chance, no)),
        "answered": _share([one >= limit for one in chance]),
        "wrong answers": _share([one >= limit for one in no]),
        "of other folders": _share([one >= limit for one in strange]),
        "answered at 5% wrong": _share(_at_most_wrong(chance, no)),
    }
    click.echo(f"{name}: " + "; ".join(f"{what} {figure}" for what, figure in figures.items()))


def _chance(row: Scored, calibration: Calibration) -> float:
    return calibration.probability(row.example.signals) if len(row.asked.search.candidates) else 0.0


def _at_most_wrong(chance: Sequence[float], no: Sequence[float]) -> list[bool]:
    limit = sorted(no, reverse=True)[int(0.05 * len(no))] if no else 0.0
    return [one > limit for one in chance]


def _share(hits: Sequence[bool]) -> str:
    return _shown(rate(sum(hits), len(hits)))


def _shown(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "–"
    return f"{figure.value:.3f} ({figure.low:.2f}–{figure.high:.2f})"


def _shuffled(count: int) -> Sequence[int]:
    numbers: list[int] = (np.random.default_rng(0).permutation(count) % PARTS).tolist()
    return numbers


def write(embedder: str, weights: dict[str, float], calibration: Calibration) -> None:
    """Put what was learnt where the package reads it."""
    file = CORE / "fusion.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    unlike = kept.get(embedder, kept["*"])["unlike"]
    kept[embedder] = {"weights": {name: round(weights[name], 4) for name in FEATURES}, "unlike": unlike}
    file.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    name = embedder.replace("-", "_")
    target = CORE / "embedders" / f"{name}.calibration.json"
    target.write_text(calibration.model_dump_json(indent=2) + "\n", encoding="utf-8")
    default_calibration.cache_clear()


if __name__ == "__main__":
    main()
