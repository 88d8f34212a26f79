"""Jobs in the reader's words: what is being done, which step it is at, where the result is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from flask import url_for
from flask_babel import lazy_gettext as _

from webapp.store.jobs import Job, JobState
from webapp.web.i18n import gettext, ngettext, number

SURE_SECONDS = 10.0  # before that, a rate says little

# A kind of work: its name, and the endpoint that shows what came of it (given `collection` and `job`, the job's id).
KINDS: Mapping[str, tuple[str, str]] = {
    "index": (_("Building the index"), "index.show"),
    "change": (_("What would change?"), "change.show"),
    "publish": (_("Publishing"), "publish.show"),
    "vectors": (_("Reading chunks for their meaning"), ""),
    "gaps": (_("Finding out what questions mean"), "gaps.show"),
    "evaluate": (_("Evaluating"), "evaluation.show"),
}
STAGES: Mapping[str, str] = {
    "waiting": _("Waiting until the files are quiet"),
    "reading": _("Reading the files"),
    "cutting": _("Cutting the pages into chunks"),
    "embedding": _("Reading the chunks for their meaning"),
    "storing": _("Writing the index"),
    "asking": _("Asking the golden questions"),
    "comparing": _("Comparing the questions"),
    "trying": _("Choosing when evidence is enough"),
}
STATES: Mapping[JobState, str] = {
    JobState.WAITING: _("Waiting for its turn"),
    JobState.RUNNING: _("Under way"),
    JobState.DONE: _("Done"),
    JobState.FAILED: _("Failed"),
    JobState.CANCELLED: _("Called off"),
}


@dataclass(frozen=True, slots=True)
class JobWords:
    """What `job_card` says of a job."""

    name: str
    state: str
    stage: str  # "" before it has begun; a stage that has no words is shown as it is called
    pace: str  # how quickly texts are read for their meaning, and how long it may still take; "" where it can't be told
    result_url: str  # "" when there is nothing to show yet
    begun_url: str  # where such work is asked for, whatever became of it; "" when there is no one place


def job_words(job: Job) -> JobWords:
    """Return a job in words."""
    name, endpoint = KINDS.get(job.kind, (job.kind, ""))
    state = gettext("Stopping") if job.active and job.cancelling else STATES[job.state]
    begun_url = url_for(endpoint, collection=job.collection, job=job.id) if endpoint else ""
    result_url = begun_url if job.state is JobState.DONE else ""
    return JobWords(str(name), str(state), str(STAGES.get(job.stage, job.stage)), _pace(job), result_url, begun_url)


def _pace(job: Job) -> str:
    """Only embedding takes so long that anybody would ask, and nearly all of a job's time goes into it."""
    taken = (job.seen_at - job.started_at).total_seconds() if job.seen_at and job.started_at else 0.0
    if job.stage != "embedding" or not job.active or not job.done or taken < SURE_SECONDS:
        return ""
    minutes = math.ceil(taken * (job.of - job.done) / job.done / 60)
    return ngettext(
        "%(rate)s a second, about a minute left",
        "%(rate)s a second, about %(minutes)s minutes left",
        minutes,
        rate=number(round(job.done / taken, 1)),
        minutes=number(minutes),
    )
