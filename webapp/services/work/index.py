"""Building an index version: of the files as they are now, cut as the collection says or as was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from webapp.services.work.base import Progress, kinds

if TYPE_CHECKING:
    from webapp.services.root import Services


class IndexArguments(BaseModel, frozen=True, extra="forbid"):
    """How to cut. Without a strategy: as the live version is, and only if the files have changed."""

    strategy: str | None = None
    options: dict[str, int] = {}
    author: str = ""


@kinds.register("index", "Build an index version and serve it", IndexArguments)
def run(services: Services, collection: str, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Build, and serve what was built. Raises as `Desk.index` does."""
    desk, asked = services.desk(collection), IndexArguments.model_validate(arguments)
    if asked.strategy is None:
        desk.settle_files(progress)
        report = desk.ensure_index(progress)
    else:
        report = desk.index(asked.strategy, asked.options, progress, author=asked.author)
    if report is None:
        return {"version": None}
    return asdict(report) | {"held_back": [one.model_dump() for one in report.held_back]}
