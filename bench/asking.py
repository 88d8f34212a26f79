"""How long a question and its page take as a collection grows: `python -m bench.asking 1000 10000 100000`.

The pages of kestrel, with their real vectors, lie among pages of made-up words and vectors, of which four in ten may be
answered from. The golden questions are asked in this process as a browser asks them: sent, kept, shown. The vector of
each question comes from the real model every time, and is named apart; no answer is known beforehand.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click
from flask.testing import FlaskClient
from pydantic import SecretStr

from bench.answer_page import GOLDEN
from bench.scale import SECTIONS, VOCABULARY, MadeUp, Writer, a_word, say
from bench.server import HIDDEN
from webapp.app import create_app
from webapp.core.registry import NoOptions
from webapp.core.retrieval.embedders.base import Embedder, Vectors, embedders, load_embedder
from webapp.core.retrieval.model import Reader
from webapp.services.root import Services
from webapp.settings import Settings

MOST_MILLISECONDS = 60  # to answer, 95 of 100
ROUNDS = 3
KESTREL = GOLDEN.parent
NAME = "real-beside-made-up"


class RealBesideMadeUp:
    """The default embedder, but for pages of made-up words. Keeps how long each question took."""

    name, dim = NAME, MadeUp.dim

    def __init__(self) -> None:
        self.took: list[float] = []
        self._real, self._made_up = load_embedder("e5-small"), MadeUp()
        self._words = {a_word(number) for number in range(VOCABULARY)}

    def query(self, texts: Sequence[str]) -> Vectors:
        """Return the questions' vectors."""
        started = time.perf_counter()
        vectors = self._real.query(texts)
        self.took.append(1000 * (time.perf_counter() - started))
        return vectors

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each passage."""
        vectors = self._made_up.passages(texts)
        real = [place for place, text in enumerate(texts) if text.split(maxsplit=1)[0].rstrip(".") not in self._words]
        vectors[real] = self._real.passages([texts[place] for place in real])
        return vectors


@embedders.register(NAME, "The default embedder for kestrel's pages, made-up vectors for the others")
def _make(options: NoOptions) -> Embedder:
    return RealBesideMadeUp()


def written(folder: Path, chunks: int) -> Path:
    """Copy kestrel, with so many chunks of made-up pages beside its own, and return where it is."""
    shutil.copytree(KESTREL, folder / "kestrel")
    settings = folder / "kestrel" / "collection.toml"
    settings.write_text(f'embedder = "{NAME}"\n{settings.read_text(encoding="utf-8")}', encoding="utf-8")
    writer = Writer(folder / "pages", current=0.39)
    for number in range(chunks // SECTIONS):
        writer.page(number)
    (folder / "pages" / "collection.toml").unlink()
    return (folder / "pages").rename(folder / "kestrel" / "pages").parents[1]


def milliseconds(times: Sequence[float]) -> str:
    """Return median and 95th percentile."""
    ordered = sorted(times)
    return f"{ordered[len(ordered) // 2]:7.1f} ms (p95 {ordered[len(ordered) * 95 // 100]:.1f})"


def sent(client: FlaskClient, question: str) -> tuple[float, float, str]:
    """Ask as a browser does; return the milliseconds until it is kept, those until the page is there, and the page."""
    form = dict(HIDDEN.findall(client.get("/").text)) | {"question": question}
    started = time.perf_counter()
    reply = client.post("/ask", data=form)
    kept = time.perf_counter()
    assert reply.status_code == 303, f"{question}: {reply.status_code}"
    page = client.get(reply.location)
    shown = time.perf_counter()
    assert page.status_code == 200, f"{question}: {page.status_code}"
    return 1000 * (kept - started), 1000 * (shown - kept), page.text


def measure(chunks: int, folder: Path) -> float:
    """Print all figures for one size; return how long 95 of 100 answers take at most."""
    corpus = written(folder / "corpus", chunks)
    settings = Settings(
        corpus=corpus, instance=folder / "instance", answer_cache=0, secret_key=SecretStr("k" * 40),
        ask_rate="1000000 per minute",
    )  # fmt: skip
    services = Services.open(settings)
    click.echo(f"{chunks:,} chunks beside kestrel's")
    desk = services.desk()
    started = time.perf_counter()
    desk.ensure_index()
    say("read, embedded, calibrated and built", f"{time.perf_counter() - started:7.1f} s")
    lines = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    questions = [one["question"] for one in lines]
    answered = {question: not desk.ask(question, Reader()).abstained for question in questions}
    right = sum(answered[one["question"]] == one["answerable"] for one in lines)
    say("answered or refused as they should be", f"{right} of {len(lines)}")
    embedder = load_embedder(NAME)
    assert isinstance(embedder, RealBesideMadeUp)
    embedder.took.clear()
    asked = [_timed(partial(desk.ask, question, Reader())) for question in questions * ROUNDS]
    say("a question answered and kept", milliseconds(asked))
    say("of it, the model of meaning", milliseconds(embedder.took))
    client = create_app(settings, services).test_client()
    browser = [sent(client, question) for question in questions * ROUNDS]
    say("sent by a browser, until it is kept", milliseconds([kept for kept, _, _ in browser]))
    say("the answer's page", milliseconds([shown for _, shown, _ in browser]))
    services.close()
    return sorted(asked)[len(asked) * 95 // 100]


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


@click.command(help=__doc__)
@click.argument("sizes", nargs=-1, type=int, metavar="CHUNKS...")
def main(sizes: tuple[int, ...]) -> None:
    """Measure collections of so many CHUNKS; exit 1 when answers take too long at any size."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    slow = 0.0
    for size in sizes or (1_000, 10_000, 100_000):
        with tempfile.TemporaryDirectory() as folder:
            slow = max(slow, measure(size, Path(folder)))
    raise SystemExit(slow > MOST_MILLISECONDS)


if __name__ == "__main__":
    main()
