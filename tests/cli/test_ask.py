from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import Shell
from webapp.core.answering.model import Answer

RETURN = "Within how many days can I return a lamp?"


def test_gives_an_answer_and_nothing_else_on_stdout(shell: Shell) -> None:
    answer = Answer.model_validate(shell("ask", RETURN, "--json").json)
    assert "45 days" in answer.answer
    assert answer.retrieved


def test_for_people(shell: Shell) -> None:
    out = shell("ask", RETURN).out
    assert "within 45 days of delivery for a full refund. [1]" in out
    assert "[1] Returning lamps (Returning a lamp, line 10) [returns:c0]" in out


def test_an_abstention_is_a_result(shell: Shell) -> None:
    ran = shell("ask", "Where do zebras migrate to?")
    assert ran.code == 0
    assert "Our pages don't say." in ran.out


def test_an_abstention_has_words_where_the_collection_gives_none(shell: Shell) -> None:
    (shell.folder / "collection.toml").unlink()
    ran = shell("ask", "Where do zebras migrate to?")
    assert ran.out.startswith("We found no answer to this in our documents.\n")


def test_a_document_can_not_drive_the_terminal(shell: Shell, edit: Callable[[str, str, str], None]) -> None:
    edit("returns.md", "45 days", "45 \x1b[2Jdays")
    out = shell("ask", RETURN).out
    assert "45 \ufffd[2Jdays" in out
    assert "\x1b" not in out


def test_groups_open_their_documents(shell: Shell) -> None:
    question = "Which discount do members of staff get on a lamp?"
    assert "30 percent" in shell("ask", question, "--groups", "staff, other").out
    assert "30 percent" not in shell("ask", question, "--role", "agent").out


def test_it_is_answered_from_the_files_as_they_are(shell: Shell, edit: Callable[[str, str, str], None]) -> None:
    assert "45 days" in shell("ask", RETURN).out
    edit("returns.md", "45 days", "60 days")
    assert "60 days" in shell("ask", RETURN).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", ""], "Please type a question."),
        (["ask", "😀"], "no letter or digit"),
        (["ask", "x" * 20_000], "2,000 characters"),
        (["ask", RETURN, "--model", "nonsense"], "unknown model 'nonsense'; there are: "),
        (["ask", RETURN, "--filter", "room"], "write NAME=VALUE, not 'room'"),
        (["ask"], "Missing argument 'QUESTION'"),
        (["ask", RETURN, "--role", "king"], "'king' is not one of"),
    ],
)
def test_what_can_not_be_asked(shell: Shell, arguments: list[str], words: str) -> None:
    ran = shell(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert not (shell.instance / "indexes").exists(), "nothing is built for it"


@pytest.mark.parametrize(
    ("name", "words"), [("/no/such/folder", "there is no collection"), ("nowhere", "give the path of a folder")]
)
def test_a_missing_collection(shell: Shell, name: str, words: str) -> None:
    ran = shell.bare("ask", RETURN, "--collection", name, "--instance", str(shell.instance))
    assert ran.code == 2
    assert words in ran.err


def test_filters_and_language(shell: Shell) -> None:
    toml = shell.folder / "collection.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + '\nfilters = ["room"]\n', encoding="utf-8")
    page = shell.folder / "returns.md"
    page.write_text(page.read_text(encoding="utf-8").replace("lang: en", "lang: en\nroom: Hall", 1), encoding="utf-8")
    assert "Only: room = Hall, language = en" in shell("ask", RETURN, "--filter", "room=hall", "--lang", "en").out
    for wish in ("--filter", "room=Attic"), ("--filter", "colour=red"), ("--lang", "fr"):
        ran = shell("ask", RETURN, *wish)
        assert (ran.code, ran.out) == (2, "")
        assert "; there are: " in ran.err


def test_a_question_may_lean_on_an_earlier_one(shell: Shell) -> None:
    earlier = shell("ask", RETURN, "--json").json["id"]
    asked = shell("ask", "And for bulbs?", "--follows", earlier, "--json").json
    assert asked["follows"] == {"answer_id": earlier, "question": RETURN}
    assert f"Asked after: {RETURN}" in shell("ask", "And for bulbs?", "--follows", earlier).out
    assert not shell("ask", "And for bulbs?", "--json").json["follows"]


def test_an_earlier_answer_that_is_none_is_refused(shell: Shell) -> None:
    ran = shell("ask", "And for bulbs?", "--follows", "nonsense")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no answer 'nonsense' to follow" in ran.err
