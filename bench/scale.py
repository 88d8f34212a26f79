"""How searching, building and editing grow with the collection: `python -m bench.scale 1000 10000 100000`.

For each size it writes a folder of Markdown with words as frequent as in real texts, of which four pages in ten may be
answered from (the others are superseded), builds the index with made-up vectors (embedding is what it leaves out), and
prints: seconds of the build, milliseconds of searching by meaning beside the time that reading those vectors from
memory takes, whole and rounded to a byte a number, of hybrid retrieval without embedding the question, seconds of a
process that opens the index and asks once, the memory of two that have asked every question, seconds until an edit of
one page is found, and retrieval after it. `--keep FOLDER` leaves folder and index there, and measures those that it
finds there without building them anew.
"""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import numpy as np

from webapp.core.chunking.cut import cut
from webapp.core.documents.collection import load_collection
from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.engine import IndexVersion
from webapp.core.retrieval.index import IndexFolder, build
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever

DIM = 384
SECTIONS = 20  # chunks of a page
WORDS = 60  # of a chunk
VOCABULARY = 50_000
ROUNDS = 200
SETTINGS = 'strategy = "paragraph"\nembedder = "made-up"\n'


class MadeUp:
    """Vectors that depend on the text alone, and cost next to nothing."""

    name, dim = "made-up", DIM

    def query(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each question."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text: one of 4,096 directions, slightly turned."""
        keys = np.array([zlib.crc32(text.encode()) for text in texts], dtype=np.int64)
        turned = self._directions()[keys % 4096].copy()
        turned[np.arange(len(keys)), keys // 4096 % DIM] += 0.3
        unit: Vectors = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        return unit

    _known: Vectors | None = None

    def _directions(self) -> Vectors:
        if self._known is None:
            self._known = np.random.default_rng(1).normal(size=(4096, DIM)).astype(np.float32)
        return self._known


def a_word(number: int) -> str:
    """Return a made-up word that nobody stems."""
    return "".join("bdfglmnprtvz"[number // 12**place % 12] + "aiou"[number // 5**place % 4] for place in range(4))


class Writer:
    """Writes pages whose words are as frequent as in real texts (Zipf)."""

    def __init__(self, folder: Path, current: float = 1.0) -> None:
        """Of the pages a share is `current`, the others are superseded."""
        self.folder = folder
        self._current = current
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "collection.toml").write_text(SETTINGS, encoding="utf-8")
        self._chance = random.Random(1)
        self._words = [a_word(number) for number in range(VOCABULARY)]
        self._weights = np.cumsum([1 / (rank + 3) for rank in range(VOCABULARY)]).tolist()

    def words(self, count: int) -> str:
        """Return so many words."""
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=count))

    def page(self, number: int) -> None:
        """Write a page."""
        sections = (f"## {self.words(3)}\n\n{self.words(WORDS)}.\n" for _ in range(SECTIONS))
        status = "current" if number % 100 < 100 * self._current else "superseded"
        head = f"---\nid: page-{number}\ntitle: {self.words(3)}\nstatus: {status}\n---\n\n"
        place = self.folder / f"{number % 100:02}" / f"page-{number}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text(head + "\n".join(sections), encoding="utf-8")


def milliseconds(work: Callable[[], object], rounds: int = ROUNDS) -> str:
    """Do the work some rounds over; return median and 95th percentile."""
    times = sorted(_timed(work) for _ in range(rounds))
    return f"{times[rounds // 2]:7.1f} ms (p95 {times[rounds * 95 // 100]:.1f})"


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def say(what: str, figure: str) -> None:
    """Print a figure."""
    click.echo(f"  {what:44} {figure}")


def searches(version: IndexVersion, questions: list[str]) -> None:
    """Time the two searches, and both with everything around them."""
    embedder, query = MadeUp(), Query(questions[0], "en")
    vector = embedder.query([questions[0]])[0]
    visible = version.visible(query)
    for what, size in (("reading the visible vectors from memory", DIM), ("reading them rounded", DIM // 4)):
        memory = np.ones((visible.rows, size), dtype=np.float32)
        say(what, milliseconds(memory.sum, 20))
    say("by meaning", milliseconds(lambda: version.search_meaning(vector, visible, 100)))
    hybrid("hybrid, the question's vector known", version, questions)


def hybrid(what: str, version: IndexVersion, questions: list[str]) -> None:
    """Time retrieval for the second half of the questions, after the first."""
    retriever, left = Retriever(version, MadeUp()), iter(questions[ROUNDS:])
    for question in questions[:ROUNDS]:
        retriever.retrieve(Query(question, "en"))
    say(what, milliseconds(lambda: retriever.retrieve(Query(next(left), "en"))))


def one_edit(folder: Path, home: Path) -> None:
    """Time from an edit until a question finds it, in a process that has the index open."""
    live = IndexFolder(home).current()
    collection = load_collection(folder)
    page = folder / "07" / "page-7.md"
    before = page.read_bytes()
    for number in range(3):
        page.write_text(page.read_text(encoding="utf-8") + f"\n## New\n\nzyzzyva{number} is new.\n", encoding="utf-8")
        started = time.perf_counter()
        collection = load_collection(folder, known=collection)
        read = time.perf_counter()
        build(collection, home, MadeUp())
        live = IndexFolder(home).current()
        assert live is not None
        query = Query(f"Where is zyzzyva{number}?", "en")
        Retriever(live, MadeUp()).retrieve(query)
        assert len(live.search_words({f"zyzzyva{number}": 1.0}, live.visible(query), 10)[0]) == 1
        over = time.perf_counter()
        say("an edit until it is found", f"{over - started:7.2f} s  (reading {read - started:.2f} s of it)")
    page.write_bytes(before)


def go_back(engine: IndexFolder, version: str) -> None:
    """Let the edits go, so that a folder that is kept may be measured again."""
    engine.switch(version)
    for later in engine.versions():
        if later.id > version:
            engine.drop(later.id)


COLD = """
import sys, time
started = time.perf_counter()
from pathlib import Path
from bench.scale import MadeUp
from webapp.core.retrieval.index import IndexFolder
from webapp.core.retrieval.model import Query
from webapp.core.retrieval.retriever import Retriever
version = IndexFolder(Path(sys.argv[1])).current()
retriever = Retriever(version, MadeUp())
retriever.retrieve(Query(sys.argv[2], "en"))
print(time.perf_counter() - started, flush=True)
for question in sys.argv[3:]:
    retriever.retrieve(Query(question, "en"))
print("asked", flush=True)
sys.stdin.read()
"""


def new_processes(home: Path, questions: list[str]) -> None:
    """Time a process that opens the index and asks once; say how much memory it and another take once both have asked
    every question."""
    command = [sys.executable, "-c", COLD, str(home), *questions]
    pair = []
    for _ in range(2):
        pair.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        say("a new process, until it has found", f"{float(_line(pair[-1])):7.2f} s")
    for process in pair:
        assert _line(process) == "asked\n"
    say("memory that it shares with no other", f"{_megabytes(pair[0].pid, 'Private_Dirty'):7.0f} MB")
    whole, files = (sum(_megabytes(process.pid, what) for process in pair) for what in ("Pss", "Pss_File"))
    say("memory of two that have asked everything", f"{whole:7.0f} MB  (pages of files {files:.0f} of it)")
    for process in pair:
        process.communicate()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


def _megabytes(process: int, what: str) -> float:
    """Return memory of a process; of what several processes share each counts its part."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) * 1024 / 1e6


def builds(writer: Writer, size: int, first: Path, home: Path) -> None:
    """Write the pages; time building the index with vectors made and with vectors known."""
    for number in range(size // SECTIONS):
        writer.page(number)
    started = time.perf_counter()
    collection = load_collection(writer.folder)
    read = time.perf_counter() - started
    build(collection, first, MadeUp(), cache=home / "vectors")
    say("read, embedded and built", f"{time.perf_counter() - started:7.1f} s")
    shutil.rmtree(first)
    started = time.perf_counter()
    strategy, options = collection.config.strategy, collection.config.options
    chunks = sum(len(cut(document, strategy, options)) for document in collection.documents)
    say("reading and cutting", f"{read + time.perf_counter() - started:7.1f} s  (reading {read:.1f} s of it)")
    started = time.perf_counter()
    build(collection, home, MadeUp())
    say("read and built, vectors known", f"{read + time.perf_counter() - started:7.1f} s  ({chunks:,} chunks)")


def measure(size: int, place: Path) -> None:
    """Print all figures for one size; what stands in the place already is not built again."""
    writer, home = Writer(place / "docs", current=0.39), place / "index"
    click.echo(f"{size:,} chunks")
    if IndexFolder(home).current() is None:
        builds(writer, size, place / "first", home)
    version = IndexFolder(home).current()
    assert version is not None
    questions = [writer.words(6) + "?" for _ in range(2 * ROUNDS)]
    searches(version, questions)
    new_processes(home, questions)
    one_edit(writer.folder, home)
    edited = IndexFolder(home).current()
    assert edited is not None
    hybrid("hybrid, a page edited since", edited, questions)
    go_back(IndexFolder(home), version.manifest.id)
    say("the most memory this process has had", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:7.0f} MB")


@click.command()
@click.argument("sizes", nargs=-1, type=int, metavar="CHUNKS...")
@click.option("--keep", type=click.Path(path_type=Path), help="Where folders and indexes are to stay")
def main(sizes: tuple[int, ...], keep: Path | None) -> None:
    """Measure collections of so many CHUNKS."""
    for size in sizes or (1_000, 10_000, 100_000):
        with tempfile.TemporaryDirectory() as place:
            measure(size, keep / str(size) if keep else Path(place))


if __name__ == "__main__":
    main()
