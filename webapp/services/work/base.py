"""What a kind of work is, and where the registered ones are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from webapp.core.registry import Registry

if TYPE_CHECKING:
    from webapp.services.root import Services

Progress = Callable[[str, int, int], None]  # stage, done, of; raises Cancelled when the work was called off

# services, the collection's name, the arguments as the kind's options model has them in JSON, progress -> the result,
# JSON values. Registered with the model of its arguments. What it raises is said to whoever asked.
Work = Callable[["Services", str, Mapping[str, Any], Progress], Mapping[str, Any]]

kinds: Registry[Work] = Registry("kind of work", "webapp.services.work")


class Cancelled(Exception):
    """The work was called off. Let it pass; what was half made is to be removed."""


class GivesWay(Cancelled):
    """The work is called off for now: something more urgent comes first, and then it begins anew."""
