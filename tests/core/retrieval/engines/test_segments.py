"""Which segments an edit leaves, and which it writes anew; that nobody can tell is part of `test_contract`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.retrieval.helpers import Hashing, a_collection, built, write_page
from webapp.core.documents.collection import load_collection
from webapp.core.retrieval.columns import Numbers, terms_in
from webapp.core.retrieval.engines import _draft, _segment
from webapp.core.retrieval.engines._version import SegmentedVersion
from webapp.core.retrieval.engines.local import SEGMENTS
from webapp.core.retrieval.index import IndexFolder, build
from webapp.core.retrieval.model import Query


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let segments of a few rows stay as they are."""
    monkeypatch.setattr(_draft, "SMALL", 4)


def local(folder: Path) -> SegmentedVersion:
    version = IndexFolder(folder).current()
    assert version is not None
    return version


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


def test_however_many_edits_an_access_has_one_number_and_few_ranges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_draft, "SMALL", 100)
    docs = tmp_path / "docs"
    for n in range(8):
        write_page(docs, f"page-{n}", f"## One\n\nbike {n}.", lang="en" if n % 2 else "bn")
    build(load_collection(docs), tmp_path / "index", Hashing())
    for n in (0, 1, 3, 2, 5, 4, 7, 1):
        write_page(docs, f"page-{n}", f"## One\n\nbike {n} again.", lang="en" if n % 2 else "bn")
        build(load_collection(docs), tmp_path / "index", Hashing())
    version = local(tmp_path / "index")
    ((both,),) = (version.visible(query).parts for query in [Query("?", "en")])
    (english,) = version.visible(Query("?", "en", only_lang="en")).parts
    assert (len(both.accesses), both.slices, len(english.accesses)) == (2, ((0, 8),), 1)
    assert len(english.slices) <= 2, "what is new stands before what is kept, either sorted by access"
    assert version.counts(["bike", "again"], version.visible(Query("?", "en", only_lang="bn"))) == {
        "bike": 4,
        "again": 3,
    }


def test_however_many_pages_are_left_out_half_of_the_rows_are_read_to_count_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {f"page-{n}": f"## One\n\nbike {n % 2}." for n in range(8)}
    built(a_collection(tmp_path / "docs", pages), tmp_path / "index")
    version, read = local(tmp_path / "index"), list[Numbers]()

    def reading(numbers: Numbers) -> frozenset[int]:
        read.append(numbers)
        return terms_in(numbers)

    monkeypatch.setattr(_segment, "terms_in", reading)
    for most in (8, 7, 5, 4, 3, 1, 0):
        query = Query("?", "en", without=frozenset(list(pages)[most:]))
        for _ in range(2):
            assert version.counts(iter(["bike", "0"]), version.visible(query)) == {"bike": most, "0": (most + 1) // 2}
        assert len(read) <= min(most, 8 - most), "once"
        read.clear()
