"""Finding out what open questions mean, so that those that want the same stand together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webapp.core.registry import NoOptions
from webapp.core.retrieval.model import Reader, Role
from webapp.services.work.base import Progress, kinds

if TYPE_CHECKING:
    from webapp.services.root import Services


@kinds.register("gaps", "Find out what open questions mean", NoOptions)
def run(services: Services, collection: str, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Read the questions that are not known yet, whoever may see them: meanings alone are kept, and no words."""
    groups = services.desk(collection).config.groups
    everything = Reader(Role.ADMIN, frozenset(groups))
    unread = services.gaps.unread(collection, everything)
    progress("comparing", 0, len(unread))
    services.gaps.read(collection, unread, progress)
    return {"questions": len(unread)}
