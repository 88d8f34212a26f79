"""The index of one collection: what is served while files change, builds fail and versions are damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Desks
from tests.services.test_root import CUSTOMER, RETURN, ask, edit
from webapp.core.retrieval.engine import IndexProblem
from webapp.core.retrieval.index import FORMAT
from webapp.services import index_notes, worker


def version_folder(desks: Desks, version: str) -> Path:
    return desks.settings.instance / "indexes" / "shop" / version


def as_if_built_long_ago(desks: Desks, version: str) -> None:
    """Make the version one of an older program."""
    file = version_folder(desks, version) / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(manifest | {"format": FORMAT - 1}), encoding="utf-8")


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


def test_the_worker_goes_on_when_one_collection_can_not_be_indexed(desks: Desks) -> None:
    (desks.shop / "collection.toml").write_text("title = [", encoding="utf-8")
    worker.work_once(desks.services)
    assert desks.services.desk("school").served()
    assert desks.services.desk().served() is None


def test_a_damaged_live_version_is_built_again(desks: Desks) -> None:
    first = ask(desks)
    (version_folder(desks, f"segments/{first.index_version}") / "vectors.f32").unlink()
    for desk in desks.services.desks():
        desk._index._versions._folder._live = None  # as in a process that starts now
    assert desks.services.problems()["index shop"] == "no index"
    assert ask(desks).index_version != first.index_version


def test_a_version_of_an_older_program_is_neither_served_nor_offered(desks: Desks) -> None:
    desk = desks.services.desk()
    desk.index("fixed", {"size": 60, "overlap": 10})
    older = desk.live().manifest.id
    as_if_built_long_ago(desks, older)
    desk._index._versions._folder._live = None
    newer = desk.ask(RETURN, CUSTOMER).index_version
    assert newer != older
    assert [(one.id, one.strategy) for one in desk.versions()] == [(newer, "fixed")], "the choice of strategy stays"
    with pytest.raises(IndexProblem, match=f"no index version '{older}' to serve; there are: {newer}"):
        desk.rollback(older)


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
