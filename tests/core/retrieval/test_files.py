from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from webapp.core.retrieval.files import replace_file


def test_threads_may_replace_a_file_at_the_same_time(tmp_path: Path) -> None:
    contents = [str(number).encode() * 1000 for number in range(10)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda content: replace_file(tmp_path / "file", content, durable=False), contents * 20))
    assert (tmp_path / "file").read_bytes() in contents
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
