"""What ships as learnt is learnt here, from labelled folders: fusion weights and the default calibration.

Each FOLDER is a collection with its golden.jsonl, or holds docs/ and questions.jsonl. The figures printed are
cross-validated: every question is scored by weights and calibration learnt without it, and without any question about
the same document. Vectors are kept in --cache between runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import click
import numpy as np

from bench.fusion_fit import Lesson, learn
from webapp.core.answering.sufficiency import Calibration, default_calibration
from webapp.core.documents.collection import load_collection
from webapp.core.documents.config import GOLDEN_FILE
from webapp.core.documents.language import detect_language
from webapp.core.documents.lines import lines_of
from webapp.core.documents.model import Collection, Document
from webapp.core.evaluation.calibrate import ENOUGH_UNANSWERABLE, MADE_UP, Example, Fit, fit
from webapp.core.evaluation.metrics import Figure, auc, rate
from webapp.core.evaluation.questions import Question, places, read_questions
from webapp.core.evaluation.regions import Regions
from webapp.core.retrieval.embedders.base import load_embedder
from webapp.core.retrieval.fusion import FEATURES, features, rank
from webapp.core.retrieval.index import IndexFolder, build
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever, Search, ordered
from webapp.core.retrieval.signals import signals

CORE = Path(__file__).parents[1] / "webapp" / "core" / "retrieval"
PARTS = 5  # of cross-validation
DEPTH = 10
PULL = 2.0  # of the default calibration towards nothing: a light hand against chance
MAX_WRONG = 0.03  # tighter than the promised 5%: the default serves collections that taught it nothing
START = dict.fromkeys(("score", "meaning", "rival", "length", "other_language", "held"), 0.0)

FOREIGN = 0.25  # weight of another folder's question: now and then it can be answered here after all
FOREIGN_ASKED = 100  # of them, for each folder

Place = tuple[str, int]


class Kind(Enum):
    """Where a question comes from."""

    OWN = 1.0
    HIDDEN = MADE_UP  # asked again with the documents hidden that answer it
    FOREIGN = FOREIGN


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One question, or the same with its documents hidden, and what both searches found for it."""

    folder: str
    question: Question
    lang: str
    kind: Kind
    group: str
    search: Search
    regions: tuple[tuple[Place, ...], ...]  # that each candidate overlaps
    right: frozenset[Place]
    right_documents: frozenset[str]

    @property
    def answerable(self) -> bool:
        """Whether what it is asked of holds the answer."""
        return self.question.answerable and self.kind is Kind.OWN

    def lesson(self) -> Lesson:
        """Return what fusion learns from it."""
        right = [any(place in self.right for place in places_) for places_ in self.regions]
        return Lesson(features(self.search.candidates, self.search.question, self.lang), np.array(right, dtype=bool))


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


@main.command(name="fit")
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--cache", required=True, type=click.Path(file_okay=False, path_type=Path), help="Where vectors are kept")
@click.option("--embedder", default="e5-small", help="Registered embedder to learn for")
@click.option("--keep", is_flag=True, help="Write what was learnt into the package")
def fit_command(folders: Sequence[Path], cache: Path, embedder: str, keep: bool) -> None:
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
        write(embedder, weights, final)


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


def ask_all(folder: Path, folders: Sequence[Path], cache: Path, embedder_name: str) -> Iterator[Asked]:
    """Ask every question of a folder; the answerable ones again with their documents hidden, where few are not; and
    questions of the other folders, which it can't answer, in other languages too."""
    questions = labelled(folder)
    collection = load_collection(docs_of(folder))
    embedder = load_embedder(embedder_name)
    build(collection, cache / "indexes" / folder.name, embedder, cache=cache)
    version = IndexFolder(cache / "indexes" / folder.name).current()
    assert version is not None  # it has just been built
    retriever = Retriever(version, embedder)
    regions = {document.id: _regions(document) for document in collection.documents}
    make_up = sum(not question.answerable for question in questions) < ENOUGH_UNANSWERABLE
    for question in questions:
        one = ask(folder.name, question, collection, retriever, regions)
        yield one
        if question.answerable and make_up:
            yield replace(one, kind=Kind.HIDDEN, search=retriever.search(_query(one, without=one.right_documents)))
    for question in foreign(folder, folders):
        yield replace(ask(folder.name, question, collection, retriever, regions), kind=Kind.FOREIGN)


def docs_of(folder: Path) -> Path:
    """Return where the documents of a labelled folder are."""
    return folder / "docs" if (folder / "docs").is_dir() else folder


def labelled(folder: Path) -> tuple[Question, ...]:
    """Return the questions of a labelled folder."""
    return read_questions(folder / ("questions.jsonl" if docs_of(folder) != folder else GOLDEN_FILE))


def foreign(folder: Path, folders: Sequence[Path]) -> list[Question]:
    """Return questions of the other folders, spread over them."""
    others = [
        Question(id=f"{other.name}/{one.id}", question=one.question, answerable=False)
        for other in folders
        if other != folder
        for one in labelled(other)
    ]
    return others[:: -(-len(others) // FOREIGN_ASKED)]


def ask(
    folder: str, question: Question, collection: Collection, retriever: Retriever, regions: dict[str, Regions]
) -> Asked:
    """Ask one question."""
    right = places(question, collection.documents)
    documents = frozenset(place.document_id for place in right)
    lang = detect_language(question.question, collection.config.languages)
    search = retriever.search(Query(question.question, lang))
    return Asked(
        folder=folder,
        question=question,
        lang=lang,
        kind=Kind.OWN,
        group=f"{folder}/{min(documents, default=question.id)}",
        search=search,
        regions=tuple(
            _places(regions, one.document_id, one.location.first_line, one.location.last_line)
            for one in (candidate.entry.chunk for candidate in search.candidates)
        ),
        right=frozenset(
            place for one in right for place in _places(regions, one.document_id, one.first_line, one.last_line)
        ),
        right_documents=documents,
    )


def _places(regions: dict[str, Regions], document_id: str, first: int, last: int) -> tuple[Place, ...]:
    return tuple((document_id, start) for start in regions[document_id].of(first, last))


def _regions(document: Document) -> Regions:
    return Regions(lines_of(document.text), document.body_line)


def _query(one: Asked, without: frozenset[str]) -> Query:
    return Query(one.question.question, one.lang, without=without)


def scored(one: Asked, weights: dict[str, float]) -> Scored:
    """Rank the question's candidates by those weights."""
    array = np.array([weights[name] for name in FEATURES])
    ranked = rank(one.search.candidates, one.search.question, one.lang, array)
    given = signals(ranked, one.search.question, one.lang, one.search.background)
    hits, _ = ordered(ranked, DEPTH)
    by_row = {candidate.row: places_ for candidate, places_ in zip(one.search.candidates, one.regions, strict=False)}
    sections = dict.fromkeys(place for hit in hits for place in by_row.get(hit.candidate.row, ()))
    documents = dict.fromkeys(hit.candidate.entry.chunk.document_id for hit in hits)
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
    return calibration.probability(row.example.signals) if row.asked.search.candidates else 0.0


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
