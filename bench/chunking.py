"""How fast files are read, parsed and cut with exact lines: `python bench/chunking.py FOLDER [--peers]`.

Prints MB/s for one large file made of the folder's own (each strategy), files/s over all of them, and how time and
memory grow with size. `--peers` runs the splitters of other projects that are installed, on the same text; they give
no lines. Use one core: `taskset -c 0 python bench/chunking.py …`.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from webapp.core.chunking.base import strategies
from webapp.core.chunking.cut import cut
from webapp.core.documents.collection import document_files
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.reading import document_from_bytes

CONFIG = CollectionConfig()
LARGE = 2_000_000  # bytes of the large file


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the processor time of the quickest of some rounds."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    files = [file.read_bytes() for file in document_files(arguments.folder, [])]
    large = large_file(files, LARGE)
    print(f"{len(files)} files; one large file of {len(large) / 1e6:.1f} MB")
    for part in strategies.all():
        bare = seconds(partial(read_and_cut, large, part.name))
        full = seconds(partial(read_and_cut, large, part.name, with_sentences=True))
        print(f"{part.name:24} {len(large) / bare / 1e6:6.1f} MB/s, with sentences {len(large) / full / 1e6:6.1f} MB/s")
    taken = seconds(lambda: [read_and_cut(data, "structure") for data in files], rounds=1)
    print(f"{'all files, structure':24} {len(files) / taken:6.0f} files/s")
    if arguments.peers:
        for name, split in peers():
            taken = seconds(partial(split, large.decode()))
            print(f"{name:24} {len(large) / taken / 1e6:6.1f} MB/s")
    growth(files)


def growth(files: list[bytes]) -> None:
    """Print time and memory over sizes that double: both should double with them."""
    for size in (500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000):
        data = large_file(files, size)
        taken = seconds(partial(read_and_cut, data, "structure"), rounds=1)
        tracemalloc.start()
        document = document_from_bytes(data, "page.md", CONFIG)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"{size / 1e6:6.1f} MB: {taken:6.2f} s, reading takes {peak / size:5.1f} times its size in memory",
            document.id,
        )


if __name__ == "__main__":
    main()
