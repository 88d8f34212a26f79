"""The index of one collection: what is served while files change, builds fail and versions are damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import SHOP, Desks
from tests.services.test_root import CUSTOMER, RETURN, ask, edit
from webapp.core.retrieval.engine import IndexProblem
from webapp.core.retrieval.index import FORMAT, IndexFolder
from webapp.services import index_notes, worker
from webapp.services.desk import Desk
from webapp.services.index import MOST_WAITING
from webapp.services.index_notes import Trouble
from webapp.services.root import Services


def version_folder(desks: Desks, version: str) -> Path:
    return desks.settings.instance / "indexes" / "shop" / version


def as_if_built_long_ago(desks: Desks, version: str) -> None:
    """Make the version one of an older program."""
    file = version_folder(desks, version) / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(manifest | {"format": FORMAT - 1}), encoding="utf-8")


def forget_the_live_version(desk: Desk) -> None:
    """As in a process that starts now."""
    engine = desk._index._versions._engine
    assert isinstance(engine, IndexFolder)
    engine._live = None


def test_an_index_that_is_asked_for_is_of_the_files_as_they_are(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even of so many files that they are not looked at all the time."""
    monkeypatch.setattr("webapp.services.files._FEW", 0)
    monkeypatch.setattr("webapp.services.files._SHARE", 1_000_000)
    desk = desks.services.desk()
    first = desk.index()
    edit(desks, "returns.md", "45 days", "60 days")
    assert desk.index().version != first.version
    assert "60 days" in ask(desks).answer


