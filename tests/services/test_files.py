from __future__ import annotations

from pathlib import Path

import pytest

from webapp.services import files
from webapp.services.files import Watch, state_of


def test_adding_changing_renaming_and_removing_are_seen(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    seen = [watch.state()]
    for change in (
        lambda: (tmp_path / "a.md").write_text("one"),
        lambda: (tmp_path / "a.md").write_text("three"),
        lambda: (tmp_path / "a.md").rename(tmp_path / "b.md"),
        (tmp_path / "b.md").unlink,
    ):
        change()
        seen.append(watch.state())
    assert len(set(seen)) == 4
    assert seen[0] == seen[-1]


def test_hidden_folders_do_not_count(tmp_path: Path) -> None:
    before = state_of(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_text("x")
    assert state_of(tmp_path) == before


def test_a_link_to_nowhere_is_a_file_like_others(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to(tmp_path / "nothing")
    assert state_of(tmp_path)[1] == 1


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look takes as long as on a busy machine."""
    clock = iter(range(1000))
    monkeypatch.setattr("webapp.services.files.time.monotonic", lambda: float(next(clock)))


@pytest.mark.usefixtures("slow")
def test_few_files_are_looked_at_every_time_however_long_it_takes(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    before = watch.state()
    (tmp_path / "a.md").write_text("x")
    assert watch.state() != before


@pytest.mark.usefixtures("slow")
def test_many_files_are_looked_at_seldom_but_at_once_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_FEW", 0)
    (tmp_path / "a.md").write_text("x")
    watch = Watch(tmp_path)
    before = watch.state()
    (tmp_path / "b.md").write_text("x")
    assert watch.state() == before
    assert watch.look() != before
    for _ in range(files._SHARE):
        watch.state()
    assert watch.state() == watch.look()
