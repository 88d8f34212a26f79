"""A version made of several segments is the same as one that was built at once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.core.retrieval.helpers import Hashing, a_collection, built, write_page
from webapp.core.documents.collection import load_collection
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.engines import _draft
from webapp.core.retrieval.engines._version import SegmentedVersion
from webapp.core.retrieval.engines.local import SEGMENTS
from webapp.core.retrieval.index import IndexFolder, build
from webapp.core.retrieval.model import Query

WORDS = ["bike", "helmet", "card", "refund", "delivery", "frame", "saddle", "pedal", "chain", "brake"]


def body(chance: random.Random) -> str:
    """A page of one to three sections."""
    sections = range(chance.randint(1, 3))
    return "\n\n".join(f"## Part {n}\n\n{' '.join(chance.choices(WORDS, k=chance.randint(3, 9)))}." for n in sections)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let segments of a few rows stay as they are."""
    monkeypatch.setattr(_draft, "SMALL", 4)


def local(folder: Path) -> SegmentedVersion:
    version = IndexFolder(folder).current()
    assert version is not None
    return version


def seen(version: IndexVersion) -> dict[str, object]:
    """All that searches tell of a version, whatever rows things stand in."""
    query, embedder = Query("bike?", "en"), Hashing()
    visible = version.visible(query)
    near, cosines = version.search_meaning(embedder.query(["bike frame"])[0], visible, 1000)
    holding, _ = version.search_words({"bike": 1.0, "frame": 2.0}, visible, 1000)
    ids = [entry.chunk.id for entry in version.fetch(near.tolist())]
    documents = {one.id: one.model_dump(exclude={"first_row"}) for one in version.documents().values()}
    return {
        "near": sorted(zip((-cosines).round(5).tolist(), ids, strict=True)),
        "holding": sorted(entry.chunk.id for entry in version.fetch(holding.tolist())),
        "counts": version.counts(WORDS, visible),
        "rows": visible.rows,
        "sample": len(version.sample(visible, 1000)),
        "letters": version.letters(),
        "documents": documents,
        "chunks": {id_: version.chunks_of(id_) for id_ in documents},
        "counted": (version.manifest.documents, version.manifest.sections, version.manifest.chunks),
    }


@pytest.mark.parametrize("seed", range(5))
def test_many_edits_give_what_one_build_gives(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    docs = tmp_path / "docs"
    a_collection(docs, {f"page-{n}": body(chance) for n in range(8)})
    build(load_collection(docs), tmp_path / "index", Hashing())
    for _ in range(6):
        name = f"page-{chance.randrange(12)}"
        if (docs / f"{name}.md").exists() and chance.random() < 0.3:
            (docs / f"{name}.md").unlink()
        else:
            write_page(docs, name, body(chance), status=chance.choice(["current", "current", "draft"]))
        build(load_collection(docs), tmp_path / "index", Hashing())
    edited, fresh = local(tmp_path / "index"), built(load_collection(docs), tmp_path / "fresh")
    assert seen(edited) == seen(fresh) | {"letters": seen(edited)["letters"]}
    assert set(fresh.letters()) <= set(edited.letters())


def test_an_edit_writes_only_what_it_changed(tmp_path: Path) -> None:
    pages = {f"page-{n}": f"## One\n\nbike {n}.\n\n## Two\n\ncard {n}." for n in range(6)}
    first = built(a_collection(tmp_path / "docs", pages), tmp_path / "index")
    write_page(tmp_path / "docs", "page-3", "## One\n\nhelmet.")
    build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    old, new = local(tmp_path / "index").manifest.segments
    assert (old.name, old.gone) == (first.manifest.id, ("page-3",))
    assert new.gone == ()
    assert local(tmp_path / "index").held[1].segment.rows == 1


def test_small_segments_are_written_anew_with_the_next_edit(tmp_path: Path) -> None:
    pages = {f"page-{n}": f"## One\n\nbike {n}.\n\n## Two\n\ncard {n}." for n in range(6)}
    built(a_collection(tmp_path / "docs", pages), tmp_path / "index")
    for n in range(3):
        write_page(tmp_path / "docs", f"page-{n}", "## One\n\nhelmet.")
        build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    version = local(tmp_path / "index")
    assert [held.segment.rows for held in version.held] == [12, 3]


def test_a_segment_that_is_mostly_gone_is_written_anew(tmp_path: Path) -> None:
    pages = {f"page-{n}": f"## One\n\nbike {n}.\n\n## Two\n\ncard {n}." for n in range(6)}
    built(a_collection(tmp_path / "docs", pages), tmp_path / "index")
    for n in range(4):
        (tmp_path / "docs" / f"page-{n}.md").unlink()
    build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    assert [held.segment.rows for held in local(tmp_path / "index").held] == [4]


def test_pages_that_only_go_write_nothing(tmp_path: Path) -> None:
    pages = {f"page-{n}": f"## One\n\nbike {n}.\n\n## Two\n\ncard {n}." for n in range(6)}
    first = built(a_collection(tmp_path / "docs", pages), tmp_path / "index")
    (tmp_path / "docs" / "page-5.md").unlink()
    build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    version = local(tmp_path / "index")
    assert [reference.name for reference in version.manifest.segments] == [first.manifest.id]
    assert version.visible(Query("?", "en")).rows == 10
    with pytest.raises(KeyError):
        version.chunks_of("page-5")


def test_segments_that_no_version_holds_are_removed(tmp_path: Path) -> None:
    a_collection(tmp_path / "docs", {"page": "## One\n\nbike."})
    for number in range(9):
        write_page(tmp_path / "docs", "page", f"## One\n\nbike {number}.")
        build(load_collection(tmp_path / "docs"), tmp_path / "index", Hashing())
    kept = {reference.name for one in IndexFolder(tmp_path / "index").versions() for reference in one.segments}
    assert {folder.name for folder in (tmp_path / "index" / SEGMENTS).iterdir()} == kept


def test_another_way_of_cutting_takes_nothing_over(tmp_path: Path) -> None:
    pages = {f"page-{n}": f"## One\n\nbike {n}.\n\n## Two\n\ncard {n}." for n in range(6)}
    collection = a_collection(tmp_path / "docs", pages)
    built(collection, tmp_path / "index")
    build(collection, tmp_path / "index", Hashing(), strategy="words", options={"size": 2, "overlap": 0})
    assert len(local(tmp_path / "index").held) == 1
