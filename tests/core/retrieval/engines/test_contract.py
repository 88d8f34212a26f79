"""What every engine does, whatever it is made of."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.core.retrieval.engines.conftest import Shelf
from tests.core.retrieval.helpers import Hashing, a_collection, write_page
from webapp.core.chunking.cut import cut
from webapp.core.documents.collection import load_collection
from webapp.core.retrieval.engine import KEPT, Engine, IndexProblem, IndexVersion, Manifest
from webapp.core.retrieval.engines.base import engines
from webapp.core.retrieval.index import BuildReport, IndexFolder, build
from webapp.core.retrieval.model import Query, Reader, Role
from webapp.core.retrieval.retriever import Retriever

WORDS = ["bike", "helmet", "card", "refund", "delivery", "frame", "saddle", "pedal", "chain", "brake"]
PAGES = {
    "returns": "## Bikes\n\nA bike can go back within 30 days.\n\n## Helmets\n\nHelmets stay.",
    "cards": "## Expiry\n\nCards expire after 36 months.",
}
STAFF = Reader(Role.CUSTOMER, frozenset({"staff"}))
GROUPS = 'groups = ["staff"]\n'


def put(shelf: Shelf, docs: Path, **how: object) -> BuildReport:
    """Build from the folder."""
    return build(load_collection(docs), shelf.new(), Hashing(), cache=shelf.vectors, **how)  # type: ignore[arg-type]


def live(engine: Engine) -> IndexVersion:
    version = engine.current()
    assert version is not None
    return version


def body(chance: random.Random) -> str:
    """A page of one to three sections."""
    sections = range(chance.randint(1, 3))
    return "\n\n".join(f"## Part {n}\n\n{' '.join(chance.choices(WORDS, k=chance.randint(3, 9)))}." for n in sections)


def seen(version: IndexVersion) -> dict[str, object]:
    """All that searches tell of a version, whatever rows things stand in."""
    query, embedder = Query("bike?", "en"), Hashing()
    visible = version.visible(query)
    vector = embedder.query(["bike frame"])[0]
    near, cosines = version.search_meaning(vector, visible, 1000)
    holding, _ = version.search_words({"bike": 1.0, "frame": 2.0}, visible, 1000)
    ids = [entry.chunk.id for entry in version.fetch(near.tolist())]
    documents = {one.id: one.model_dump(exclude={"first_row"}) for one in version.documents().values()}
    return {
        "near": sorted(zip((-cosines).round(5).tolist(), ids, strict=True)),
        "holding": sorted(entry.chunk.id for entry in version.fetch(holding.tolist())),
        "counts": version.counts(WORDS, visible),
        "rows": visible.rows,
        "sample": len(version.sample(visible, 1000)),
        "background": round(version.background(vector, visible), 4),
        "known": version.known(["bike", "zebra", "card"]),
        "letters": version.letters(),
        "documents": documents,
        "texts": {id_: version.document_text(id_) for id_ in documents},
        "chunks": {id_: version.chunks_of(id_) for id_ in documents},
        "counted": (version.manifest.documents, version.manifest.sections, version.manifest.chunks),
    }


def test_every_engine_is_tried_here() -> None:
    assert [part.name for part in engines.all()] == ["local", "postgres"]


def test_before_anything_is_built_there_is_nothing(shelf: Shelf) -> None:
    engine = shelf.new()
    assert (engine.current(), engine.live_id(), engine.versions()) == (None, "", [])
    with pytest.raises(IndexProblem, match="there is no index version 'x'; there are: none yet"):
        engine.open("x")


def test_what_is_built_is_read_by_every_process(shelf: Shelf, tmp_path: Path) -> None:
    collection = a_collection(tmp_path / "docs", PAGES)
    report = put(shelf, tmp_path / "docs")
    version = live(shelf.new())
    assert (version.manifest.id, version.manifest.chunks) == (report.version, 3)
    assert shelf.new().versions() == [version.manifest]
    assert version.document_text("cards") == collection.documents[0].text
    assert [chunk.plain for chunk in version.chunks_of("cards")] == ["Cards expire after 36 months."]
    for unknown in (version.document_text, version.chunks_of):
        with pytest.raises(KeyError):
            unknown("nothing")
    assert not put(shelf, tmp_path / "docs").built


def test_an_entry_is_as_it_was_put(shelf: Shelf, tmp_path: Path) -> None:
    text = "## \U0001f6b2 Größe\n\nএকটি সাইকেল। A *bike*: 3 × 20 €, ‘so’.\n\nMore."
    a_collection(tmp_path / "docs", {"strange": text})
    put(shelf, tmp_path / "docs")
    version = live(shelf.new())
    (entry,) = version.fetch(range(version.manifest.chunks))
    assert entry.chunk == load_collection_chunk(tmp_path / "docs")
    assert entry.vector @ entry.vector == pytest.approx(1, abs=1e-5)
    assert entry.sentence_vectors.shape == (len(entry.chunk.sentences), Hashing.dim)
    assert {"bike", "সাইকেল"} <= set(entry.terms)
    assert set(entry.context_terms) <= set(entry.terms)


def load_collection_chunk(docs: Path) -> object:
    (document,) = load_collection(docs).documents
    (chunk,) = cut(document, "structure", {})
    return chunk


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.usefixtures("small")
def test_many_edits_give_what_one_build_gives(shelf: Shelf, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    docs = tmp_path / "docs"
    a_collection(docs, {f"page-{n}": body(chance) for n in range(8)})
    put(shelf, docs)
    for _ in range(6):
        name = f"page-{chance.randrange(12)}"
        if (docs / f"{name}.md").exists() and chance.random() < 0.3:
            (docs / f"{name}.md").unlink()
        else:
            write_page(docs, name, body(chance), status=chance.choice(["current", "current", "draft"]))
        put(shelf, docs)
    edited = live(shelf.new())
    build(load_collection(docs), tmp_path / "fresh", Hashing())
    fresh = live(IndexFolder(tmp_path / "fresh"))
    told = seen(edited)
    assert told == seen(fresh) | {"letters": told["letters"]}
    assert set(fresh.letters()) <= set(edited.letters())


@pytest.mark.usefixtures("small")
def test_an_edit_writes_only_what_it_changed(shelf: Shelf, tmp_path: Path) -> None:
    a_collection(tmp_path / "docs", {f"page-{n}": f"## One\n\nbike {n}.\n\n## Two\n\ncard {n}." for n in range(6)})
    first = put(shelf, tmp_path / "docs")
    write_page(tmp_path / "docs", "page-3", "## One\n\nhelmet.")
    second = put(shelf, tmp_path / "docs")
    old, new = live(shelf.new()).manifest.segments
    assert (old.name, old.gone, new.name) == (first.version, ("page-3",), second.version)
    assert (second.embedded, shelf.segments()) == (1, 2)


def test_a_document_that_is_gone_is_found_no_more(shelf: Shelf, tmp_path: Path) -> None:
    a_collection(tmp_path / "docs", PAGES)
    put(shelf, tmp_path / "docs")
    old = live(shelf.new())
    (tmp_path / "docs" / "cards.md").unlink()
    put(shelf, tmp_path / "docs")
    version = live(shelf.new())
    visible = version.visible(Query("?", "en"))
    assert version.counts(["card", "bike"], visible) == {"card": 0, "bike": 1}
    assert set(version.documents()) == {"returns"}
    assert "cards" in old.documents(), "whoever holds the old version keeps it whole"
    assert "36 months" in old.document_text("cards")


class TestVisibility:
    @pytest.fixture
    def version(self, shelf: Shelf, tmp_path: Path) -> IndexVersion:
        a_collection(tmp_path / "docs", PAGES, GROUPS)
        write_page(tmp_path / "docs", "discount", "## Bikes\n\nStaff get a bike cheaper.", audience="staff")
        write_page(tmp_path / "docs", "plans", "## Bikes\n\nA bike shop may open.", status="draft")
        put(shelf, tmp_path / "docs")
        return live(shelf.new())

    def found(self, version: IndexVersion, query: Query) -> tuple[set[str], set[str], int]:
        """The documents that are found by meaning and by words, and how often the word was counted."""
        visible = version.visible(query)
        near, _ = version.search_meaning(Hashing().query(["bike"])[0], visible, 100)
        holding, _ = version.search_words({"bike": 1.0}, visible, 100)
        both = [{entry.document_id for entry in version.fetch(rows.tolist())} for rows in (near, holding)]
        return both[0], both[1], version.counts(["bike"], visible)["bike"]

    def test_each_reader_finds_what_is_theirs(self, version: IndexVersion) -> None:
        assert self.found(version, Query("bike", "en")) == ({"returns", "cards"}, {"returns"}, 1)
        staff = Query("bike", "en", reader=STAFF)
        assert self.found(version, staff) == ({"returns", "cards", "discount"}, {"returns", "discount"}, 2)

    def test_what_is_left_out_is_not_found(self, version: IndexVersion) -> None:
        query = Query("bike", "en", without=frozenset({"returns"}))
        assert self.found(version, query) == ({"cards"}, set(), 0)

    def test_nothing_visible_finds_nothing(self, version: IndexVersion) -> None:
        query = Query("bike", "en", only_lang="bn")
        visible = version.visible(query)
        assert self.found(version, query) == (set(), set(), 0)
        assert (visible.rows, len(version.sample(visible, 9))) == (0, 0)
        assert version.background(Hashing().query(["bike"])[0], visible) == 0

    def test_closed_pages_are_not_felt(self, shelf: Shelf, version: IndexVersion, tmp_path: Path) -> None:
        before = Retriever(version, Hashing()).retrieve(Query("Can a bike go back?", "en"))
        for number in range(5):
            write_page(tmp_path / "docs", f"closed-{number}", "## Bike\n\nbike back bike.", audience="staff")
        put(shelf, tmp_path / "docs")
        after = Retriever(live(shelf.new()), Hashing()).retrieve(Query("Can a bike go back?", "en"))
        assert [(hit.chunk.id, hit.score) for hit in before.hits] == [(hit.chunk.id, hit.score) for hit in after.hits]
        assert before.signals == after.signals


class TestExactness:
    @pytest.fixture
    def version(self, shelf: Shelf, tmp_path: Path) -> IndexVersion:
        chance = random.Random(4)
        docs = tmp_path / "docs"
        a_collection(docs, {"page-0": body(chance)}, 'filters = ["kind"]\n')
        for number in range(40):
            write_page(docs, f"page-{number}", body(chance), kind="rare" if number % 10 == 0 else "common")
        put(shelf, docs)
        return live(shelf.new())

    @pytest.mark.parametrize("attributes", [{}, {"kind": "rare"}, {"kind": "common"}])
    @pytest.mark.parametrize("limit", [1, 7, 1000])
    def test_meaning(self, version: IndexVersion, attributes: dict[str, str], limit: int) -> None:
        visible = version.visible(Query("?", "en", attributes=attributes))
        vector = Hashing().query(["pedal chain brake"])[0]
        rows = version.sample(visible, 10_000)
        exact = np.array([entry.vector @ vector for entry in version.fetch(rows.tolist())])
        found, cosines = version.search_meaning(vector, visible, limit)
        assert set(found) <= set(rows)
        assert len(found) == min(limit, len(rows))
        assert cosines == pytest.approx(np.sort(exact)[::-1][:limit], abs=1e-5)
        assert version.background(vector, visible) == pytest.approx(exact.mean(), abs=1e-5)

    def test_words(self, version: IndexVersion) -> None:
        visible = version.visible(Query("?", "en", attributes={"kind": "common"}))
        rows = version.sample(visible, 10_000).tolist()
        held = {row: Counter(entry.terms) for row, entry in zip(rows, version.fetch(rows), strict=True)}
        counts = version.counts(["pedal", "chain", "nothing"], visible)
        assert counts == {term: sum(term in terms for terms in held.values()) for term in counts}
        found, scores = version.search_words({"pedal": 1.0, "chain": 2.0, "saddle": 0.0}, visible, 1000)
        assert set(found) == {row for row, terms in held.items() if terms["pedal"] or terms["chain"]}
        assert scores.tolist() == sorted(scores.tolist(), reverse=True)
        assert min(scores) > 0
        assert len(version.search_words({"pedal": 1.0}, visible, 3)[0]) == 3
        assert len(version.search_words({}, visible, 3)[0]) == 0

    def test_columns_say_what_the_entries_do(self, version: IndexVersion) -> None:
        vector = Hashing().query(["pedal chain brake"])[0]
        rows = version.sample(version.visible(Query("?", "en")), 30)
        columns, entries = version.columns(rows, vector), version.fetch(rows.tolist())
        assert columns.meaning == pytest.approx([entry.vector @ vector for entry in entries], abs=1e-5)
        for place, entry in enumerate(entries):
            assert columns.numbers[place].tolist() == entry.numbers.tolist()
            assert columns.sentences[place] == pytest.approx(entry.sentence_vectors @ vector, abs=1e-3)
        assert len(version.columns(rows[:0], vector)) == 0

    def test_chunks_alone_are_those_of_the_entries(self, version: IndexVersion) -> None:
        rows = version.sample(version.visible(Query("?", "en")), 30).tolist()[::-1]
        assert version.chunks(rows) == [entry.chunk for entry in version.fetch(rows)]
        assert version.chunks([]) == []

    def test_every_engine_ranks_alike(self, version: IndexVersion, tmp_path: Path) -> None:
        build(load_collection(tmp_path / "docs"), tmp_path / "other", Hashing())
        other = live(IndexFolder(tmp_path / "other"))
        for text in ("pedal chain", "Where is the sadle?", "refund of a delivery card", "nothing of it"):
            one, two = (Retriever(each, Hashing()).retrieve(Query(text, "en")) for each in (version, other))
            assert [hit.chunk.id for hit in one.hits] == [hit.chunk.id for hit in two.hits]
            assert [hit.score for hit in one.hits] == pytest.approx([hit.score for hit in two.hits], abs=1e-5)
            assert one.signals == pytest.approx(two.signals, abs=1e-5)


class TestVersions:
    @pytest.fixture
    def two(self, shelf: Shelf, tmp_path: Path) -> tuple[str, str]:
        a_collection(tmp_path / "docs", PAGES)
        first = put(shelf, tmp_path / "docs").version
        write_page(tmp_path / "docs", "new", "## New\n\nSomething else.")
        return first, put(shelf, tmp_path / "docs").version

    def test_switching_back_and_forth(self, shelf: Shelf, two: tuple[str, str]) -> None:
        engine, other = shelf.new(), shelf.new()
        assert [manifest.id for manifest in engine.versions()] == [two[1], two[0]]
        assert live(other).manifest.id == two[1]
        engine.switch(two[0])
        assert live(other).manifest.id == other.live_id() == two[0]
        with pytest.raises(IndexProblem, match="there are"):
            engine.switch("20200101-000000-000-none")
        with pytest.raises(IndexProblem, match="is live"):
            engine.drop(two[0])
        engine.drop(two[1])
        assert [manifest.id for manifest in other.versions()] == [two[0]]
        with pytest.raises(IndexProblem, match="there is no index version"):
            engine.drop(two[1])

    def test_a_damaged_version_is_not_switched_to(self, shelf: Shelf, two: tuple[str, str]) -> None:
        engine = shelf.new()
        shelf.damage(two[0])
        with pytest.raises(IndexProblem, match="is damaged"):
            engine.switch(two[0])
        assert engine.live_id() == two[1]
        assert live(engine).damage() == []

    def test_damage_of_the_live_version_is_found_and_mended(
        self, shelf: Shelf, two: tuple[str, str], tmp_path: Path
    ) -> None:
        held = live(shelf.new())
        assert held.damage() == []
        shelf.damage(two[1])
        assert held.damage()
        shelf.new().discard(two[1])
        assert (shelf.new().live_id(), shelf.new().current()) == ("", None)
        assert put(shelf, tmp_path / "docs").built
        assert live(shelf.new()).damage() == []

    def test_a_damaged_older_version_goes_with_the_next_build(
        self, shelf: Shelf, two: tuple[str, str], tmp_path: Path
    ) -> None:
        shelf.damage(two[0])
        write_page(tmp_path / "docs", "third", "## Third\n\nAnother one.")
        third = put(shelf, tmp_path / "docs").version
        assert [manifest.id for manifest in shelf.new().versions()] == [third, two[1]]

    def test_only_the_newest_are_kept(self, shelf: Shelf, two: tuple[str, str], tmp_path: Path) -> None:
        for number in range(KEPT):
            write_page(tmp_path / "docs", "new", f"## New\n\nSomething else: {number}.")
            put(shelf, tmp_path / "docs")
        assert len(shelf.new().versions()) == KEPT == shelf.segments()


class TestBuilding:
    def test_an_unsealed_version_is_seen_by_nobody(self, shelf: Shelf, tmp_path: Path) -> None:
        a_collection(tmp_path / "docs", PAGES)
        noted: list[object] = []

        def look(version: IndexVersion) -> None:
            noted.extend((version.manifest.chunks, len(seen(version)["documents"]), shelf.new().versions()))  # type: ignore[arg-type]
            raise IndexProblem("refused")

        with pytest.raises(IndexProblem, match="refused"):
            put(shelf, tmp_path / "docs", validate=look)
        assert noted == [3, 2, []]
        assert (shelf.new().current(), shelf.new().versions(), shelf.segments()) == (None, [], 0)

    def test_what_a_killed_build_left_goes(self, shelf: Shelf, tmp_path: Path) -> None:
        a_collection(tmp_path / "docs", PAGES)
        manifest = live_manifest(shelf, tmp_path)
        killed = shelf.new().begin(manifest)
        put(shelf, tmp_path / "docs", force=True)
        assert shelf.segments() == len(shelf.new().versions()) == 2
        killed.abandon()

    def test_a_calibration_is_kept(self, shelf: Shelf, tmp_path: Path) -> None:
        a_collection(tmp_path / "docs", PAGES)
        put(shelf, tmp_path / "docs", validate=lambda version: {"threshold": 0.5})
        assert live(shelf.new()).manifest.calibration == {"threshold": 0.5}

    def test_an_empty_collection(self, shelf: Shelf, tmp_path: Path) -> None:
        a_collection(tmp_path / "docs", {"empty": ""})
        put(shelf, tmp_path / "docs")
        version = live(shelf.new())
        assert (version.manifest.chunks, version.visible(Query("?", "en")).rows) == (0, 0)
        assert list(version.documents()) == ["empty"]
        assert Retriever(version, Hashing()).retrieve(Query("bike", "en")).hits == ()

    def test_one_builds_at_a_time(self, shelf: Shelf) -> None:
        inside = threading.Event()
        with shelf.new().alone():
            waiting = threading.Thread(target=lambda: enter(shelf.new(), inside))
            waiting.start()
            assert not inside.wait(0.2)
        assert inside.wait(30)
        waiting.join()

    def test_what_is_tried_beside_touches_nothing(self, shelf: Shelf, tmp_path: Path) -> None:
        a_collection(tmp_path / "docs", PAGES)
        first = put(shelf, tmp_path / "docs").version
        write_page(tmp_path / "docs", "new", "## New\n\nSomething else.")
        with shelf.new().beside() as other:
            report = build(load_collection(tmp_path / "docs"), other, Hashing(), cache=shelf.vectors)
            assert (report.embedded, set(live(other).documents())) == (1, {"returns", "cards", "new"})
            assert live(shelf.new()).manifest.id == first
        assert [manifest.id for manifest in shelf.new().versions()] == [first]
        assert seen(live(shelf.new()))["rows"] == 3
        assert live(shelf.new()).damage() == []


def live_manifest(shelf: Shelf, tmp_path: Path) -> Manifest:
    put(shelf, tmp_path / "docs")
    return live(shelf.new()).manifest


def enter(engine: Engine, inside: threading.Event) -> None:
    with engine.alone():
        inside.set()


def test_while_versions_change_each_reader_sees_one(shelf: Shelf, tmp_path: Path) -> None:
    """The word of each version stands in it twice: a mixture would be told by the counts."""
    docs = tmp_path / "docs"
    for word in ("bike", "card"):
        a_collection(docs, {"a": f"## One\n\n{word}.", "b": f"## Two\n\n{word}."})
        put(shelf, docs)
    versions = [manifest.id for manifest in shelf.new().versions()]
    over = time.monotonic() + 1

    def read(number: int) -> set[tuple[int, ...]]:
        engine = shelf.new()
        told: set[tuple[int, ...]] = set()
        while time.monotonic() < over:
            version = live(engine)
            visible = version.visible(Query("?", "en"))
            rows, _scores = version.search_words({"bike": 1.0, "card": 1.0}, visible, 10)
            words = [entry.terms[-1] for entry in version.fetch(rows.tolist())]
            told.add((*version.counts(["bike", "card"], visible).values(), words.count("bike"), words.count("card")))
        return told

    def change() -> None:
        engine = shelf.new()
        while time.monotonic() < over:
            for version in versions:
                engine.switch(version)

    with ThreadPoolExecutor(4) as threads:
        changing = threads.submit(change)
        told = set().union(*threads.map(read, range(3)))
        changing.result()
    assert told == {(2, 0, 2, 0), (0, 2, 0, 2)}


def test_a_word_longer_than_an_index_of_the_database_takes_is_found(shelf: Shelf, tmp_path: Path) -> None:
    chance = random.Random(1)
    long = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=9000))
    other = f"{long[:-1]}{'a' if long[-1] != 'a' else 'b'}"
    a_collection(tmp_path / "docs", {"key": f"A key {long} here."}, 'strategy = "section"\n')
    put(shelf, tmp_path / "docs")
    version = live(shelf.new())
    assert version.counts([long, other], version.visible(Query("key", "en"))) == {long: 1, other: 0}
    assert version.known([other, long]) == [long]
