"""A trial index ranks as the desk does, shows what a customer may see, and leaves nothing behind."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Document
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.compare import Setting, compare
from webapp.core.evaluation.questions import Label, Question
from webapp.core.evaluation.trial import TrialSearch
from webapp.core.retrieval.embedders.base import Vectors

CONFIG = CollectionConfig(name="c", languages=("en", "bn"), groups=("staff",))
PARAGRAPH = Setting("paragraph")


class Letters:
    """Vectors of letter counts: near enough to meaning for a handful of sentences."""

    name = "letters"
    dim = 26

    def __init__(self) -> None:
        self.asked: list[str] = []

    def query(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        counts = np.array(
            [[1 + text.lower().count(chr(97 + i)) for i in range(26)] for text in texts], dtype=np.float32
        )
        vectors: Vectors = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return vectors


def page(document_id: str, text: str, **head: str) -> Document:
    lines = {"id": document_id, "title": document_id.title(), "status": "current", **head}
    front = "".join(f"{key}: {value}\n" for key, value in lines.items())
    return document_from_bytes(f"---\n{front}---\n\n## Part\n{text}\n".encode(), f"{document_id}.md", CONFIG)


PAGES = (
    page("fees", "The late fee is Rs 500."),
    page("books", "A reader may borrow four books."),
    page("old", "The late fee is Rs 300.", status="superseded"),
    page("closed", "The late fee of staff is Rs 100.", audience="staff"),
)


def question(words: str, lang: str | None = None) -> Question:
    return Question(
        id=words, question=words, answerable=True, labels=(Label(document="fees", fact="Rs 500"),), lang=lang
    )


@pytest.fixture
def search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrialSearch:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    return TrialSearch(CONFIG, Letters(), tmp_path / "vectors")


def test_finds_what_a_customer_may_see_and_nothing_else(search: TrialSearch) -> None:
    (chunks,) = search(PAGES, PARAGRAPH, [question("What is the late fee?")], 5)
    assert [chunk.id for chunk in chunks] == ["fees:c0", "books:c0"]


def test_gives_each_question_its_own_chunks_up_to_the_depth(search: TrialSearch) -> None:
    asked = [question("late fee", "en"), question("How many books may I borrow?", "en")]
    assert [[chunk.id for chunk in found] for found in search(PAGES, PARAGRAPH, asked, 1)] == [
        ["fees:c0"],
        ["books:c0"],
    ]


def test_leaves_nothing_but_the_known_vectors(search: TrialSearch, tmp_path: Path) -> None:
    search(PAGES, PARAGRAPH, [question("late fee")], 1)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert {file.suffix for file in (tmp_path / "vectors").iterdir()} == {".vectors"}


def test_without_a_cache_nothing_at_all_is_left(search: TrialSearch, tmp_path: Path) -> None:
    TrialSearch(CONFIG, Letters())(PAGES, PARAGRAPH, [question("late fee")], 1)
    assert [path.name for path in tmp_path.rglob("*")] == ["tmp"]


def test_a_question_is_embedded_once_however_many_settings_it_is_asked_with() -> None:
    embedder = Letters()
    search = TrialSearch(CONFIG, embedder)
    for setting in (PARAGRAPH, Setting("sentence")):
        search(PAGES, setting, [question("late fee"), question("four books")], 1)
    assert embedder.asked == ["late fee", "four books"]


def test_compares_settings_by_what_the_desk_would_find(search: TrialSearch) -> None:
    settings = (PARAGRAPH, Setting("fixed", {"size": 12, "overlap": 0}))
    result = compare(PAGES, settings, questions=[question("What is the late fee?")], retrieve=search)
    assert result.settings[0].recall[1].value == 1.0
    assert result.questions == 1
