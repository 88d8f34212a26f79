from pathlib import Path

import pytest

from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.local_models import Needs, fingerprint, whole_characters

NEEDS = Needs("the embedder x", "embedder_options", ("no_such_package_here",), "x")


def test_all_that_is_missing_is_said_at_once_in_one_line() -> None:
    with pytest.raises(PartUnavailable) as caught:
        NEEDS.folder("")
    assert str(caught.value) == (
        "the embedder x can't be used yet; install it with: pip install 'evidencedesk[x]'; "
        "and set path under [embedder_options] in collection.toml to the folder of a model"
    )


def test_a_folder_that_is_there_is_enough_where_the_packages_are(tmp_path: Path) -> None:
    assert Needs("the embedder x", "embedder_options", ("json",), "x").folder(str(tmp_path)) == tmp_path
    with pytest.raises(PartUnavailable, match="install it with"):
        NEEDS.folder(str(tmp_path))


def test_a_long_error_of_a_library_becomes_one_line(tmp_path: Path) -> None:
    said = str(NEEDS.unusable(tmp_path, ValueError("one\n  two" * 100)))
    assert "(one two" in said
    assert "\n" not in said
    assert "(KeyError)" in str(NEEDS.unusable(tmp_path, KeyError()))


def test_the_fingerprint_follows_files_and_options_but_not_the_place(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        (folder / "onnx").mkdir(parents=True)
        (folder / "onnx" / "model.onnx").write_bytes(b"weights")
    (second / "README.md").write_text("About it", encoding="utf-8")
    (second / ".gitattributes").write_text("*", encoding="utf-8")
    same = fingerprint(first, "{}")
    assert fingerprint(second, "{}") == same
    assert fingerprint(first, '{"file": "a"}') != same
    (second / "onnx" / "model.onnx").write_bytes(b"Weights")
    assert fingerprint(second, "{}") != same


def test_halves_of_characters_are_replaced() -> None:
    assert whole_characters("a\ud800b ফেরত 😀") == "a?b ফেরত 😀"
