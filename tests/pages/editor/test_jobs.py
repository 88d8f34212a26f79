"""A job's page: where it is, calling it off, what came of it; its card alone for htmx."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Role
from webapp.pages.editor.job_words import KINDS, job_words
from webapp.services.jobs import Job, JobState
from webapp.services.work.base import kinds

HTMX = {"HX-Request": "true"}


@pytest.fixture
def job(site: Site) -> Job:
    """One that waits."""
    return site.services.jobs.ask("kestrel", "index")


def page_of(job: Job) -> str:
    return f"/admin/jobs/{job.id}"


def test_one_that_waits_can_be_called_off(editor: Client, site: Site, job: Job) -> None:
    page = editor.get(page_of(job)).text
    assert "Waiting for its turn" in page
    assert "Call it off" in page
    response = editor.post(f"{page_of(job)}/cancel")
    assert response.status_code == 303
    over = editor.get(response.headers["Location"]).text
    assert "Called off" in over
    assert "Call it off" not in over
    assert "hx-trigger" not in over, "it asks for itself no more"
    assert f'href="/admin/index?collection=kestrel&amp;job={job.id}"' in over, "and leads back"


def test_one_that_runs_says_where_it_is(editor: Client, site: Site, job: Job) -> None:
    running = site.services.jobs.claim(("kestrel",))
    assert running
    site.services.jobs.report(running, "embedding", 3, 10)
    card = editor.get(page_of(job), headers=HTMX).text
    assert "<html" not in card
    assert 'hx-trigger="every 1s"' in card
    assert 'data-announce="Building the index: Under way"' in card
    assert "Reading the chunks for their meaning" in card
    assert '<progress aria-label="Building the index" value="3" max="10">' in card
    assert "3 of 10" in card
    assert 'class="look-again"' in card
    stopping = editor.post(f"{page_of(job)}/cancel", headers=HTMX).text
    assert "Stopping" in stopping
    assert f'id="cancel-{job.id}" aria-disabled="true"' in stopping, "focus stays where it was"


def test_one_that_takes_long_says_how_fast_it_goes_and_how_long_it_may_take(site: Site, job: Job) -> None:
    begun = datetime(2026, 1, 2, tzinfo=UTC)
    running = replace(job, state=JobState.RUNNING, stage="embedding", started_at=begun, of=1200)
    with site.app.test_request_context(headers={"Accept-Language": "en"}):
        late = replace(running, done=300, seen_at=begun + timedelta(seconds=60))
        assert job_words(late).pace == "5 a second, about 3 minutes left"
        nearly = replace(late, done=1190)
        assert job_words(nearly).pace == "19.8 a second, about a minute left"
        early = replace(running, done=3, seen_at=begun + timedelta(seconds=1))
        assert job_words(early).pace == job_words(replace(late, stage="cutting")).pace == ""


def test_one_that_is_done_leads_to_what_came_of_it(editor: Client, site: Site, job: Job) -> None:
    running = site.services.jobs.claim(("kestrel",))
    assert running
    site.services.jobs.done(running, {"outcome": "same"})
    page = editor.get(page_of(job)).text
    assert f'href="/admin/index?collection=kestrel&amp;job={job.id}"' in page


def test_one_that_failed_says_why(editor: Client, site: Site, job: Job) -> None:
    running = site.services.jobs.claim(("kestrel",))
    assert running
    site.services.jobs.failed(running, "<b>No space</b> left on device")
    page = editor.get(page_of(job)).text
    assert "Failed" in page
    assert "&lt;b&gt;No space&lt;/b&gt; left on device" in page


def test_those_of_a_collection_that_is_not_served_are_not_there(editor: Client, site: Site) -> None:
    elsewhere = site.services.store.jobs.add("elsewhere", "index", {}, None)
    for id_ in (elsewhere.id, "made-up"):
        assert editor.get(f"/admin/jobs/{id_}").status_code == 404
        assert editor.post(f"/admin/jobs/{id_}/cancel").status_code == 404
    left = site.services.jobs.get(elsewhere.id)
    assert left
    assert left.state is JobState.WAITING


def test_it_is_for_editors(site: Site, job: Job) -> None:
    assert site.client().get(page_of(job)).status_code == 302
    assert site.client(Role.AGENT).get(page_of(job)).status_code == 403
    assert site.client(Role.AGENT).post(f"{page_of(job)}/cancel").status_code == 403


def test_a_stage_without_words_is_shown_as_it_is_called(editor: Client, site: Site, job: Job) -> None:
    running = site.services.jobs.claim(("kestrel",))
    assert running
    site.services.jobs.report(running, "polishing", 0, 0)
    assert "polishing" in editor.get(page_of(job)).text


def test_every_kind_of_work_has_its_words() -> None:
    assert {part.name for part in kinds.all()} == KINDS.keys()


def test_it_is_in_the_readers_language(site: Site, job: Job) -> None:
    assert "সূচি তৈরি হচ্ছে" in site.client(Role.EDITOR, "bn").get(page_of(job)).text
