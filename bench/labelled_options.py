"""What the commands over labelled folders share: FOLDERS, where vectors are kept, and the embedder with its options."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from webapp.core.registry import PartUnavailable, UnknownPart
from webapp.core.retrieval.embedders.base import Embedder, load_embedder


def labelled_folders(function: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command: it is given `folders`, `cache` and the `embedder`."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    kept = click.Path(file_okay=False, path_type=Path)

    @click.argument("folders", nargs=-1, required=True, type=folder)
    @click.option("--cache", required=True, type=kept, help="Where vectors are kept")
    @click.option("--embedder", default="e5-small", metavar="NAME", help="A registered embedder")
    @click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of it, such as path=DIR")
    @functools.wraps(function)
    def wrapped(embedder: str, options: tuple[str, ...], **given: Any) -> None:
        function(embedder=_embedder(embedder, options), **given)

    return wrapped


def _embedder(name: str, options: tuple[str, ...]) -> Embedder:
    given = {key: value for key, _, value in (one.partition("=") for one in options)}
    try:
        return load_embedder(name, given)
    except (UnknownPart, PartUnavailable, ValidationError) as error:
        raise click.UsageError(str(error)) from error
