"""Index versions in the reader's words: what each holds, how good it is, what it changed, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any

from flask_babel import lazy_gettext as _

from webapp.core.evaluation.compare import Setting
from webapp.core.retrieval.engine import HeldBack, IndexProblem, Manifest
from webapp.core.retrieval.model import Reader
from webapp.pages.editor.hidden import without
from webapp.pages.editor.history_view import ListedRun, listed_runs
from webapp.pages.editor.strategy_words import label
from webapp.services.closed import closed_to
from webapp.services.desk import Desk
from webapp.services.index_changes import Changes, changes_between
from webapp.services.index_notes import Trouble
from webapp.store.jobs import Job, JobState
from webapp.store.runs import Runs
from webapp.web.access import current_reader
from webapp.web.context import services

NAMED = 20  # documents of one kind of change that are named

TROUBLES = {
    Trouble.NONE: _("There is no index: nothing can be answered until a version is built."),
    Trouble.FAILED: _("No version can be built from the files as they are now. The last good one is served."),
    Trouble.CALLED_OFF: _("The index is not as new as the files: building from them was called off."),
    Trouble.DAMAGED: _("The version that was served is damaged. An older one is served until a new one is built."),
    Trouble.BEHIND: _("The index is not as new as the files."),
}
FIGURES = {
    "found": _("right section among the first five"),
    "answered": _("answered from a right place"),
    "refused": _("rightly refused"),
}


@dataclass(frozen=True, slots=True)
class Version:
    """One version in the list. `changes`: since the one before it in the list, None for the oldest."""

    manifest: Manifest
    setting: str
    live: bool
    figures: ListedRun | None
    changes: Changes | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A version that was built and not served, because golden figures fell."""

    job: Job
    setting: str
    fallen: tuple[Mapping[str, Any], ...]


def versions(desk: Desk, reader: Reader, runs: Runs) -> list[Version]:
    """Return the versions that can be served, newest first."""
    live = desk.served()
    known = desk.versions()
    changes = [_changes(desk, reader, before, after) for after, before in pairwise(known)]
    return [
        Version(
            one,
            label(Setting(one.strategy, one.options)),
            live is not None and one.id == live.id,
            _figures(runs, desk.name, one),
            changed,
        )
        for one, changed in zip_longest(known, changes)
    ]


def refused(last: Job | None, live: Manifest | None, hidden: Set[str]) -> Refused | None:
    """Return what the last build gave, if it wasn't served because figures fell; `hidden` questions are not named."""
    if last is None or not last.result or last.result.get("outcome") != "fell" or _is_older(last, live):
        return None
    setting = Setting(last.arguments["strategy"], last.arguments["options"])
    return Refused(last, label(setting), tuple(one for one in without(last.result["figures"], hidden) if one["fell"]))


def open_files(made: Manifest, desk: Desk) -> list[HeldBack]:
    """Return the files that a version holds back, less those that are known to be closed to the current reader."""
    closed = closed_to(current_reader(), desk, services().store).paths if made.held_back else frozenset()
    return [one for one in made.held_back if one.path not in closed]


def failed_now(last: Job | None, live: Manifest | None) -> bool:
    """Tell whether the last build failed, and nothing has been built since."""
    return last is not None and last.state is JobState.FAILED and not _is_older(last, live)


def _is_older(job: Job, live: Manifest | None) -> bool:
    return live is not None and job.created_at < live.created_at


def _figures(runs: Runs, collection: str, one: Manifest) -> ListedRun | None:
    run = runs.of_version(one.id, collection)
    return next(iter(listed_runs([run] if run else [], "")), None)


def _changes(desk: Desk, reader: Reader, before: Manifest, after: Manifest) -> Changes | None:
    """A version that went away or is damaged has nothing to be compared with."""
    try:
        return changes_between(desk.version(before.id), desk.version(after.id), reader)
    except (IndexProblem, OSError, ValueError):
        return None


def kinds_of_change(changes: Changes) -> Sequence[tuple[str, Sequence[Any]]]:
    """Return the changes by kind, in the order in which they are shown; empty ones left out."""
    named = [(_("Added"), changes.added), (_("Changed"), changes.changed), (_("Removed"), changes.removed)]
    return [(str(name), found) for name, found in named if found]
