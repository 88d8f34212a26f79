"""Terminals and logs: no page, name of a file or question speaks to them, and none makes up a line."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile.attempts import ATTEMPTS
from tests.hostile.conftest import Hostile
from webapp.cli import run
from webapp.cli.common import _PlainLines
from webapp.core.retrieval.model import Role
from webapp.web.logs import JsonLines
from webapp.web.printable import printable, printable_json

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
NAMES = {one.kind: one.file_name for one in ATTEMPTS if one.kind in ("script", "terminal", "bidi", "braces")}

Shell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shell(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Shell:
    """Runs a command on a folder whose files can't be read, and have hostile names."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in NAMES.values():
        (folder / name).write_text("---\ntitle: never closed\n", encoding="utf-8")
    (folder / "a\nERROR made up.md").write_text("---\ntitle: never closed\n", encoding="utf-8")

    def call(command: str, *arguments: str) -> tuple[int, str, str]:
        where = ("--collection", str(folder), "--instance", str(tmp_path / "instance"))
        return (run([command, *arguments, *where]), *capfd.readouterr())

    return call


@pytest.mark.parametrize("command", ["index", "verify", "doctor"])
@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["words", "json"])
def test_names_of_files_do_not_drive_the_terminal(
    shell: Shell, command: str, as_json: tuple[str, ...], tmp_path: Path
) -> None:
    arguments = (str(tmp_path / "pages"),) if command == "verify" else ()
    _, out, err = shell(command, *arguments, *as_json)
    assert not CONTROLS.search(out + err)
    assert as_json == () or json.loads(out)


def test_an_error_is_one_line_whatever_it_names(shell: Shell) -> None:
    code, out, err = shell("chunk", "no\x1b[2Jsuch\nfile\u202e.md")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert not CONTROLS.search(err)


def test_json_says_the_same_in_signs_that_a_terminal_takes() -> None:
    texts = [one.text for one in ATTEMPTS]
    said = printable_json(json.dumps(texts, ensure_ascii=False))
    assert json.loads(said) == texts
    assert printable(said) == said


def test_a_message_in_the_log_is_one_line_and_a_traceback_follows_it() -> None:
    try:
        raise RuntimeError("it \x1b[2J fails")
    except RuntimeError as error:
        failed = (type(error), error, error.__traceback__)
        record = logging.LogRecord("n", logging.ERROR, __file__, 1, "%s", ("a\nERROR b\x9b",), failed)
    first, second, *_ = _PlainLines("%(levelname)s %(message)s").format(record).split("\n")
    assert (first, second) == ("ERROR a ERROR b\ufffd", "Traceback (most recent call last):")
    assert not CONTROLS.search(_PlainLines("%(message)s").format(record))
    assert not CONTROLS.search(JsonLines().format(record))


def test_what_is_asked_for_makes_up_no_line_of_the_log(hostile: Hostile, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "webapp")
    agent = hostile.client(Role.AGENT)
    for one in ATTEMPTS:
        if one.kind in ("terminal", "bidi"):
            agent.get("/agent/search", query_string={"q": one.text, one.line: one.text})
            agent.post_json("/api/v1/ask", {"question": f"{one.text} a?", "collection": one.text, one.line: 1})
    said = [_PlainLines("%(levelname)s %(message)s").format(record) for record in caplog.records]
    assert not [line for line in said if CONTROLS.search(line)]
