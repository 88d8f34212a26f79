"""One job: where it is, calling it off, what came of it."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from webapp.pages.editor.job_words import job_words
from webapp.store.jobs import Job
from webapp.web.context import services, title
from webapp.web.htmx import is_htmx, page

blueprint = Blueprint("jobs", __name__)
blueprint.add_app_template_global(job_words)


@blueprint.get("/admin/jobs/<job_id>")
def show(job_id: str) -> ResponseReturnValue:
    """Show a job; for htmx, its card alone."""
    return _page(_job(job_id))


@blueprint.post("/admin/jobs/<job_id>/cancel")
def cancel(job_id: str) -> ResponseReturnValue:
    """Call a job off."""
    job = services().jobs.cancel(_job(job_id).id)
    return _page(job) if job and is_htmx() else redirect(url_for("jobs.show", job_id=job_id), 303)


def _page(job: Job) -> ResponseReturnValue:
    return page("editor/job.html", "card", job=job, site_title=title(services().desk(job.collection).config))


def _job(job_id: str) -> Job:
    """A job of a collection that isn't served here counts as none."""
    job = services().jobs.get(job_id)
    if job is None or job.collection not in {desk.name for desk in services().desks()}:
        abort(404)
    return job
