from pathlib import Path

import numpy as np
import pytest

from tests.core.retrieval.helpers import Broken, Hashing
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.cache import VectorCache


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    embedder = Hashing()
    first = VectorCache(tmp_path, embedder).passages(["a bike", "a helmet", "a bike"])
    again = VectorCache(tmp_path, embedder).passages(["a helmet", "a bike"])
    assert embedder.embedded == 2
    assert np.array_equal(first[[1, 0]], again)
    assert np.allclose(first[:2], embedder.passages(["a bike", "a helmet"]))


def test_no_texts_give_no_vectors(tmp_path: Path) -> None:
    assert VectorCache(tmp_path, Hashing()).passages([]).shape == (0, Hashing.dim)


def test_two_writers_at_once_keep_both_their_texts(tmp_path: Path) -> None:
    one, other = VectorCache(tmp_path, Hashing()), VectorCache(tmp_path, Hashing())
    one.passages(["a bike"])
    other.passages(["a helmet"])
    assert VectorCache(tmp_path, Hashing()).missing(["a bike", "a helmet", "a lamp"]) == ["a lamp"]


def test_a_record_cut_short_by_a_crash_is_written_again(tmp_path: Path) -> None:
    VectorCache(tmp_path, Hashing()).passages(["a bike", "a helmet"])
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-7])
    vectors = VectorCache(tmp_path, Hashing()).passages(["a bike", "a helmet"])
    assert np.array_equal(vectors, Hashing().passages(["a bike", "a helmet"]))
    assert VectorCache(tmp_path, Hashing()).missing(["a bike", "a helmet"]) == []


def test_a_damaged_record_is_embedded_again(tmp_path: Path) -> None:
    VectorCache(tmp_path, Hashing()).passages(["a bike"])
    (file,) = tmp_path.iterdir()
    content = bytearray(file.read_bytes())
    content[40] ^= 0xFF
    file.write_bytes(content)
    vectors = VectorCache(tmp_path, Hashing()).passages(["a bike"])
    assert np.array_equal(vectors, Hashing().passages(["a bike"]))


def test_progress_is_told_of_what_is_new(tmp_path: Path) -> None:
    said: list[tuple[int, int]] = []
    cache = VectorCache(tmp_path, Hashing())
    cache.passages([f"page {i}" for i in range(70)], lambda done, of: said.append((done, of)))
    assert said == [(16, 70), (32, 70), (48, 70), (64, 70), (70, 70)]


def test_what_is_no_number_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(PartUnavailable, match="the embedder hashing gave something that is no number"):
        VectorCache(tmp_path, Broken()).passages(["a bike"])
    assert VectorCache(tmp_path, Hashing()).missing(["a bike"]) == ["a bike"]
