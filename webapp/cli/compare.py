"""`compare`: chunking settings side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webapp.cli.common import Run, command

if TYPE_CHECKING:
    from webapp.core.documents.config import CollectionConfig
    from webapp.core.documents.model import Document


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE...]")
@command
def compare(run: Run, files: tuple[Path, ...]) -> None:
    """Compare the collection's chunking settings, on FILEs or on all its documents."""
    from webapp.core.documents.config import FACTS_FILE
    from webapp.core.evaluation.compare import compare as put_side_by_side
    from webapp.core.evaluation.compare import settings_of
    from webapp.core.evaluation.facts import read_facts
    from webapp.core.evaluation.trial import TrialSearch
    from webapp.core.retrieval.chosen import chosen_embedder
    from webapp.services.measuring import golden_questions

    desk = run.desk()
    collection = desk.files()
    comparison = put_side_by_side(
        _documents(files, collection.config) or collection.documents,
        settings_of(collection.config),
        read_facts(desk.folder / FACTS_FILE),
        golden_questions(desk.folder),
        TrialSearch(collection.config, chosen_embedder(collection.config), desk.vectors),
        collection.documents,
    )
    data = comparison.as_dict()
    run.say(data, _words(data))


def _documents(files: Sequence[Path], config: CollectionConfig) -> tuple[Document, ...]:
    """Return the files as documents; a draft needs no status yet to be compared. Raises ClickException."""
    lenient = config.model_copy(update={"status_when_missing": "current"})
    return tuple(_document(file, lenient) for file in files)


def _document(file: Path, config: CollectionConfig) -> Document:
    from webapp.core.documents.errors import DocumentError
    from webapp.core.documents.reading import document_from_bytes

    try:
        return document_from_bytes(file.read_bytes(), file.name, config)
    except DocumentError as error:
        raise click.ClickException(f"{file}:{error.line}: {error}") from error


def _words(data: dict[str, Any]) -> str:
    head = f"{'setting':<22}{'chunks':>7}{'short':>7}{'median':>8}{'long':>7}{'cut':>5}  facts  recall@1  recall@3"
    return "\n".join([head, *map(_row, data["settings"]), data["verdict"]])


def _row(one: dict[str, Any]) -> str:
    name = " ".join([one["strategy"], "/".join(map(str, one["options"].values()))])
    sizes = f"{one['chunks']:>7}{_(one['shortest']):>7}{_(one['median']):>8}{_(one['longest']):>7}"
    facts = f"{one['facts_whole']}/{one['facts_whole'] + len(one['facts_lost'])}"
    recall = "".join(f"{_(one['recall'][k]['value'], '.2f'):>10}" for k in ("1", "3"))
    return f"{name:<22}{sizes}{one['cut_mid_sentence']:>5}{facts:>7}{recall}"


def _(value: float | None, form: str = "") -> str:
    return "–" if value is None else format(value, form)