def test_a_failed_build_is_tried_again_after_a_while(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    desk = desks.services.desk()
    with monkeypatch.context() as full:
        full.setattr("webapp.services.index.build", no_space)
        with pytest.raises(OSError, match="No space"):
            desk.ensure_index()
    with pytest.raises(IndexProblem, match="there is no index"):
        desk.live()
    monkeypatch.setattr(index_notes, "RETRY", 0.0)
    assert ask(desks)


def test_l02_of_two_hundred_files_at_once_each_is_told_and_none_is_lost(desks: Desks) -> None:
    for n in range(200):
        (desks.shop / f"note-{n}.md").write_text(f"---\nid: note-{n}\n---\n\n## Note\nA lamp.\n", encoding="utf-8")
    (desks.shop / "broken.md").write_text("---\nid: x\n\n## Note\nNo closing rule.\n", encoding="utf-8")
    told: list[tuple[str, int, int]] = []
    desk = desks.services.desk()
    report = desk.ensure_index(lambda *told_of: told.append(told_of))
    assert report
    assert (report.documents, [one.path for one in report.held_back]) == (len(SHOP) - 1 + 200, ["broken.md"])
    cut = [(done, of) for stage, done, of in told if stage == "cutting"]
    assert cut == [(n, report.documents) for n in range(1, report.documents + 1)]


def test_the_worker_goes_on_when_one_collection_can_not_be_indexed(desks: Desks) -> None:
    (desks.shop / "collection.toml").write_text("title = [", encoding="utf-8")
    worker.work_once(desks.services)
    assert desks.services.desk("school").served()
    assert desks.services.desk().served() is None


def test_a_damaged_live_version_is_built_again(desks: Desks) -> None:
    first = ask(desks)
    (version_folder(desks, f"segments/{first.index_version}") / "vectors.f32").unlink()
    for desk in desks.services.desks():
        forget_the_live_version(desk)
    assert desks.services.problems()["index shop"] == "no index"
    assert ask(desks).index_version != first.index_version


@pytest.mark.parametrize("missing", ["", "codes.i8"])
def test_a_version_of_an_older_program_is_neither_served_nor_offered(desks: Desks, missing: str) -> None:
    """Whether or not the files of its segments can still be read."""
    desk = desks.services.desk()
    desk.index("fixed", {"size": 60, "overlap": 10})
    older = desk.live().manifest.id
    as_if_built_long_ago(desks, older)
    if missing:
        (version_folder(desks, f"segments/{older}") / missing).unlink()
    forget_the_live_version(desk)
    newer = desk.ask(RETURN, CUSTOMER).index_version
    assert newer != older
    assert [(one.id, one.strategy) for one in desk.versions()] == [(newer, "fixed")], "the choice of strategy stays"
    with pytest.raises(IndexProblem, match=f"no index version '{older}' to serve; there are: {newer}"):
        desk.rollback(older)


class TestTrying:
    CHANGED = SHOP["returns.md"].replace("45 days", "60 days").encode()

    def tried(self, desks: Desks) -> tuple[str, int]:
        """Try another returns page; return what the version tried says of it, and how many documents were cut."""
        cut: list[int] = []

        def note(stage: str, done: int, of: int) -> None:
            if stage == "cutting":
                cut.append(done)

        with desks.services.desk().trying({"returns.md": self.CHANGED}, note) as version:
            said = version.document_text("returns")
            assert set(version.documents()) == set(desks.services.desk().live().documents())
            assert version.document_text("bulbs") == SHOP["bulbs.md"]
        return said, len(cut)

    def test_only_what_differs_is_cut_and_nothing_is_left_or_touched(self, desks: Desks) -> None:
        live, home = ask(desks).index_version, desks.settings.instance / "indexes" / "shop"
        before = sorted(path for path in home.rglob("*") if path.name != ".trying.lock")
        said, cut = self.tried(desks)
        assert ("60 days" in said, cut) == (True, 1)
        assert sorted(path for path in home.rglob("*") if path.name != ".trying.lock") == before
        assert desks.services.desk().live().damage() == []
        assert ask(desks).index_version == live

    def test_what_a_killed_one_left_is_cleared_away(self, desks: Desks) -> None:
        ask(desks)
        left = desks.settings.instance / "indexes" / "shop" / ".trying" / "segments" / "half"
        left.mkdir(parents=True)
        assert self.tried(desks)[1] == 1
        assert not left.parents[1].exists()

    @pytest.mark.parametrize("error", [OSError("no links here"), FileNotFoundError("pruned meanwhile")])
    def test_where_files_can_not_be_linked(self, desks: Desks, error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
        ask(desks)

        def refuse(source: object, target: object) -> None:
            raise error

        monkeypatch.setattr("webapp.core.retrieval.engines.local.os.link", refuse)
        said, cut = self.tried(desks)
        assert "60 days" in said
        assert cut == (len(SHOP) - 1 if isinstance(error, FileNotFoundError) else 1)


def test_a_changed_golden_set_calibrates_anew(desks: Desks) -> None:
    desk = desks.services.desk()
    before = desk.live().manifest
    rows = [
        {"id": "r", "question": RETURN, "answerable": True, "document": "returns", "fact": "within 45 days"},
        {"id": "z", "question": "Where do zebras migrate to?", "answerable": False},
    ]
    (desks.shop / "golden.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    after = desk.live().manifest
    assert before.calibration is None
    assert after.calibration
    assert after.calibration["fitted_on"] == "2 questions of shop"


def flip(file: Path) -> None:
    """Change one bit, as a disk does that goes bad."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))


def segment(desks: Desks, version: str) -> Path:
    return desks.settings.instance / "indexes" / "shop" / "segments" / version


class TestDamage:
    @pytest.mark.parametrize("name", ["records.jsonl", "vectors.f32", "documents.jsonl"])
    def test_the_last_sound_version_serves_until_a_new_one_is_built(self, desks: Desks, name: str) -> None:
        desk = desks.services.desk()
        first = desk.live().manifest.id
        damaged = desk.index("fixed", {"size": 60, "overlap": 10}).version
        flip(segment(desks, damaged) / name)
        starting = Services.open(desks.settings)
        worker.verify(starting)
        assert starting.desk().served() == desk.served()
        assert [one.id for one in desk.versions()] == [first]
        said = starting.problems()["index shop"]
        assert said == "the live version was damaged; an older one is served"
        answer = desk.try_out(RETURN, CUSTOMER)[0]  # it brings the index up to date
        assert answer.index_version not in (first, damaged)
        served = desk.served()
        assert served
        assert served.strategy == "fixed", "as the damaged one was cut"
        assert "index shop" not in starting.problems()
        starting.close()

    def test_without_a_sound_version_nothing_is_served_until_one_is_built(self, desks: Desks) -> None:
        damaged = desks.services.desk().live().manifest.id
        flip(segment(desks, damaged) / "records.jsonl")
        starting = Services.open(desks.settings)
        worker.verify(starting)
        assert starting.problems()["index shop"] == "no index"
        worker.work_once(starting)
        assert "index shop" not in starting.problems()
        assert ask(desks).index_version != damaged
        starting.close()

    def test_a_sound_version_stays(self, desks: Desks) -> None:
        live = desks.services.desk().live().manifest.id
        worker.verify(desks.services)
        assert desks.services.desk().live().manifest.id == live

    def test_a_worker_verifies_what_it_starts_with(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        damaged = desks.services.desk().live().manifest.id
        flip(segment(desks, damaged) / "records.jsonl")

        def stops(_: object) -> None:
            raise SystemExit

        monkeypatch.setattr(worker, "look", stops)
        with pytest.raises(SystemExit):
            worker.run(desks.services)
        assert desks.services.desk().served() is None


class TestABuildThatFails:
    """In a process of its own: what it leaves behind is what any other process finds."""

    def build(self, desks: Desks, before: str = "") -> subprocess.CompletedProcess[str]:
        code = f"{before}\nfrom webapp.cli import main\nmain(['index', '--strategy', 'fixed', '--size', '60'])"
        where = {
            "EVIDENCEDESK_CORPUS": str(desks.settings.corpus),
            "EVIDENCEDESK_INSTANCE": str(desks.settings.instance),
            "EVIDENCEDESK_COLLECTION": "shop",
        }
        return subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | where,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def untouched(self, desks: Desks, live: str) -> None:
        """The live version serves as before, and there is no debris."""
        starting = Services.open(desks.settings)
        assert starting.desk().ask(RETURN, CUSTOMER).index_version == live
        assert [one.id for one in starting.desk().versions()] == [live]
        assert list((desks.settings.instance / "indexes").rglob("*.draft")) == []
        starting.close()

    FULL = """
import resource
from webapp.core.retrieval import index
cut = index.cut
def full(*given):  # from here on no file may grow over that
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
    return cut(*given)
index.cut = full
"""

    def test_on_a_full_disk(self, desks: Desks) -> None:
        live = ask(desks).index_version
        ran = self.build(desks, self.FULL)
        assert ran.returncode == 2
        assert "File too large" in ran.stderr
        assert "Traceback" not in ran.stderr
        self.untouched(desks, live)
        assert desks.services.desk().index("fixed", {"size": 60}).version != live

    def test_killed_half_way(self, desks: Desks) -> None:
        live = ask(desks).index_version
        killed = "import os\nfrom webapp.core.retrieval import index\n"
        killed += "index.passage = lambda chunk: os.kill(os.getpid(), 9)"
        assert self.build(desks, killed).returncode == -9
        starting = Services.open(desks.settings)
        assert starting.desk().ask(RETURN, CUSTOMER).index_version == live
        starting.close()
        assert desks.services.desk().index("fixed", {"size": 60}).version != live
        assert list((desks.settings.instance / "indexes").rglob("*.draft")) == [], "the next build clears away"

    def test_over_settings_that_can_not_be_read(self, desks: Desks) -> None:
        live = ask(desks).index_version
        (desks.shop / "collection.toml").write_text("title = [", encoding="utf-8")
        worker.work_once(desks.services)
        failed = desks.services.jobs.latest("shop", "index")
        assert failed
        assert "collection.toml" in (failed.problem or "")
        assert desks.services.problems()["index shop"] == Trouble.FAILED.words
        assert desks.services.desk().ask(RETURN, CUSTOMER).index_version == live

    def test_two_at_once_give_one_version(self, desks: Desks) -> None:
        ask(desks)
        with ThreadPoolExecutor(2) as pool:
            ran = list(pool.map(lambda _: self.build(desks), range(2)))
        assert [one.returncode for one in ran] == [0, 0]
        assert len(desks.services.desk().versions()) == 2

    def test_is_tried_again_after_longer_and_longer_pauses(self, tmp_path: Path) -> None:
        notes = index_notes.Notes(tmp_path)
        pauses = []
        for _ in range(9):
            notes.fail("state", for_good=False)
            failure = notes.failure
            assert failure
            assert failure.stands
            for minutes in range(1, 100):
                if not failure.model_copy(update={"at": failure.at - 60 * minutes - 1}).stands:
                    pauses.append(minutes)
                    break
        assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]


class TestAnotherProcessBuilds:
    """What a serving process does with a worker beside it."""

    def test_a_question_that_meets_changed_files_asks_for_a_version_and_waits_for_it(self, desks: Desks) -> None:
        ask(desks)
        desks.services.leave_building()
        edit(desks, "returns.md", "45 days", "60 days")
        beside = Services.open(desks.settings)
        thread = threading.Thread(target=lambda: _until_done(beside))
        thread.start()
        assert "60 days" in ask(desks).answer
        thread.join()
        beside.close()

    def test_only_for_a_while_after_the_change(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        ask(desks)
        desks.services.leave_building()
        monkeypatch.setattr("webapp.services.index.PATIENCE", 0.2)
        edit(desks, "returns.md", "45 days", "60 days")
        started = time.monotonic()
        for _ in range(10):
            assert "45 days" in ask(desks).answer
        assert time.monotonic() - started < 5
        assert len(desks.services.jobs.active("shop")) == 1
        assert desks.services.problems()["index shop"] == "older than the files"

    def test_so_many_wait_and_no_more(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        """Else all that a server can take on would wait, and whoever comes be refused."""
        ask(desks)
        desks.services.leave_building()
        monkeypatch.setattr("webapp.services.index.PATIENCE", 3)
        edit(desks, "returns.md", "45 days", "60 days")
        with ThreadPoolExecutor(5) as pool:
            spent = sorted(pool.map(lambda _: _seconds_for(desks), range(5)))
        assert [seconds > 2 for seconds in spent] == [False] * (5 - MOST_WAITING) + [True] * MOST_WAITING


def _seconds_for(desks: Desks) -> float:
    started = time.monotonic()
    desks.services.desk().live()
    return time.monotonic() - started


def _until_done(services: Services) -> None:
    for _ in range(500):
        if worker.do_next(services):
            return
        time.sleep(0.02)


def test_a_burst_of_changes_is_indexed_once(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(desks)
    monkeypatch.setattr("webapp.services.index.QUIET", 0.2)
    edit(desks, "returns.md", "45 days", "50 days")
    desks.services.jobs.ask("shop", "index")
    thread = threading.Thread(target=worker.do_next, args=(desks.services,))
    thread.start()
    for days in range(51, 60):
        time.sleep(0.05)
        edit(desks, "returns.md", f"{days - 1} days", f"{days} days")
    thread.join()
    assert "59 days" in ask(desks).answer
    assert len(desks.services.desk().versions()) == 2


def test_files_that_never_rest_are_indexed_all_the_same(desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.services.index.QUIET", 0.01)
    monkeypatch.setattr("webapp.services.index.BURST", 0.1)
    desk = desks.services.desk()
    monkeypatch.setattr(desk._index._watch, "look", lambda: str(time.monotonic()))
    started = time.monotonic()
    desk.settle_files()
    assert 0.1 <= time.monotonic() - started < 2
