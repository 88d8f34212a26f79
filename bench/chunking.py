"""How fast files are read, parsed and cut with exact lines: `python -m bench.chunking FOLDER [--peers]`.

Prints MB/s for one large file made of the folder's own (each strategy), files/s over all of them, and how time and
memory grow with size. `--peers` runs the splitters of other projects that are installed, on the same text; they give
no lines. Processor time of one thread; medians, with the slowest and the quickest round.
"""

from __future__ import annotations

import importlib.util
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

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


def measure(name: str, work: Callable[[], object], amount: float, unit: str) -> None:
    """Do the work some rounds over, and print how much of `amount` a second takes."""
    rates = sorted(amount / _seconds(work) for _ in range(ROUNDS))
    click.echo(f"{name:28} {rates[ROUNDS // 2]:8.1f} {unit}/s  ({rates[0]:.1f} to {rates[-1]:.1f})")


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


def peers() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Yield the installed splitters of other projects, each set to chunks of about 600 characters."""
    if importlib.util.find_spec("langchain_text_splitters"):
        from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

        yield "langchain recursive", RecursiveCharacterTextSplitter(chunk_size=600, chunk_overlap=0).split_text
        yield "langchain headers", MarkdownHeaderTextSplitter([("#", "h1"), ("##", "h2")]).split_text
    if importlib.util.find_spec("semantic_text_splitter"):
        from semantic_text_splitter import MarkdownSplitter

        yield "semantic-text-splitter", MarkdownSplitter(600).chunks
    if importlib.util.find_spec("chonkie"):
        from chonkie import RecursiveChunker

        yield "chonkie recursive", RecursiveChunker(tokenizer="character", chunk_size=600)


def split_all(split: Callable[[str], object], files: list[bytes]) -> None:
    """Split file after file."""
    for data in files:
        split(data.decode("utf-8", "replace"))


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--peers", "with_peers", is_flag=True, help="Other projects' splitters too (`make peers` installs them)")
def main(folder: Path, with_peers: bool) -> None:
    """Measure and print."""
    files = [file.read_bytes() for file in document_files(folder, [])]
    large = large_file(files, LARGE)
    size = len(large) / 1e6
    click.echo(f"{len(files)} files; one large file of {size:.1f} MB")
    for part in strategies.all():
        measure(part.name, partial(read_and_cut, large, part.name), size, "MB")
    measure("structure, with sentences", partial(read_and_cut, large, "structure", with_sentences=True), size, "MB")
    measure("all files, structure", lambda: [read_and_cut(data, "structure") for data in files], len(files), "files")
    for name, split in peers() if with_peers else ():
        measure(name, partial(split, large.decode()), size, "MB")
        measure(f"{name}, files", partial(split_all, split, files), len(files), "files")
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
