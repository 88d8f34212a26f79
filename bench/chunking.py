"""How fast files are read, parsed and cut with exact lines: `python -m bench.chunking FOLDER [--peers]`.

Prints MB/s for one large file made of the folder's own (each strategy), files/s over all of them, and how time and
memory grow with size. `--peers` runs the splitters of other projects that are installed, on the same text, each beside
the strategy that is most like it; none of them gives lines. Processor time of one thread; medians, with the slowest
and the quickest round.
"""

from __future__ import annotations

import importlib.util
import resource
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from webapp.core.chunking.base import strategies
from webapp.core.chunking.cut import cut
from webapp.core.documents.collection import document_files
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.reading import document_from_bytes

CONFIG = CollectionConfig()
LARGE = 1_000_000  # bytes of the large file
ROUNDS = 5
GROWTH = (1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000)


def measure(name: str, work: Callable[[], object], amount: float, unit: str) -> float:
    """Do the work some rounds over; print, and return the median of, how much of `amount` a second takes."""
    rates = sorted(amount / _seconds(work) for _ in range(ROUNDS))
    click.echo(f"{name:28} {rates[ROUNDS // 2]:8.1f} {unit}/s  ({rates[0]:.1f} to {rates[-1]:.1f})")
    return rates[ROUNDS // 2]


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def read_and_cut(data: bytes, strategy: str, with_sentences: bool = False) -> int:
    """Return how many chunks a file gives."""
    chunks = cut(document_from_bytes(data, "page.md", CONFIG), strategy, {})
    return sum(len(chunk.sentences) for chunk in chunks) if with_sentences else len(chunks)


def large_file(files: list[bytes], size: int) -> bytes:
    """Return a file of about `size` bytes made of the bodies of others, repeated as often as need be."""
    bodies = [data.split(b"\n---", 1)[-1] for data in files]
    whole = b"\n\n".join(bodies)
    return (whole * (size // max(len(whole), 1) + 1))[:size].decode("utf-8", "ignore").encode()


class Peer(NamedTuple):
    """A splitter of another project, and the strategy of ours that does most nearly the same."""

    name: str
    ours: str
    split: Callable[[str], object]


def peers() -> Iterator[Peer]:
    """Yield the installed splitters of other projects, each set to chunks of about 600 characters."""
    if importlib.util.find_spec("langchain_text_splitters"):
        yield from _langchain()
    if importlib.util.find_spec("semantic_text_splitter"):
        from semantic_text_splitter import MarkdownSplitter

        yield Peer("semantic-text-splitter", "structure", MarkdownSplitter(600).chunks)
    if importlib.util.find_spec("chonkie"):
        from chonkie import RecursiveChunker

        yield Peer("chonkie recursive", "paragraph", RecursiveChunker(tokenizer="character", chunk_size=600))


def _langchain() -> Iterator[Peer]:
    from langchain_text_splitters import (
        ExperimentalMarkdownSyntaxTextSplitter,
        MarkdownHeaderTextSplitter,
        MarkdownTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    headings = [("#", "h1"), ("##", "h2")]
    recursive = RecursiveCharacterTextSplitter(chunk_size=600, chunk_overlap=0)
    yield Peer("langchain recursive", "paragraph", recursive.split_text)
    yield Peer("langchain markdown", "structure", MarkdownTextSplitter(chunk_size=600, chunk_overlap=0).split_text)
    yield Peer("langchain headers", "section", MarkdownHeaderTextSplitter(headings).split_text)
    yield Peer(
        "langchain syntax", "section", lambda text: ExperimentalMarkdownSyntaxTextSplitter(headings).split_text(text)
    )


def beside(peer: Peer, files: list[bytes], large: bytes, rates: Mapping[str, float]) -> None:
    """Measure a peer on one large file and on all files; print how many times as fast ours is, more than 1: faster."""
    texts = [data.decode("utf-8", "replace") for data in files]
    rate = measure(peer.name, partial(peer.split, large.decode()), len(large) / 1e6, "MB")
    many = measure(f"{peer.name}, files", lambda: [peer.split(text) for text in texts], len(files), "files")
    ours = rates[peer.ours], rates["all files"]
    click.echo(f"{'':28} {peer.ours} is {ours[0] / rate:.2f} times as fast, on all files {ours[1] / many:.2f} times")


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--peers", "with_peers", is_flag=True, help="Other projects' splitters too (`make peers` installs them)")
def main(folder: Path, with_peers: bool) -> None:
    """Measure and print."""
    files = [file.read_bytes() for file in document_files(folder, [])]
    large = large_file(files, LARGE)
    size = len(large) / 1e6
    click.echo(f"{len(files)} files; one large file of {size:.1f} MB")
    rates = {
        part.name: measure(part.name, partial(read_and_cut, large, part.name), size, "MB") for part in strategies.all()
    }
    measure("structure, with sentences", partial(read_and_cut, large, "structure", with_sentences=True), size, "MB")
    rates["all files"] = measure(
        "all files, structure", lambda: [read_and_cut(data, "structure") for data in files], len(files), "files"
    )
    for peer in peers() if with_peers else ():
        beside(peer, files, large, rates)
    growth(files)


def growth(files: list[bytes]) -> None:
    """Print time and memory over sizes that grow: both should grow with them."""
    before = peak_megabytes()
    for size in GROWTH:
        data = large_file(files, size)
        taken = _seconds(partial(read_and_cut, data, "structure"))
        more = peak_megabytes() - before
        click.echo(f"{size / 1e6:6.1f} MB: {taken:6.2f} s, {more:6.0f} MB of memory ({more * 1e6 / size:.1f} times)")


def peak_megabytes() -> float:
    """Return the most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
