import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.core.retrieval.helpers import Hashing, a_collection, built, write_page
from webapp.core.documents.collection import load_collection
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import KEPT, IndexVersion
from webapp.core.retrieval.engines.local import SEGMENTS
from webapp.core.retrieval.index import IndexFolder, IndexProblem, build, is_stale
from webapp.core.retrieval.model import Query

PAGES = {
    "returns": "## Bikes\n\nA bike can go back within 30 days.\n\n## Helmets\n\nHelmets stay.",
    "cards": "## Expiry\n\nCards expire after 36 months.",
}


class Broken(Hashing):
    """Fails as a model server does that goes away half-way."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        raise PartUnavailable("the embedder is away; start it again")


def test_a_build_reports_what_it_did(tmp_path: Path) -> None:
    collection = a_collection(tmp_path / "docs", PAGES)
    report = build(collection, tmp_path / "index", Hashing())
    assert (report.documents, report.sections, report.chunks) == (2, 3, 3)
    assert (report.unchanged, report.embedded, report.embedder, report.built) == (0, 3, "hashing", True)
    version = IndexFolder(tmp_path / "index").current()
    assert version is not None
    manifest = version.manifest
    assert manifest.id == report.version
    assert (manifest.corpus_hash, manifest.strategy, manifest.chunks) == (collection.corpus_hash, "structure", 3)


def test_nothing_is_built_when_nothing_changed(tmp_path: Path) -> None:
    collection = a_collection(tmp_path / "docs", PAGES)
    first = build(collection, tmp_path / "index", Hashing())
    again = build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    assert (again.version, again.built, again.unchanged, again.embedded) == (first.version, False, 3, 0)


def test_an_edit_embeds_only_what_it_changed(tmp_path: Path) -> None:
    build(a_collection(tmp_path / "docs", PAGES), tmp_path / "index", Hashing())
    write_page(tmp_path / "docs", "cards", "## Expiry\n\nCards expire after 12 months.")
    embedder = Hashing()
    report = build(load_collection(tmp_path / "docs"), tmp_path / "index", embedder)
    assert (report.unchanged, report.embedded) == (2, 1)
    assert embedder.embedded == 2  # the chunk and its one sentence
    version = IndexFolder(tmp_path / "index").current()
    assert version is not None
    assert [chunk.plain for chunk in version.chunks_of("cards")] == ["Cards expire after 12 months."]


def test_window_by_window_the_version_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {f"page-{n}": f"## One\n\nText {n}.\n\n## Two\n\nMore words {n}." for n in range(7)}
    collection = a_collection(tmp_path / "docs", pages)
    whole = build(collection, tmp_path / "whole", Hashing())
    monkeypatch.setattr("webapp.core.retrieval.index.WINDOW", 3)
    said: list[tuple[str, int, int]] = []
    parts = build(collection, tmp_path / "parts", Hashing(), progress=lambda *step: said.append(step))
    assert (parts.chunks, parts.embedded) == (whole.chunks, whole.embedded) == (14, 14)
    versions = [IndexFolder(tmp_path / name).current() for name in ("whole", "parts")]
    chunks = [[chunk for id_ in pages for chunk in one.chunks_of(id_)] for one in versions if one]
    assert chunks[0] == chunks[1]
    for stage in ("cutting", "embedding", "storing"):
        done = [step[1] for step in said if step[0] == stage]
        assert done == sorted(done)
        assert [step for step in said if step[0] == stage][-1][1:] == (done[-1], done[-1])


def test_broken_files_are_held_back_by_name_and_the_others_stay(tmp_path: Path) -> None:
    a_collection(tmp_path / "docs", PAGES)
    (tmp_path / "docs" / "broken.md").write_text("---\nid: broken\n\ntext\n", encoding="utf-8")
    report = build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    assert [held.path for held in report.held_back] == ["broken.md"]
    assert report.documents == 2


def test_a_failed_build_leaves_the_old_version_serving_and_no_debris(tmp_path: Path) -> None:
    first = build(a_collection(tmp_path / "docs", PAGES), tmp_path / "index", Hashing())
    write_page(tmp_path / "docs", "new", "## New\n\nSomething else.")
    before = sorted(path.name for path in (tmp_path / "index").iterdir())
    with pytest.raises(PartUnavailable):
        build(load_collection(tmp_path / "docs"), tmp_path / "index", Broken())
    current = IndexFolder(tmp_path / "index").current()
    assert current is not None
    assert current.manifest.id == first.version
    assert sorted(path.name for path in (tmp_path / "index").iterdir()) == before


def test_a_version_that_fails_its_trial_never_goes_live(tmp_path: Path) -> None:
    def refuse(version: IndexVersion) -> None:
        raise IndexProblem(f"{version.manifest.chunks} chunks are not enough")

    with pytest.raises(IndexProblem, match="3 chunks"):
        build(a_collection(tmp_path / "docs", PAGES), tmp_path / "index", Hashing(), validate=refuse)
    assert IndexFolder(tmp_path / "index").current() is None
    assert IndexFolder(tmp_path / "index").versions() == []


def test_what_the_trial_returns_is_kept_with_the_version(tmp_path: Path) -> None:
    collection = a_collection(tmp_path / "docs", PAGES)
    build(collection, tmp_path / "index", Hashing(), validate=lambda version: {"threshold": 0.5})
    assert IndexFolder(tmp_path / "index").versions()[0].calibration == {"threshold": 0.5}


def test_the_debris_of_a_killed_build_is_cleared_away(tmp_path: Path) -> None:
    draft, unsealed = SEGMENTS + "/.20250101-000000-000-abc.draft", "20250101-000000-000-abc"
    for debris in (draft, unsealed):
        (tmp_path / "index" / debris).mkdir(parents=True)
    build(a_collection(tmp_path / "docs", PAGES), tmp_path / "index", Hashing())
    assert not (tmp_path / "index" / draft).exists()
    assert not (tmp_path / "index" / unsealed).exists()


def test_switching_back_and_forth(tmp_path: Path) -> None:
    first = build(a_collection(tmp_path / "docs", PAGES), tmp_path / "index", Hashing()).version
    write_page(tmp_path / "docs", "new", "## New\n\nSomething else.")
    second = build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing()).version
    folder = IndexFolder(tmp_path / "index")
    assert [manifest.id for manifest in folder.versions()] == [second, first]
    folder.switch(first)
    other = IndexFolder(tmp_path / "index").current()
    assert other is not None
    assert other.manifest.id == first
    with pytest.raises(IndexProblem, match="there are"):
        folder.switch("20200101-000000-000-none")
    with pytest.raises(IndexProblem, match="is live"):
        folder.drop(first)


def test_a_reader_of_the_old_version_keeps_it_whole(tmp_path: Path) -> None:
    old = built(a_collection(tmp_path / "docs", PAGES), tmp_path / "index")
    write_page(tmp_path / "docs", "cards", "## Expiry\n\nCards expire after 12 months.")
    build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    assert [chunk.plain for chunk in old.chunks_of("cards")] == ["Cards expire after 36 months."]
    assert "36 months" in old.document_text("cards")


def test_old_versions_and_their_texts_go(tmp_path: Path) -> None:
    a_collection(tmp_path / "docs", PAGES)
    for months in range(KEPT + 2):
        write_page(tmp_path / "docs", "cards", f"## Expiry\n\nCards expire after {months} months.")
        build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    assert len(IndexFolder(tmp_path / "index").versions()) == KEPT
    assert len(list((tmp_path / "index" / "texts").glob("*/*"))) == KEPT + 1


def test_damage_is_noticed_before_a_switch(tmp_path: Path) -> None:
    version = build(a_collection(tmp_path / "docs", PAGES), tmp_path / "index", Hashing()).version
    file = tmp_path / "index" / SEGMENTS / version / "records.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("30 days", "90 days"), encoding="utf-8")
    with pytest.raises(IndexProblem, match=r"damaged \(.*/records\.jsonl\)"):
        IndexFolder(tmp_path / "index").switch(version)


def test_a_damaged_live_version_is_mended_by_the_next_build(tmp_path: Path) -> None:
    collection = a_collection(tmp_path / "docs", PAGES)
    version = build(collection, tmp_path / "index", Hashing()).version
    (tmp_path / "index" / version / "manifest.json").write_text("{", encoding="utf-8")
    assert build(collection, tmp_path / "index", Hashing()).built


@pytest.mark.parametrize("file", ["records.jsonl", "documents.jsonl", "vectors.f32"])
def test_an_older_version_that_is_damaged_is_dropped_by_the_next_build(tmp_path: Path, file: str) -> None:
    older = build(a_collection(tmp_path / "docs", PAGES), tmp_path / "index", Hashing()).version
    (tmp_path / "index" / SEGMENTS / older / file).unlink()
    write_page(tmp_path / "docs", "new", "## New\n\nSomething else.")
    newer = build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing()).version
    assert [manifest.id for manifest in IndexFolder(tmp_path / "index").versions()] == [newer]


def test_staleness_follows_files_settings_and_embedder(tmp_path: Path) -> None:
    collection = a_collection(tmp_path / "docs", PAGES, 'embedder = "hashing"\n')
    assert is_stale(None, collection)
    version = built(collection, tmp_path / "index")
    assert not is_stale(version, load_collection(tmp_path / "docs"))
    assert is_stale(version, collection, "another")
    write_page(tmp_path / "docs", "cards", "## Expiry\n\nNever.")
    assert is_stale(version, load_collection(tmp_path / "docs"))


def test_an_empty_collection_gives_an_empty_version(tmp_path: Path) -> None:
    version = built(a_collection(tmp_path / "docs", {"empty": ""}), tmp_path / "index")
    assert version.manifest.chunks == 0
    assert version.visible(Query("?", "en")).rows == 0


def test_the_manifest_reads_as_it_was_written(tmp_path: Path) -> None:
    version = built(a_collection(tmp_path / "docs", PAGES), tmp_path / "index")
    kept = json.loads((tmp_path / "index" / version.manifest.id / "manifest.json").read_text(encoding="utf-8"))
    assert kept["embedder"] == "hashing"
    assert IndexFolder(tmp_path / "index").versions() == [version.manifest]
