"""Folders: what is read, what is held back, and that nothing goes unsaid."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from webapp.core.documents.collection import load_collection
from webapp.core.documents.config import CollectionConfig, CollectionError
from webapp.core.documents.model import Collection, Document
from webapp.core.documents.reading import document_from_bytes


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def load(folder: Path, files: Mapping[str, str | bytes]) -> Collection:
    return load_collection(write(folder, files))


def held(collection: Collection) -> dict[str, str]:
    return {problem.path: problem.problem for problem in collection.problems if problem.held_back}


def test_documents_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    files = {
        "b.md": "B.",
        "a/z.markdown": "Z.",
        "a/b.mdx": "X.",
        "c.txt": "C.",
        "collection.toml": "",
        "golden.jsonl": "{}",
    }
    assert [document.path for document in load(tmp_path, files).documents] == [
        "a/b.mdx",
        "a/z.markdown",
        "b.md",
        "c.txt",
    ]


def test_one_broken_file_never_stops_the_rest(tmp_path: Path) -> None:
    files: Mapping[str, str | bytes] = {f"{n}.md": f"---\nid: d{n}\n---\nText {n}.\n" for n in range(49)}
    collection = load(tmp_path, {**files, "broken.md": "---\nid: x\n\n# Never closed\n"})
    assert len(collection.documents) == 49
    assert [(problem.path, problem.line) for problem in collection.problems] == [("broken.md", 1)]


def test_two_current_files_of_one_id_are_both_held_back(tmp_path: Path) -> None:
    collection = load(tmp_path, {"a.md": "---\nid: x\n---\nA.\n", "b.md": "---\nid: x\n---\nB.\n", "c.md": "C.\n"})
    assert [document.path for document in collection.documents] == ["c.md"]
    assert "b.md" in held(collection)["a.md"]
    assert "a.md" in held(collection)["b.md"]


def test_older_file_of_the_same_id_gives_way_to_the_current_one(tmp_path: Path) -> None:
    old = "---\nid: x\nstatus: superseded\n---\nA.\n"
    collection = load(tmp_path, {"a.md": old, "b.md": "---\nid: x\nstatus: current\n---\nB.\n"})
    assert [document.path for document in collection.documents] == ["b.md"]
    assert "a.md" in held(collection)


def test_ids_made_from_paths_are_unique_and_readable(tmp_path: Path) -> None:
    files = {
        "a/x.md": "A.",
        "a/x.txt": "B.",
        "b/x.md": "C.",
        "c.md": "---\nid: b/x\n---\nD.",
    }
    assert sorted(document.id for document in load(tmp_path, files).documents) == ["a/x", "a/x.txt", "b/x", "b/x.md"]


def test_ids_made_from_paths_give_way_even_to_a_path_as_id(tmp_path: Path) -> None:
    files = {"a.md": "A.", "a.txt": "B.", "d.md": "---\nid: a.txt\n---\nD."}
    collection = load(tmp_path, files)
    assert [document.id for document in collection.documents] == ["a", "a.txt~", "a.txt"]


def test_equal_bodies_with_different_ids_are_both_kept(tmp_path: Path) -> None:
    collection = load(tmp_path, {"a.md": "---\nid: a\n---\nSame.\n", "b.md": "---\nid: b\n---\nSame.\n"})
    assert [document.id for document in collection.documents] == ["a", "b"]


@pytest.mark.parametrize(
    "text", ["", "  \n\n\t\n", "# Only a heading\n", "<!-- only a comment -->\n", "---\nid: a\n---\n"]
)
def test_document_without_text_is_kept_and_said(tmp_path: Path, text: str) -> None:
    collection = load(tmp_path, {"a.md": text})
    assert len(collection.documents) == 1
    assert [(problem.problem, problem.held_back) for problem in collection.problems] == [
        ("the document has no text", False)
    ]


def test_hidden_folders_and_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.md": "Secret."})
    folder = write(tmp_path / "docs", {"a.md": "A.", ".git/b.md": "B.", ".c.md": "C."})
    (folder / "out.md").symlink_to(outside / "secret.md")
    (folder / "more").symlink_to(outside)
    (folder / "again.md").symlink_to(folder / "a.md")
    collection = load_collection(folder)
    assert [document.path for document in collection.documents] == ["a.md"]
    assert [problem.path for problem in collection.problems] == ["more", "out.md"]


def test_links_that_lead_to_nothing_read_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a.md": "A.", ".b/h.md": "H.", "notes.data": "N."})
    for name, target in {"hidden.md": ".b/h.md", "gone.md": "x.md", "one.md": "two.md", "two.md": "one.md"}.items():
        (folder / name).symlink_to(target)
    (folder / "other.md").symlink_to("notes.data")
    collection = load_collection(folder)
    assert [document.path for document in collection.documents] == ["a.md"]
    named = ["gone.md", "hidden.md", "one.md", "other.md", "two.md"]
    assert [problem.path for problem in collection.problems] == named


def test_names_and_heads_that_are_no_text_stop_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path, {"a.md": '{"title": "x\\ud800y", "id": "a"}\n\nText.\n'})
    (folder / os.fsdecode(b"bad\xff.md")).write_text("B.", encoding="utf-8")
    collection = load_collection(folder)
    assert [document.title for document in collection.documents] == ["x\ufffdy"]
    assert held(collection) == {"bad?.md": "the file's name is not UTF-8; rename it"}


def test_pipe_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(write(tmp_path, {"a.md": "A."}) / "p.md")
    assert [(problem.path, problem.held_back) for problem in load_collection(tmp_path).problems] == [("p.md", False)]


def test_a_mistake_of_ours_holds_back_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(data: bytes, path: str, config: object) -> Document:
        if path == "b.md":
            raise IndexError
        return document_from_bytes(data, path, CollectionConfig())

    monkeypatch.setattr("webapp.core.documents.collection.document_from_bytes", failing)
    collection = load(tmp_path, {"a.md": "A.", "b.md": "B."})
    assert "IndexError" in held(collection)["b.md"]
    assert len(collection.documents) == 1


@pytest.mark.parametrize("name", ["absent", "file.md"])
def test_folder_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"file.md": "A."})
    with pytest.raises(CollectionError, match="is not a folder"):
        load_collection(tmp_path / name)


def test_broken_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=r"collection\.toml"):
        load(tmp_path, {"collection.toml": "colour = 'red'\n"})


def test_missing_and_mistyped_status_are_held_back_where_one_is_asked_for(tmp_path: Path) -> None:
    files: Mapping[str, str | bytes] = {
        "collection.toml": 'status_when_missing = "held_back"\n',
        "a.md": "---\nstatus: Current\n---\nA.\n",
        "b.md": "---\nstatus: curent\n---\nB.\n",
        "c.md": "C.\n",
    }
    collection = load(tmp_path, files)
    assert [document.path for document in collection.documents] == ["a.md"]
    assert sorted(held(collection)) == ["b.md", "c.md"]


def test_reading_again_gives_what_reading_anew_gives(tmp_path: Path) -> None:
    files = {
        "a/b.md": "B.",
        "a/b.txt": "b",
        "x.md": "---\nid: x\n---\nX.",
        "y.md": "---\nid: y\n---\nY.",
        "z.md": "---\n",
    }
    known = load(tmp_path, files)
    (tmp_path / "a/b.md").unlink()  # what has given way to its id is a/b again
    write(tmp_path, {"y.md": "---\nid: x\n---\nY.", "new.md": "New.", "z.md": "---\nid: z\n---\nZ."})
    again, anew = load_collection(tmp_path, known=known), load_collection(tmp_path)
    assert again == anew
    assert [one.id for one in again.documents] == [one.id for one in anew.documents] == ["a/b", "new", "z"]


def test_reading_again_reads_only_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = load(tmp_path, {"a.md": "A.", "b.md": "B."})
    read: list[str] = []

    def note(data: bytes, path: str, config: CollectionConfig) -> Document:
        read.append(path)
        return document_from_bytes(data, path, config)

    monkeypatch.setattr("webapp.core.documents.collection.document_from_bytes", note)
    write(tmp_path, {"b.md": "B!"})
    known = load_collection(tmp_path, known=known)
    assert read == ["b.md"]
    write(tmp_path, {"collection.toml": "section_level = 1\n"})
    load_collection(tmp_path, known=known)
    assert read == ["b.md", "a.md", "b.md"], "other settings read it in another way"


def test_hash_changes_exactly_with_files_and_settings(tmp_path: Path) -> None:
    first = load(tmp_path, {"a.md": "A.", "b.md": "---\nid: x\n"}).corpus_hash
    assert load(tmp_path, {"notes.csv": "1,2"}).corpus_hash == first
    changed = load(tmp_path, {"b.md": "---\nid: y\n"}).corpus_hash  # held back, but the folder is another one
    assert changed != first
    assert load(tmp_path, {"collection.toml": "section_level = 3\n"}).corpus_hash != changed


def test_hash_changes_with_the_golden_set_which_calibrates_what_is_built(tmp_path: Path) -> None:
    hashes = [
        load(tmp_path, files).corpus_hash
        for files in ({"a.md": "A."}, {"golden.jsonl": ""}, {"golden.jsonl": '{"id": "1"}\n'})
    ]
    assert len(set(hashes)) == 3


def test_section_level_of_the_collection(tmp_path: Path) -> None:
    text = "# A\n\nOne.\n\n## B\n\nTwo.\n\n### C\n\nThree.\n"
    paths = [section.heading_path for section in load(tmp_path, {"a.md": text}).documents[0].sections]
    assert paths == [("A",), ("A", "B")]
    deeper = load(tmp_path, {"collection.toml": "section_level = 3\n"}).documents[0]
    assert [section.heading for section in deeper.sections] == ["A", "B", "C"]


def test_undeclared_group_is_said(tmp_path: Path) -> None:
    files: Mapping[str, str | bytes] = {
        "collection.toml": 'groups = ["staff"]\n',
        "a.md": "---\naudience: stuff\n---\nA.\n",
    }
    collection = load(tmp_path, files)
    assert len(collection.documents) == 1
    assert "stuff" in collection.problems[0].problem
    assert not collection.problems[0].held_back


def test_missing_day_is_that_of_the_last_commit(tmp_path: Path) -> None:
    write(tmp_path, {"docs/ক.md": "A.", "docs/b.md": "---\nupdated: 2020-01-31\n---\nB.", "docs/new.md": "C."})
    who = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "docs/ক.md", "docs/b.md"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(
            ["git", "-C", str(tmp_path), *command],
            check=True,
            env={**os.environ, "GIT_COMMITTER_DATE": "2024-05-01T12:00:00Z"},
        )
    days = {document.path: document.updated for document in load_collection(tmp_path / "docs").documents}
    assert days == {"ক.md": date(2024, 5, 1), "b.md": date(2020, 1, 31), "new.md": None}
