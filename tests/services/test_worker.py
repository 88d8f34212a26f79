"""The worker: what it does of itself, how a job is called off, and what becomes of one whose worker dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from tests.conftest import Desks
from tests.services.test_root import RETURN, ask, edit
from webapp.core.registry import Part, PartUnavailable
from webapp.services import jobs, worker
from webapp.services.jobs import Cancelled, Job, JobState, Pulse
from webapp.services.root import Services
from webapp.services.work.base import Progress, Work, kinds
from webapp.store.jobs import Standing

GOLDEN = [
    {"id": "r", "question": RETURN, "answerable": True, "document": "returns", "fact": "within 45 days"},
    {"id": "z", "question": "Where do zebras migrate to?", "answerable": False},
]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bursts are over at once, and a job's progress is written often."""
    monkeypatch.setattr("webapp.services.index.QUIET", 0.0)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.02)


def doing(monkeypatch: pytest.MonkeyPatch, work: Callable[[Progress], Mapping[str, Any]]) -> None:
    """Let the kind `index` do that instead."""
    part = kinds.get("index")
    other: Part[Work] = Part(part.name, part.description, part.options, lambda *given: work(given[-1]))
    monkeypatch.setitem(kinds._parts, "index", other)


def ended(services: Services, job: Job) -> Job:
    found = services.jobs.get(job.id)
    assert found
    assert not found.active
    return found


