import json
from dataclasses import replace
from pathlib import Path

import pytest

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Document, Status
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.questions import (
    Place,
    QuestionsError,
    as_line,
    find_fact,
    label_is_broken,
    parse_questions,
    places,
    read_questions,
)

TEXT = "---\nid: a\n---\n\n## Fees\n\nThe *late* fee is\nRs 500.\n\nAgain: fee is Rs 500.\n"


def a_document(status: Status = Status.CURRENT) -> Document:
    read = document_from_bytes(TEXT.encode(), "a.md", CollectionConfig(name="c"))
    return replace(read, status=status)


def one(**fields: object) -> str:
    return json.dumps({"id": "q1", "question": "What is the fee?", "answerable": True, **fields})


def test_reads_labels_as_lines_and_as_facts() -> None:
    lines = [
        one(document="a", lines=[7, 8], also=[{"document": "a", "fact": "Rs 500"}]),
        "",
        one(id="q2", answerable=False),
    ]
    first, second = parse_questions(lines, "golden.jsonl")
    assert places(first, [a_document()]) == (Place("a", 7, 8), Place("a", 8, 8), Place("a", 10, 10))
    assert not second.answerable
    assert places(second, [a_document()]) == ()


def test_a_question_survives_being_written_and_read_again() -> None:
    line = one(document="a", lines=[7, 8], also=[{"document": "a", "fact": "Rs 500"}], lang="en")
    (question,) = parse_questions([line], "golden.jsonl")
    assert as_line(question) == json.loads(line)
    assert parse_questions([json.dumps(as_line(question))], "golden.jsonl") == (question,)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1"),
        (one(), 'needs a "document"'),
        (one(document="a"), 'needs "lines" or a "fact"'),
        (one(document="a", lines=[8, 7]), "[first, last]"),
        (one(lines=[7, 8]), 'need a "document"'),
        (one(answerable=False, document="a", lines=[7, 8]), "can't be answered"),
        (json.dumps({"id": "q1", "question": "?"}), "answerable: Field required"),
    ],
)
def test_a_bad_line_is_named_with_what_is_wrong(line: str, said: str) -> None:
    with pytest.raises(QuestionsError) as error:
        parse_questions([line], "golden.jsonl")
    assert "golden.jsonl, line 1" in str(error.value)
    assert said in str(error.value)


def test_two_questions_with_one_id_are_refused() -> None:
    with pytest.raises(QuestionsError, match=r"line 2.*line 1"):
        parse_questions([one(answerable=False), one(answerable=False)], "golden.jsonl")


def test_a_file_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match=r"none\.jsonl: can't be read"):
        read_questions(tmp_path / "none.jsonl")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("\ufeff" + one(answerable=False), encoding="utf-8")
    assert len(read_questions(tmp_path / "q.jsonl")) == 1


def test_a_fact_is_found_across_lines_and_through_marks() -> None:
    assert find_fact("fee is  rs 500", a_document()) == [(7, 8), (10, 10)]
    assert find_fact("late fee", a_document()) == [(7, 7)]
    assert find_fact("id: a", a_document()) == []


def test_words_of_the_front_matter_hide_no_fact_of_the_body() -> None:
    text = "---\nid: a\ntitle: The late fee\n---\n\n## Fees\n\nThe *late* fee is Rs 500.\n"
    document = document_from_bytes(text.encode(), "a.md", CollectionConfig(name="c"))
    assert find_fact("the late fee", document) == [(8, 8)]
    assert find_fact("title", document) == []


def test_of_a_fact_with_lines_the_nearest_occurrence_counts() -> None:
    (question,) = parse_questions([one(document="a", fact="Rs 500", lines=[11, 11])], "g")
    assert places(question, [a_document()]) == (Place("a", 10, 10),)


@pytest.mark.parametrize(
    "label",
    [{"document": "b", "lines": [1, 2]}, {"document": "a", "lines": [99, 100]}, {"document": "a", "fact": "Rs 600"}],
)
def test_labels_that_no_longer_hold_are_broken(label: dict[str, object]) -> None:
    (question,) = parse_questions([one(**label)], "g")
    assert label_is_broken(question, [a_document()])


def test_a_label_on_a_superseded_document_is_broken() -> None:
    (question,) = parse_questions([one(document="a", lines=[7, 8])], "g")
    assert not label_is_broken(question, [a_document()])
    assert label_is_broken(question, [a_document(Status.SUPERSEDED)])
