"""The check of chunks against their files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from webapp.core.chunking.cut import cut
from webapp.core.chunking.verify import body_lines, fault, file_lines, folded_lines, verify, verify_document
from webapp.core.documents.config import CollectionConfig, CollectionError
from webapp.core.documents.model import Chunk
from webapp.core.documents.reading import document_from_bytes

TEXT = "---\nid: a\n---\n# A\n\nOne\ntwo.\n\n<!-- c\n## d -->\n\n[r]: x\n\nOver\n---\n\nThree.\n"


def chunk() -> Chunk:
    return cut(document_from_bytes(TEXT.encode(), "a.md", CollectionConfig()), "paragraph", {})[0]


def moved(first: int, last: int) -> Chunk:
    return replace(chunk(), location=chunk().location._replace(first_line=first, last_line=last))


def test_good_folder(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "b.md").write_text("---\nid: x\n", encoding="utf-8")
    report = verify([tmp_path])
    assert (report.files, report.chunks == report.exact, report.sound) == (2, True, True)
    assert [(held.path, held.line) for held in report.held_back] == [("b.md", 1)]


def test_single_files_and_what_is_none(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(TEXT.replace("\n", "\r\n").encode("utf-16"))
    broken = tmp_path / "b.md"
    broken.write_text("---\nid: x\n", encoding="utf-8")
    report = verify([file, broken])
    assert report.sound
    assert report.files == 2
    assert len(report.held_back) == 1
    with pytest.raises(CollectionError, match="can't be read"):
        verify([tmp_path / "absent.md"])


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (moved(6, 7), ""),
        (moved(7, 8), "another text"),
        (moved(4, 7), "begin too early"),
        (moved(5, 7), "blank line"),
        (moved(6, 99), "of 18"),
        (moved(0, 0), "of 18"),
        (replace(chunk(), text=""), "empty"),
        (replace(chunk(), text="One three."), "another text"),
    ],
)
def test_faults_are_found(wrong: Chunk, why: str) -> None:
    found = fault(wrong, folded_lines(file_lines(TEXT.encode())))
    assert why in found
    assert bool(why) == bool(found)


def test_lines_that_must_be_covered() -> None:
    assert body_lines(file_lines(TEXT.encode()), 4) == {6, 7, 12, 14, 15, 17}


def test_comment_behind_the_mark_of_an_item_or_quote_need_not_be_covered() -> None:
    lines = ["- <!-- c -->", "> - <!-- c -->", "1. <!-- c", "d -->", "- x <!-- c -->", "- "]
    assert body_lines(lines, 1) == {5, 6}


@pytest.mark.parametrize("short", ["<!-->", "<!--->"])
def test_shortest_comments_are_whole(short: str) -> None:
    text = f"a {short} b\n\nc\n\n{short}{short}\n\nd\n\n{{/* e */}} {short} f\n"
    assert body_lines(text.split("\n"), 1) == {1, 3, 7, 9}
    assert verify_document(document_from_bytes(text.encode(), "a.md", CollectionConfig()), text.encode()).sound


@pytest.mark.parametrize(
    "text",
    [
        "{% comment endcomment %} a\nb {% endcomment %}\n\nc",
        "{% comment %} a {%\nendcomment %}\nb {% endcomment %}\n\nc",
        "{{< comment >}} / comment >}}\na {{< /comment >}}\n\nc",
        "{{/* a */\n}} b\n*/}}\n\nc",
    ],
)
def test_a_comment_ends_at_its_whole_closing(text: str) -> None:
    assert body_lines(text.split("\n"), 1) == {text.count("\n") + 1}
    assert verify_document(document_from_bytes(text.encode(), "a.md", CollectionConfig()), text.encode()).sound


def test_lines_are_told_from_bytes() -> None:
    assert file_lines("\ufeffa\r\nb\rc\u2028d".encode()) == ["a", "b", "c\u2028d"]
    assert file_lines("a\nb".encode("utf-16")) == ["a", "b"]
    assert file_lines("\ufeff\ufeff\na".encode()) == ["", "a"]  # of files that were joined


def test_a_file_whose_encoding_was_guessed_is_checked_in_that_encoding(tmp_path: Path) -> None:
    text = "# Größen\n\nDie Größe des Fahrrades wählen Sie über die Körpergröße. Für Kinder gibt es kleinere Räder.\n"
    (tmp_path / "a.md").write_bytes((text * 20).encode("cp1252"))
    report = verify([tmp_path])
    assert (report.sound, report.held_back) == (True, ())
    assert report.chunks
