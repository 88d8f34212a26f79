from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.evaluation.questions import Label, Question, parse_question
from webapp.core.evaluation.questions_file import QuestionsFile, written

ONE = '{"id": "one", "question": "Why?", "answerable": false}'
TWO = '{ "note": "ask Bo",  "id":"two", "question":"How?", "answerable":true, "document":"d", "fact":"so" }'
BOTH = f"\n{ONE}\r\n\r\n{TWO}"


def test_lines_are_numbered_as_in_an_editor_and_keep_what_they_say() -> None:
    file = QuestionsFile(BOTH)
    assert [(line.number, line.text) for line in file.lines] == [(2, ONE), (4, TWO)]
    assert [question.id for question in file.questions] == ["one", "two"]
    assert file.problems == ()


def test_lines_that_cant_be_used_are_named_and_hide_no_others() -> None:
    file = QuestionsFile(f"{ONE}\n{{}}\nnonsense\n{ONE}\n{TWO}\n")
    assert [question.id for question in file.questions] == ["one", "two"]
    assert [line.number for line in file.problems] == [2, 3, 4]
    assert file.problems[2].problem == "id 'one' is also that of line 1"


def test_a_line_separator_inside_a_question_is_no_end_of_line() -> None:
    line = json.dumps({"id": "a", "question": "one\u2028two\x85three", "answerable": False}, ensure_ascii=False)
    assert [question.question for question in QuestionsFile(line + "\n").questions] == ["one\u2028two\x85three"]


def test_an_added_line_ends_as_the_others_do() -> None:
    assert QuestionsFile(BOTH).with_added("{}").text == BOTH + "\n{}\n"
    assert QuestionsFile(f"{ONE}\r\n").with_added("{}", "[]").text == f"{ONE}\r\n{{}}\r\n[]\r\n"
    assert QuestionsFile().with_added("{}").text == "{}\n"
    assert QuestionsFile(BOTH).with_added().text == BOTH


def test_a_changed_line_leaves_every_other_byte_alone() -> None:
    assert QuestionsFile(BOTH).with_changed(2, "{}").text == f"\n{{}}\r\n\r\n{TWO}"
    assert QuestionsFile("\ufeff" + ONE + "\r").with_changed(1, "{}").text == "\ufeff{}\r"


def test_a_removed_line_takes_its_end_along() -> None:
    assert QuestionsFile(BOTH).without(2).text == f"\n\r\n{TWO}"
    assert QuestionsFile(f"\ufeff{ONE}\n{TWO}").without(1).text == "\ufeff" + TWO


def test_a_mark_changes_with_its_line_alone() -> None:
    line = QuestionsFile(BOTH).find("two")
    moved = QuestionsFile(f"{TWO}\n{ONE}\n").find("two")
    changed = QuestionsFile(BOTH.replace("How?", "How so?")).find("two")
    assert line
    assert moved
    assert changed
    assert line.mark == moved.mark != changed.mark
    assert QuestionsFile(BOTH).find("three") is None


def test_what_a_line_says_beside_the_question_stays_in_it() -> None:
    asked = parse_question(TWO).model_copy(update={"question": "How now?"})
    assert written(asked, TWO) == (
        '{"note": "ask Bo", "id": "two", "question": "How now?", "answerable": true, "document": "d", "fact": "so"}'
    )
    unanswerable = Question(id="two", question="How?", answerable=False, lang="en")
    assert json.loads(written(unanswerable, TWO)) == {
        "note": "ask Bo", "id": "two", "question": "How?", "answerable": False, "lang": "en",
    }  # fmt: skip


WORDS = st.text(min_size=1, max_size=8).filter(str.strip)
LABELS = st.builds(Label, document=WORDS, lines=st.none() | st.just((2, 3)), fact=WORDS)
QUESTIONS = st.builds(
    Question, id=WORDS, question=WORDS, answerable=st.just(True), labels=st.lists(LABELS, min_size=1, max_size=2)
)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(QUESTIONS, st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_reads_back_as_one_line(question: Question, end: str) -> None:
    file = QuestionsFile(f"{ONE}{end}").with_added(written(question))
    assert [line.question for line in file.lines][1:] == [question]
    assert file.without(2).text == f"{ONE}{end}"


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_file_has_no_questions(text: str) -> None:
    assert QuestionsFile(text).lines == ()