class TestAJob:
    def test_its_result_is_kept(self, desks: Desks) -> None:
        desk = desks.services.desk()
        job = desks.services.jobs.ask("shop", "index", {"strategy": "fixed", "options": {"size": 60, "overlap": 10}})
        assert worker.do_next(desks.services)
        done = ended(desks.services, job)
        assert done.state is JobState.DONE
        assert done.result
        assert (done.result["outcome"], done.result["version"]) == ("live", desk.live().manifest.id)
        assert desk.live().manifest.strategy == "fixed"
        assert not worker.do_next(desks.services)

    def test_what_went_wrong_is_kept_in_words(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(_: Progress) -> Mapping[str, Any]:
            raise PartUnavailable("the embedder is away; start it again")

        doing(monkeypatch, fails)
        job = desks.services.jobs.ask("shop", "index")
        worker.do_next(desks.services)
        assert ended(desks.services, job).problem == "the embedder is away; start it again"

    def test_a_mistake_of_ours_ends_the_job_and_not_the_worker(
        self, desks: Desks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        nothing: dict[str, Any] = {}
        doing(monkeypatch, lambda _: nothing["nothing"])
        job = desks.services.jobs.ask("shop", "index")
        assert worker.do_next(desks.services)
        assert ended(desks.services, job).problem == "an unexpected error: 'nothing'"

    def test_one_that_a_lost_database_broke_off_is_done_again(
        self, desks: Desks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also the news that it is done is brought once the database is there again."""
        lost = OperationalError("SELECT", {}, OSError("gone"), connection_invalidated=True)
        tries: list[str] = []
        end = desks.services.jobs.done

        def works_at_last(_: Progress) -> Mapping[str, Any]:
            tries.append("work")
            if len(tries) == 1:
                raise lost
            return {"version": "v"}

        def says_at_last(job: Job, result: Mapping[str, Any]) -> None:
            tries.append("say")
            if tries.count("say") == 1:
                raise lost
            end(job, result)

        doing(monkeypatch, works_at_last)
        monkeypatch.setattr(worker, "AGAIN_SECONDS", 0.0)
        monkeypatch.setattr(desks.services.jobs, "done", says_at_last)
        job = desks.services.jobs.ask("shop", "index")
        assert worker.do_next(desks.services)
        found = desks.services.jobs.get(job.id)
        assert found
        assert found.state is JobState.WAITING
        assert worker.do_next(desks.services)
        assert tries == ["work", "work", "say", "say"]
        assert ended(desks.services, job).result == {"version": "v"}

    def test_a_kind_of_work_that_is_no_more_fails(self, desks: Desks) -> None:
        job = desks.services.store.jobs.add("shop", "forgotten", {}, None)
        worker.do_next(desks.services)
        assert ended(desks.services, job).state is JobState.FAILED

    def test_arguments_are_checked_when_it_is_asked_for(self, desks: Desks) -> None:
        with pytest.raises(ValueError, match="extra"):
            desks.services.jobs.ask("shop", "index", {"sise": 3})

    def test_l01_it_shows_where_it_is_and_stops_soon_after_it_is_called_off(
        self, desks: Desks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services = desks.services
        begun = threading.Event()

        def long_work(progress: Progress) -> Mapping[str, Any]:
            for step in range(2000):
                progress("cutting", step, 2000)
                begun.set()
                time.sleep(0.01)
            return {}

        doing(monkeypatch, long_work)
        job = services.jobs.ask("shop", "index")
        thread = threading.Thread(target=worker.do_next, args=(services,))
        thread.start()
        begun.wait(10)
        until(lambda: (services.jobs.get(job.id) or job).stage == "cutting")
        services.jobs.cancel(job.id)
        thread.join(2)
        assert not thread.is_alive()
        assert ended(services, job).state is JobState.CANCELLED

    def test_telling_where_it_is_writes_at_most_once_a_beat(
        self, desks: Desks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.2)
        services = desks.services
        written: list[tuple[str, int]] = []

        def report(_self: object, _job: Job, stage: str, done: int, _of: int) -> Standing:
            written.append((stage, done))
            return Standing.GO_ON

        monkeypatch.setattr(jobs.Jobs, "report", report)
        services.jobs.ask("shop", "index")
        job = services.jobs.claim(("shop",))
        assert job
        with Pulse(services.jobs, job) as progress:
            for step in range(10_000):
                progress("cutting", step, 10_000)
            time.sleep(0.5)
        assert 1 <= len(written) <= 4
        assert written[-1] == ("cutting", 9999)

    def test_one_that_was_given_to_another_worker_stops(self, desks: Desks) -> None:
        """Because this one seemed dead: the machine had slept."""
        services = desks.services
        services.jobs.ask("shop", "index")
        lost = services.jobs.claim(("shop",))
        assert lost
        services.jobs.release(lost)
        again = services.jobs.claim(("shop",))
        assert again
        with Pulse(services.jobs, lost) as progress:
            until(lambda: progress._standing is Standing.STOP)
            with pytest.raises(Cancelled):
                progress("cutting", 1, 2)
        services.jobs.cancelled(lost)
        assert (services.jobs.get(lost.id) or lost).state is JobState.RUNNING


class TestUrgency:
    @pytest.fixture
    def measuring(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> Job:
        """A long job of a kind that isn't urgent."""

        def long_work(_services: object, _collection: str, _arguments: object, progress: Progress) -> dict[str, Any]:
            for step in range(200):
                progress("asking", step, 200)
                time.sleep(0.01)
            return {}

        part = kinds.get("evaluate")
        other: Part[Work] = Part(part.name, part.description, part.options, long_work)
        monkeypatch.setitem(kinds._parts, "evaluate", other)
        return desks.services.jobs.ask("shop", "evaluate")

    def test_what_changes_the_index_goes_first_and_the_other_begins_anew(self, desks: Desks, measuring: Job) -> None:
        services = desks.services
        thread = threading.Thread(target=worker.do_next, args=(services,))
        thread.start()
        until(lambda: (services.jobs.get(measuring.id) or measuring).state is JobState.RUNNING)
        index = services.jobs.ask("shop", "index")
        thread.join(5)
        assert [one.id for one in services.jobs.active("shop")] == [index.id, measuring.id]
        while worker.do_next(services):
            pass
        assert ended(services, measuring).state is JobState.DONE

    def test_one_that_has_waited_long_enough_is_finished(
        self, desks: Desks, measuring: Job, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "PATIENT", timedelta(0))
        services = desks.services
        thread = threading.Thread(target=worker.do_next, args=(services,))
        thread.start()
        until(lambda: (services.jobs.get(measuring.id) or measuring).state is JobState.RUNNING)
        services.jobs.ask("shop", "index")
        thread.join()
        assert ended(services, measuring).state is JobState.DONE


class TestOfItself:
    def test_two_hundred_small_files_at_once_are_counted_one_by_one(self, desks: Desks) -> None:
        desks.services.desk().ensure_index()
        for number in range(200):
            text = f"---\nid: small-{number}\ntitle: Small\n---\n\n## A\nLamps are lit by the switch.\n"
            (desks.shop / f"small-{number}.md").write_text(text, encoding="utf-8")
        seen: list[tuple[str, int, int]] = []
        report = desks.services.desk().ensure_index(lambda *where: seen.append(where))
        assert report
        assert [done for stage, done, of in seen if stage == "cutting" and of == 200] == list(range(1, 201))

    def test_it_indexes_files_that_have_changed(self, desks: Desks) -> None:
        ask(desks)
        edit(desks, "returns.md", "45 days", "60 days")
        worker.work_once(desks.services)
        job = desks.services.jobs.latest("shop", "index")
        assert job
        assert job.result
        assert job.result["outcome"] == "live"
        assert desks.services.problems() == {}
        assert "60 days" in ask(desks).answer

    def test_nothing_is_asked_for_when_nothing_has_changed(self, desks: Desks) -> None:
        worker.work_once(desks.services)
        before = desks.services.jobs.latest("shop", "index")
        worker.work_once(desks.services)
        assert desks.services.jobs.latest("shop", "index") == before

    def test_what_was_called_off_is_not_begun_again_until_files_change(
        self, desks: Desks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ask(desks)
        edit(desks, "returns.md", "45 days", "60 days")
        with monkeypatch.context() as once:
            once.setattr("webapp.services.index.build", calls_off)
            worker.work_once(desks.services)
        cancelled = desks.services.jobs.latest("shop", "index")
        assert cancelled
        assert cancelled.state is JobState.CANCELLED
        worker.work_once(desks.services)
        assert desks.services.jobs.latest("shop", "index") == cancelled
        assert desks.services.problems()["index shop"] == "older than the files: building from them was called off"
        assert "45 days" in ask(desks).answer
        edit(desks, "returns.md", "60 days", "90 days")
        worker.work_once(desks.services)
        assert "90 days" in ask(desks).answer

    def test_one_that_is_asked_for_again_is_begun_again(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        ask(desks)
        edit(desks, "returns.md", "45 days", "60 days")
        with monkeypatch.context() as once:
            once.setattr("webapp.services.index.build", calls_off)
            worker.work_once(desks.services)
        config = desks.services.desk().config
        desks.services.jobs.ask("shop", "index", {"strategy": config.strategy, "options": config.options})
        worker.work_once(desks.services)
        assert "60 days" in ask(desks).answer

    def test_a_version_that_goes_live_is_measured_once(self, desks: Desks) -> None:
        (desks.shop / "golden.jsonl").write_text("\n".join(map(json.dumps, GOLDEN)), encoding="utf-8")
        worker.work_once(desks.services)
        worker.work_once(desks.services)
        live = desks.services.desk().live().manifest.id
        measured = desks.services.store.runs.of_version(live, "shop")
        assert measured
        assert measured.questions == 2
        assert len(desks.services.store.runs.latest("shop", 10)) == 1

    def test_a_golden_set_that_can_not_be_asked_is_tried_once(self, desks: Desks) -> None:
        (desks.shop / "golden.jsonl").write_text("no question\n", encoding="utf-8")
        for _ in range(2):
            worker.work_once(desks.services)
        failed = desks.services.jobs.latest("shop", "evaluate")
        assert failed
        assert failed.state is JobState.FAILED
        worker.work_once(desks.services)
        assert desks.services.jobs.latest("shop", "evaluate") == failed


def calls_off(*_: object, **__: object) -> None:
    raise Cancelled


def until(there: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait for it, and fail when it doesn't come."""
    over = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < over, "it did not happen in time"
        time.sleep(0.02)


class TestAWorkersEnd:
    """A worker in a process of its own, that stops or is killed while it builds."""

    STALLS = """
import sys, time
from pathlib import Path
from webapp.core.retrieval import index
cut = index.cut
def stalls(*given):
    time.sleep(0.3)
    return cut(*given)
index.cut = stalls
from webapp.cli import main
main(["worker", "--collection", "shop", "--instance", sys.argv[1]])
"""

    @pytest.fixture
    def building(self, desks: Desks) -> tuple[subprocess.Popen[bytes], Job]:
        job = desks.services.jobs.ask("shop", "index", {"strategy": "fixed", "options": {"size": 60, "overlap": 10}})
        where = {"EVIDENCEDESK_CORPUS": str(desks.settings.corpus), "EVIDENCEDESK_SECRET_KEY": "for tests"}
        process = subprocess.Popen(
            [sys.executable, "-c", self.STALLS, str(desks.settings.instance)], env=os.environ | where
        )
        until(lambda: (desks.services.jobs.get(job.id) or job).stage == "cutting")
        return process, job

    def test_killed_its_job_is_done_by_the_next_one(
        self, desks: Desks, building: tuple[subprocess.Popen[bytes], Job], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        process, job = building
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        services = desks.services
        assert not worker.do_next(services), "it may still live"
        assert (services.jobs.get(job.id) or job).state is JobState.RUNNING
        monkeypatch.setattr(jobs, "SILENT_SECONDS", 0.0)
        assert worker.do_next(services)
        assert ended(services, job).state is JobState.DONE
        assert services.desk().live().manifest.strategy == "fixed"
        assert debris(desks.settings.instance) == []

    def test_told_to_stop_it_gives_its_job_back(
        self, desks: Desks, building: tuple[subprocess.Popen[bytes], Job]
    ) -> None:
        process, job = building
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert (desks.services.jobs.get(job.id) or job).state is JobState.WAITING
        assert debris(desks.settings.instance) == []


def debris(instance: Path) -> list[Path]:
    """What a build has left behind half made."""
    return [*(instance / "indexes").rglob("*.draft"), *(instance / "indexes").rglob("*.part")]
