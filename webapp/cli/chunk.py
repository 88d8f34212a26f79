"""`chunk`: how a strategy cuts one file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webapp.cli.common import Run, chosen_options, command, strategy_options

if TYPE_CHECKING:
    from webapp.core.documents.config import CollectionConfig
    from webapp.core.documents.model import Chunk


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@strategy_options
@command
def chunk(
    run: Run, file: Path, strategy: str | None, size: int | None, overlap: int | None, max_chars: int | None
) -> None:
    """Cut FILE and show the chunks; nothing is stored."""
    config = _config(run, file)
    options = chosen_options(size=size, overlap=overlap, max_chars=max_chars)
    data = _cut(file, config, strategy or config.strategy, options or (config.options if strategy is None else {}))
    run.say(data, _words(data))


def _config(run: Run, file: Path) -> CollectionConfig:
    """Return the settings of the collection named, else of the one the file lies in, else the defaults."""
    from webapp.core.documents.config import CONFIG_FILE, CollectionConfig, read_config

    if run.alone:
        return run.desk().config
    around = next((folder for folder in file.resolve().parents if (folder / CONFIG_FILE).exists()), None)
    return read_config(around) if around else CollectionConfig()


def _cut(file: Path, config: CollectionConfig, strategy: str, options: Mapping[str, int]) -> dict[str, Any]:
    from webapp.core.chunking.base import strategies
    from webapp.core.chunking.cut import cut
    from webapp.core.documents.errors import DocumentError
    from webapp.core.documents.reading import document_from_bytes

    strategies.get(strategy).parse(options)
    try:
        document = document_from_bytes(file.read_bytes(), file.name, config)
    except DocumentError as error:
        problem = {"path": str(file), "line": error.line, "problem": str(error)}
        return {"document": None, "chunks": [], "problems": [problem]}
    return {"document": document.id, "chunks": list(map(_row, cut(document, strategy, options))), "problems": []}


def _row(one: Chunk) -> dict[str, Any]:
    where = one.location
    names = ("heading", "heading_path", "first_line", "last_line", "start", "end")
    return {"id": one.id, "text": one.text, "label": where.label} | {name: getattr(where, name) for name in names}


def _words(data: dict[str, Any]) -> str:
    problems = [f"held back: {one['path']}:{one['line']}: {one['problem']}" for one in data["problems"]]
    rows = [f"{one['id']}  {one['label']}  ({len(one['text'])} characters)\n  {one['text']}" for one in data["chunks"]]
    return "\n".join([*problems, *rows] or ["no text, no chunks"])
